import process from "node:process";
import type { listen, ServiceOptions } from "../../lib/service/mod.ts";
import { readToken } from "../cli/connection.ts";
import { type Arguments, flag, option, type OptionGroup, UsageError } from "../cli/script.ts";

/** The options of serve.ts. */
export const SERVE_OPTIONS: readonly OptionGroup[] = [
  {
    title: "Data and access (CHAINFRAME_SERVICE_TOKENS: the accepted tokens)",
    options: [
      option(
        "data",
        "FILE",
        "A data file from build.ts; a replaced file is served at once. Default: sample " +
          "data with invented names.",
      ),
      option(
        "token-file",
        "FILE",
        "The accepted tokens, one on a line, of at least 16 characters, in a file that only you can " +
          "read. Without file or variable, a random token is created and printed to stderr.",
      ),
      option("rate-limit", "COUNT", "Requests per token and minute (default: no limit)."),
    ],
  },
  {
    title: "Address",
    options: [
      option("port", "PORT", "The port, 0 for a free one (default: 8000)."),
      option(
        "host",
        "ADDRESS",
        "127.0.0.1 (default), or 0.0.0.0 for all addresses of the machine. Another one needs its own " +
          "--allow-net.",
      ),
      flag("quiet", "Writes no line per request."),
    ],
  },
];

const LEAST_TOKEN_LENGTH = 16;

async function tokensOf(given: Arguments): Promise<Pick<ServiceOptions, "tokens">> {
  const path = given.one("token-file");
  const text = path === undefined ? process.env.CHAINFRAME_SERVICE_TOKENS : await readToken(path);
  if (text === undefined || text === "") return {};
  const tokens = text.split(/[\s,]+/);
  const short = tokens.findIndex(({ length }) => length < LEAST_TOKEN_LENGTH);
  if (short < 0) return { tokens };
  const source = path === undefined ? "CHAINFRAME_SERVICE_TOKENS" : "--token-file";
  throw new UsageError(
    `${source}: a token must have at least ${LEAST_TOKEN_LENGTH} characters; ` +
      `token ${short + 1} of ${tokens.length} has ${tokens[short]!.length}`,
  );
}

/** Returns a copy of an object without members that are undefined. */
function given<Value extends object>(
  members: Value,
): { [Name in keyof Value]?: NonNullable<Value[Name]> } {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as { [Name in keyof Value]?: NonNullable<Value[Name]> };
}

/** Returns the options of `createService`. */
export async function serviceOptions(args: Arguments): Promise<ServiceOptions> {
  const requests = args.whole("rate-limit", 1, 1e9);
  return {
    ...await tokensOf(args),
    ...given({
      data: args.one("data"),
      rateLimit: requests === undefined ? undefined : { requests },
    }),
  };
}

/** Returns the options of `listen`. */
export function listenOptions(args: Arguments): Parameters<typeof listen>[1] & object {
  return {
    hostname: args.one("host") ?? "127.0.0.1",
    ...given({ port: args.whole("port", 0, 65_535) }),
  };
}
