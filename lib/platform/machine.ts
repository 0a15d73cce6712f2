import process from "node:process";
import { isGranted, isNotPermitted } from "./permission.ts";

/** Returns the value of an environment variable; undefined if it is unset, empty, or not permitted to be read. */
export function environment(name: string): string | undefined {
  try {
    return process.env[name] || undefined;
  } catch (error) {
    if (isNotPermitted(error)) return undefined;
    throw error;
  }
}

/** Returns whether a URL has a loopback address. Returns false for names such as x.localhost, which need a resolver. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** Variables that set a proxy for plain http. Deno also uses this proxy for requests to loopback addresses. */
const PROXIES = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** Returns the value of an environment variable, or undefined if reading the variable would need a prompt. */
export function readable(variable: string): string | undefined {
  return isGranted({ name: "env", variable }) ? process.env[variable] : undefined;
}

/**
 * Returns the name of the environment variable with the proxy for plain http requests to a host. Returns null if there
 * is no proxy for this host, or if reading the variables is not permitted. Deno also reads networks and `*` in NO_PROXY:
 * a host that only they cover is refused, with the remedy.
 */
function proxyVariable(hostname: string): string | null {
  const variable = PROXIES.find((name) => (readable(name) ?? "") !== "");
  if (variable === undefined) return null;
  const host = hostname.replace(/^\[|\]$/g, "");
  const exceptions = (readable("NO_PROXY") ?? readable("no_proxy") ?? "").split(",");
  return exceptions.some((entry) => entry.trim() === host) ? null : variable;
}

/**
 * Checks the address of a server to which a secret is sent, such as a token: https, or http on a loopback address. No
 * message contains a part of the address that can be secret.
 */
export function serverUrl(
  value: unknown,
  secret: string,
  refuse: (rule: string) => never,
): URL {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return refuse(
      `must be a URL such as https://api.example.org (not shown here: it may have a ${secret})`,
    );
  }
  const { username, password, search, hash, protocol, host, origin } = url;
  if (username + password + search + hash !== "") {
    refuse(`must not contain a user name, a password, ? or #; got ${host}`);
  }
  if (protocol !== "https:" && !isLoopback(url)) {
    refuse(
      `must be https, or http on a loopback address, because the ${secret} is sent to it; got ${origin}`,
    );
  }
  return url;
}

/** Refuses a URL of plain http whose requests would go to a proxy, which could read a secret and respond itself. */
export function refuseProxy(
  { protocol, hostname, origin }: URL,
  secret: string,
  refuse: (rule: string) => never,
): void {
  const variable = protocol === "http:" ? proxyVariable(hostname) : null;
  if (variable === null) return;
  const host = hostname.replace(/^\[|\]$/g, "");
  refuse(
    `${variable} is set, so the ${secret} would go to that proxy: set NO_PROXY=${host}: ${origin}`,
  );
}

function hash() {
  // WebCrypto would copy the bytes first. `node:crypto` is loaded on first use, because loading it is slow.
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}

/** Returns the SHA-256 digest of bytes, or of text as UTF-8, in hex. */
export function sha256(content: Uint8Array | string): string {
  return hash().update(content).digest("hex");
}

/** Returns the SHA-256 digest of a file, in hex. It is read in pieces, because a buffer holds at most 2 GiB. */
export function fileSha256(path: string): string {
  const { openSync, readSync, closeSync } = process.getBuiltinModule("node:fs");
  const [file, all, piece] = [openSync(path, "r"), hash(), new Uint8Array(2 ** 24)];
  try {
    for (let size; (size = readSync(file, piece)) > 0;) all.update(piece.subarray(0, size));
    return all.digest("hex");
  } finally {
    closeSync(file);
  }
}
