import { readFile, stat } from "node:fs/promises";
import process from "node:process";
import { hasCode } from "../../lib/platform/file.ts";
import { isGranted } from "../../lib/platform/permission.ts";
import { ConfigurationError, connect, type Connection, type ConnectOptions } from "../../mod.ts";
import { type Arguments, flag, option, type OptionGroup, UsageError } from "./script.ts";

/** The option for the file with the token. All scripts that send requests have this option. */
export const TOKEN_FILE = option(
  "token-file",
  "FILE",
  "Reads the token from a file that only you can read.",
);

/** The options of every script that sends requests. */
export const CONNECTION_OPTIONS: OptionGroup = {
  title: "Service (CHAINFRAME_BASE_URL and CHAINFRAME_TOKEN; neither: sample data)",
  options: [
    TOKEN_FILE,
    option("cache", "DIR", "Keeps responses in this folder and reuses them."),
    flag("refresh", "Sends all requests again and keeps the responses."),
    flag("offline", "Reads the cache only and sends nothing."),
    option(
      "data-lock",
      "FILE",
      "Compares responses and own data with this file; exit code 3 if one differs.",
    ),
    flag(
      "update-lock",
      "Adds what is new to the file of --data-lock, and replaces what changed.",
    ),
  ],
};

/**
 * Reads a token from a file that only its owner can read.
 *
 * @throws {UsageError} when the file cannot be read, or other users can read it. The message shows the path, but never
 * the token.
 */
export async function readToken(path: string): Promise<string> {
  const refuse = (rule: string): never => {
    throw new UsageError(`--token-file: ${rule}: ${path}`);
  };
  const stats = await stat(path).catch((error) => {
    if (hasCode(error, "ENOENT")) return refuse("no such file");
    throw error;
  });
  if (!stats.isFile()) refuse("must be a file");
  const { mode } = stats;
  // On Windows, the file mode does not show whether other users can read the file.
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    const octal = (mode & 0o777).toString(8).padStart(3, "0");
    refuse(`others can read it (mode ${octal}); run chmod 600 ${path}`);
  }
  const token = (await readFile(path, "utf8")).trim();
  return token === "" ? refuse("is empty") : token;
}

/** Returns options of `connect`: the token that the file of `--token-file` contains, and CHAINFRAME_BASE_URL. */
export async function tokenOf(
  given: Arguments,
): Promise<Pick<ConnectOptions, "token" | "baseUrl">> {
  const file = given.one("token-file");
  if (file === undefined) return {};
  const baseUrl = process.env.CHAINFRAME_BASE_URL;
  return { token: await readToken(file), ...baseUrl ? { baseUrl } : {} };
}

/** Creates a connection from the options and the environment. The connection does not warn of unknown entities. */
export async function connectionOf(given: Arguments, signal: AbortSignal): Promise<Connection> {
  // Without this permission the library would use sample data, although the environment may name a service.
  const variable = "CHAINFRAME_BASE_URL";
  if (!isGranted({ name: "env", variable })) throw new UsageError(`needs --allow-env=${variable}`);
  const [mode, ...others] = (["refresh", "offline"] as const).filter((each) => given.has(each));
  if (others.length > 0) throw new UsageError("--refresh and --offline: give one of them");
  const dir = given.one("cache");
  const cache = { ...mode === undefined ? {} : { mode }, ...dir === undefined ? {} : { dir } };
  const file = given.one("data-lock");
  if (file === undefined && given.has("update-lock")) {
    throw new UsageError("--update-lock: needs --data-lock FILE");
  }
  if (file !== undefined) {
    // The lock file of the environment also has own data, which belongs to no connection.
    process.env.CHAINFRAME_LOCK = file;
    process.env.CHAINFRAME_LOCK_UPDATE = given.has("update-lock") ? "1" : "";
  }
  const options = { ...await tokenOf(given), onMissing: "ignore" as const, signal };
  try {
    return connect(Object.keys(cache).length === 0 ? options : { ...options, cache });
  } catch (cause) {
    const needsFolder = cause instanceof ConfigurationError &&
      cause.message.startsWith("cache.dir: is required");
    if (!needsFolder) throw cause;
    throw new UsageError(`--${mode}: needs a cache: --cache DIR or CHAINFRAME_CACHE`, { cause });
  }
}
