import { readdirSync, readFileSync, statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { hasCode, readFile, targetOfTemporary } from "../platform/file.ts";
import { membersIn } from "./cache_entry.ts";
import { CacheError, ConfigurationError } from "./errors.ts";

// Each request has two files: a header, and the body as received. In an archive, a request has several of each.
const BODY = /^([a-z_]+-[0-9a-f]{32})\.[0-9a-f]{16}\.body\.json$/;
const HEADER = /^([a-z_]+-[0-9a-f]{32})\.(?!.*body\.json$)(.*\.)?json$/;
const ARCHIVED = /^([a-z_]+-[0-9a-f]{32})\.(\d{8}T\d{6}\.\d{3}Z)\.([0-9a-f]{16})\.json$/;

/** Returns the first 16 digits of a SHA-256, as used in file names. */
export function shortDigest(sha256: string): string {
  return sha256.slice(0, 16);
}

/**
 * Returns the name of a body file. The name contains the digest of the content, so that concurrent writers never pair
 * a header with another writer's body.
 */
export function bodyName(stem: string, sha256: string): string {
  return `${stem}.${shortDigest(sha256)}.body.json`;
}

/** Returns the name of an archived header. These names sort by time, and their files are never overwritten. */
export function archivedName(
  stem: string,
  { retrieved_at, sha256 }: { readonly retrieved_at: Date; readonly sha256: string },
) {
  const time = retrieved_at.toISOString().replaceAll(/[-:]/g, "");
  return `${stem}.${time}.${shortDigest(sha256)}.json`;
}

function timeIn(text: string): Date {
  return new Date(
    text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(.*)$/, "$1-$2-$3T$4:$5:$6"),
  );
}

/**
 * Returns the archived headers of a folder, oldest first, grouped by the start of their names, which identifies the
 * request. Time and digest are those in the file name.
 */
export async function archivedIn(dir: string) {
  const names = await readdir(dir).catch((error) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const found = names.sort().flatMap((name) => {
    const [, stem, time, digest] = ARCHIVED.exec(name) ?? [];
    return stem === undefined ? [] : [{ stem, name, retrieved_at: timeIn(time!), digest: digest! }];
  });
  return Map.groupBy(found, ({ stem }) => stem);
}

/** Returns the text of a file; empty if it is missing. */
export async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

/** Returns the files that killed or concurrent writers left: partial files, and bodies without a header. */
async function leftoversIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const halves = names.filter((name) => {
    const target = targetOfTemporary(name);
    return target !== null && (BODY.test(target) || HEADER.test(target));
  });
  const by = (pattern: RegExp) =>
    Map.groupBy(names.filter((name) => pattern.test(name)), (name) => pattern.exec(name)![1]!);
  const headers = by(HEADER);
  const unnamed = await Promise.all([...by(BODY)].map(async ([stem, bodies]) => {
    const beside = headers.get(stem) ?? [];
    // A request with one header and one body, the usual case, needs no reading.
    if (beside.length === 1 && bodies.length === 1) return [];
    const texts = await Promise.all(beside.map((name) => textOf(`${dir}/${name}`)));
    const named = texts.map((text) => membersIn(text)?.answer);
    return bodies.filter((name) => !named.includes(name));
  }));
  return [...halves, ...unnamed.flat()];
}

const HOUR = 3_600_000;

/** Removes files that killed writers left more than an hour ago. Never removes files with other names. */
export async function removeLeftovers(dir: string, now: number): Promise<void> {
  for (const name of await leftoversIn(dir)) {
    const path = `${dir}/${name}`;
    const written = (await stat(path).catch(() => null))?.mtime.getTime() ?? now;
    if (now - written > HOUR) await rm(path).catch(() => {});
  }
}

function addressesIn(dir: string): Set<string> {
  const addresses = new Set<string>();
  const headers = readdirSync(dir).filter((name) =>
    name.endsWith(".json") && !name.endsWith(".body.json")
  );
  // In an archive, a request has many headers. Reading its newest header is enough.
  const newest = headers.filter((name) => /^[^.]+\.json$/.test(name));
  for (const name of newest.length > 0 ? newest : headers) {
    // Reading a pipe could block forever.
    if (!statSync(`${dir}/${name}`).isFile()) continue;
    const address = membersIn(readFileSync(`${dir}/${name}`, "utf8"))?.base_url;
    if (typeof address === "string") addresses.add(address);
  }
  return addresses;
}

/**
 * Returns the address of the service whose responses a folder holds, so that a committed cache works years later
 * without an address or a token.
 *
 * @throws {CacheError} when the folder holds no response, or cannot be read.
 * @throws {ConfigurationError} when it holds responses of several services.
 */
export function cachedService(dir: string): string {
  let addresses: Set<string>;
  try {
    addresses = addressesIn(dir);
  } catch (cause) {
    throw new CacheError(`cache.dir: offline requires a readable folder; got ${dir}`, { cause });
  }
  const [address, ...others] = [...addresses].sort();
  if (address === undefined) {
    throw new CacheError(`cache.dir: offline requires a folder with responses; got ${dir}`);
  }
  if (others.length > 0) {
    throw new ConfigurationError(
      `baseUrl: is required, because the cache has responses of several services: ${
        [address, ...others].join(", ")
      }`,
    );
  }
  return address;
}
