import config from "../deno.json" with { type: "json" };

/** The name of the package, on JSR and on npm. */
export const NAME: string = config.name;

/** The version. It is stated only in deno.json. */
export const VERSION: string = config.version;

/** The address of the repository. */
export const REPOSITORY = "https://github.com/chainframe/chainframe";
