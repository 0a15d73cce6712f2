import type { ListenOptions, ServiceOptions, WrongTokens } from "../../lib/service/mod.ts";
import { type Arguments, type OptionGroup, UsageError } from "../cli/arguments.ts";
import { tokenFrom } from "../cli/connection_options.ts";

/** The options of serve.ts. */
export const SERVE_OPTIONS: readonly OptionGroup[] = [
  {
    title: "What to serve (CHAINFRAME_SERVICE_TOKENS: the tokens that are let in)",
    options: [
      {
        name: "data",
        value: "FILE",
        about: "A file of data from build.ts. When it is replaced, the new one is served. If not " +
          "given: sample data with invented names.",
      },
      {
        name: "token-file",
        value: "FILE",
        about:
          "The tokens that are let in, one on a line, of 16 characters at least, in a file that " +
          "only you can read. With neither file nor variable there is a random one, which is " +
          "told on stderr.",
      },
      {
        name: "rate-limit",
        value: "COUNT",
        about: "How many requests a token may make in a minute (no limit, if not given).",
      },
      {
        name: "wrong-tokens",
        value: "COUNT",
        about:
          "How many wrong tokens an address may send in a minute before more of them get 429 " +
          "(60, if not given).",
      },
      {
        name: "wrong-tokens-total",
        value: "COUNT",
        about: "The same for all addresses together (600, if not given).",
      },
      {
        name: "address-header",
        value: "NAME",
        about: "The header in which your reverse proxy names the address of the client, such as " +
          "X-Forwarded-For. Not without a proxy that sets it.",
      },
      {
        name: "cors",
        value: "ORIGIN",
        several: true,
        about: "An origin whose pages may call from a browser, or *.",
      },
    ],
  },
  {
    title: "Where",
    options: [
      { name: "port", value: "PORT", about: "The port, 0 for a free one (8000, if not given)." },
      {
        name: "host",
        value: "ADDRESS",
        about:
          "127.0.0.1 (if not given), or 0.0.0.0 for all addresses of the machine. Another one " +
          "needs --allow-net of its own.",
      },
      { name: "quiet", about: "No line for each request." },
    ],
  },
  {
    title: "Slow and many clients",
    options: [
      {
        name: "max-connections",
        value: "COUNT",
        about:
          "How many connections there may be at once (100, if not given); one more is closed " +
          "as it comes. The limit of open files (ulimit -n) must be higher, by 50 or so.",
      },
      {
        name: "header-timeout",
        value: "SECONDS",
        about: "How long the header of a request may take to arrive (10, if not given).",
      },
      {
        name: "body-timeout",
        value: "SECONDS",
        about: "How long a request may take to arrive with its body (30, if not given).",
      },
      {
        name: "idle-timeout",
        value: "SECONDS",
        about:
          "How long a connection may be silent, between requests or with an answer that is not " +
          "read (75, if not given).",
      },
    ],
  },
];

function wholeNumber(given: Arguments, option: string, least: number, most: number): number {
  const text = given.one(option)!;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`--${option}: must be a whole number from ${least} to ${most}: ${text}`);
}

const LEAST_TOKEN_LENGTH = 16;

async function tokensOf(given: Arguments): Promise<readonly string[] | undefined> {
  const path = given.one("token-file");
  const text = path === undefined
    ? Deno.env.get("CHAINFRAME_SERVICE_TOKENS")
    : await tokenFrom(path);
  if (text === undefined || text === "") return undefined;
  const tokens = text.split(/[\s,]+/);
  const short = tokens.findIndex(({ length }) => length < LEAST_TOKEN_LENGTH);
  if (short < 0) return tokens;
  throw new UsageError(
    `${path === undefined ? "CHAINFRAME_SERVICE_TOKENS" : "--token-file"}: a token must have ` +
      `${LEAST_TOKEN_LENGTH} characters at least, so that nobody guesses it: token ${
        short + 1
      } of ` +
      `${tokens.length} has ${tokens[short]!.length}`,
  );
}

function wrongTokensOf(given: Arguments): WrongTokens {
  const header = given.one("address-header");
  return {
    ...(given.has("wrong-tokens")
      ? { perAddress: wholeNumber(given, "wrong-tokens", 1, 1e9) }
      : {}),
    ...(given.has("wrong-tokens-total")
      ? { total: wholeNumber(given, "wrong-tokens-total", 1, 1e9) }
      : {}),
    ...(header === undefined ? {} : { addressHeader: header }),
  };
}

/** What the options say of the service. */
export async function serviceOptions(given: Arguments): Promise<ServiceOptions> {
  const tokens = await tokensOf(given);
  const data = given.one("data");
  const cors = given.all("cors");
  return {
    wrongTokens: wrongTokensOf(given),
    ...(tokens === undefined ? {} : { tokens }),
    ...(data === undefined ? {} : { data }),
    ...(cors.length === 0 ? {} : { cors: cors.includes("*") ? "*" as const : cors }),
    ...(given.has("rate-limit")
      ? { rateLimit: { requests: wholeNumber(given, "rate-limit", 1, 1e9) } }
      : {}),
  };
}

/** The options of `listen` that are given in seconds. */
const TIMEOUTS = {
  headerTimeout: "header-timeout",
  bodyTimeout: "body-timeout",
  idleTimeout: "idle-timeout",
} as const;

/** What the options say of the socket. */
export function listenOptions(given: Arguments): ListenOptions {
  const options: ListenOptions = { hostname: given.one("host") ?? "127.0.0.1" };
  if (given.has("port")) options.port = wholeNumber(given, "port", 0, 65_535);
  if (given.has("max-connections")) {
    options.maxConnections = wholeNumber(given, "max-connections", 1, 1e6);
  }
  for (const [name, option] of Object.entries(TIMEOUTS)) {
    if (!given.has(option)) continue;
    options[name as keyof typeof TIMEOUTS] = wholeNumber(given, option, 1, 86_400) * 1000;
  }
  return options;
}
