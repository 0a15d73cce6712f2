import process from "node:process";
import type { listen, ServiceOptions } from "../../lib/service/mod.ts";
import { readToken } from "../cli/connection.ts";
import {
  type Arguments,
  flag,
  option,
  type OptionGroup,
  several,
  UsageError,
} from "../cli/script.ts";

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
      option(
        "wrong-tokens",
        "COUNT",
        "Wrong tokens per address and minute; more get 429 (default: 60).",
      ),
      option("wrong-tokens-total", "COUNT", "The same for all addresses together (default: 600)."),
      option(
        "address-header",
        "NAME",
        "The header in which your reverse proxy gives the client's address, such as " +
          "X-Forwarded-For. Use it only behind a proxy that sets it. A request without it counts for the " +
          "address of its connection.",
      ),
      several("cors", "ORIGIN", "An origin whose pages may call from a browser, or *."),
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
  {
    title: "Limits",
    options: [
      option(
        "max-connections",
        "COUNT",
        "Connections at once (default: 100); more are closed. The limit of open files (ulimit -n) " +
          "must be higher, by at least 30; this is not checked.",
      ),
      option("header-timeout", "SECONDS", "Time for the header of a request (default: 10)."),
      option("body-timeout", "SECONDS", "Time for a whole request (default: 30)."),
      option(
        "idle-timeout",
        "SECONDS",
        "Time that a connection may be silent, between requests or with an unread response " +
          "(default: 75).",
      ),
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
  const cors = args.all("cors");
  const requests = args.whole("rate-limit", 1, 1e9);
  return {
    ...await tokensOf(args),
    ...given({
      data: args.one("data"),
      cors: cors.length === 0 ? undefined : cors.includes("*") ? "*" as const : cors,
      rateLimit: requests === undefined ? undefined : { requests },
    }),
    wrongTokens: given({
      perAddress: args.whole("wrong-tokens", 1, 1e9),
      total: args.whole("wrong-tokens-total", 1, 1e9),
      addressHeader: args.one("address-header"),
    }),
  };
}

/** Returns the options of `listen`. */
export function listenOptions(args: Arguments): Parameters<typeof listen>[1] & object {
  const milliseconds = (name: string) => {
    const seconds = args.whole(name, 1, 86_400);
    return seconds === undefined ? undefined : seconds * 1_000;
  };
  return {
    hostname: args.one("host") ?? "127.0.0.1",
    ...given({
      port: args.whole("port", 0, 65_535),
      maxConnections: args.whole("max-connections", 1, 1e6),
      headerTimeout: milliseconds("header-timeout"),
      bodyTimeout: milliseconds("body-timeout"),
      idleTimeout: milliseconds("idle-timeout"),
    }),
  };
}
