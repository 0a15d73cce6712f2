import { connect, type Connection, type ConnectOptions } from "../../mod.ts";
import { type Arguments, type OptionGroup, UsageError } from "./arguments.ts";

/**
 * Reads a token from a file, which must hold nothing else and be its owner's alone.
 *
 * @throws {UsageError} that shows the path and never the token.
 */
export async function tokenFrom(path: string): Promise<string> {
  const refuse = (told: string): never => {
    throw new UsageError(`--token-file: ${told}: ${path}`);
  };
  const { mode, isFile } = await Deno.stat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return refuse("there is no such file");
    throw error;
  });
  if (!isFile) refuse("must be a file");
  if (mode !== null && (mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(3, "0");
    refuse(`others can read it (mode ${octal}); run chmod 600 ${path}`);
  }
  const token = (await Deno.readTextFile(path)).trim();
  return token === "" ? refuse("is empty") : token;
}

/** What every script that asks the service understands. */
export const CONNECTION_OPTIONS: OptionGroup = {
  title: "Whom to ask (CHAINFRAME_BASE_URL, CHAINFRAME_TOKEN; neither: sample data)",
  options: [
    {
      name: "token-file",
      value: "FILE",
      about: "Reads the token from a file that only you can read.",
    },
    { name: "cache", value: "DIR", about: "Keeps answers there, and takes them from there." },
    { name: "refresh", about: "Asks for everything again, and keeps the answers." },
    { name: "offline", about: "Takes answers from the cache only, and sends nothing." },
  ],
};

function cacheOf(given: Arguments): Pick<ConnectOptions, "cache"> {
  const modes = (["refresh", "offline"] as const).filter((mode) => given.has(mode));
  if (modes.length > 1) throw new UsageError("--refresh and --offline: give one of them");
  const dir = given.one("cache") ?? Deno.env.get("CHAINFRAME_CACHE");
  const [mode = "use"] = modes;
  if (dir !== undefined && dir !== "") return { cache: { dir, mode } };
  if (mode !== "use") {
    throw new UsageError(`--${mode}: needs a cache: --cache DIR or CHAINFRAME_CACHE`);
  }
  return {};
}

/**
 * The connection that the options and the environment ask for. It reports nothing about entities that
 * were not found: the scripts do.
 */
export async function connectionOf(given: Arguments, signal: AbortSignal): Promise<Connection> {
  const file = given.one("token-file");
  const token = file === undefined ? {} : { token: await tokenFrom(file) };
  return connect({ ...token, ...cacheOf(given), onMissing: "ignore", signal });
}
