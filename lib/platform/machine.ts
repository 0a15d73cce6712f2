import process from "node:process";

/**
 * The value of an environment variable; undefined when it is not set, empty, or not to be read: a
 * script that may not read the environment is one that has not set it.
 */
export function environment(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** Whether an address is of this machine. Names such as x.localhost lead where the resolver says. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** The variables by which plain http goes through a proxy. Deno obeys them for loopback addresses, too. */
const PROXIES = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** The value of a variable where it may be read without asking; undefined where it is not set, or may not. */
function readable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}

function bits(address: string): number | null {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) return null;
  const parts = address.split(".").map(Number);
  return parts.some((part) => part > 255) ? null : parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Whether an entry of NO_PROXY covers a host, as Deno reads it: `*` stands for names, and for no address. */
function covers(entry: string, host: string): boolean {
  const address = bits(host);
  if (address === null) {
    return entry === host || (!host.includes(":") && (entry === `.${host}` || entry === "*"));
  }
  const [network = "", length = "32", ...more] = entry.split("/");
  const start = bits(network);
  if (start === null || more.length > 0 || !/^\d{1,2}$/.test(length) || Number(length) > 32) {
    return false;
  }
  const size = 2 ** (32 - Number(length));
  return Math.floor(address / size) === Math.floor(start / size);
}

/**
 * The variable of the environment by which a plain http request to a host would go through a proxy; null
 * where none does, and where this code may not read it without asking.
 */
export function proxyVariable(hostname: string): string | null {
  const variable = PROXIES.find((name) => (readable(name) ?? "") !== "");
  if (variable === undefined) return null;
  const host = hostname.replace(/^\[|\]$/g, "");
  const exceptions = (readable("NO_PROXY") ?? readable("no_proxy") ?? "").split(",");
  return exceptions.some((entry) => covers(entry.trim(), host)) ? null : variable;
}

/** The SHA-256 digest of bytes, or of a text as UTF-8, in hex. */
export function sha256(content: Uint8Array | string): string {
  // WebCrypto copies the bytes first; opened when first used, as it takes its time.
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
}
