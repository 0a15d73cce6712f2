import { readdirSync, readFileSync, statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { hasCode, readFile, targetOfTemporary } from "../platform/file.ts";
import { membersIn } from "./cache_entry.ts";
import { CacheError, ConfigurationError } from "./errors.ts";

// Each request has a header file, and a body file with the body as received. In an archive, a request has several
// header files and several body files.
const BODY = /^([A-Za-z_]+-[0-9a-f]{32})\.[0-9a-f]{16}\.body\.json$/;
const HEADER = /^([A-Za-z_]+-[0-9a-f]{32})\.(?!.*body\.json$)(.*\.)?json$/;
const ARCHIVED = /^([A-Za-z_]+-[0-9a-f]{32})\.(\d{8}T\d{6}\.\d{3}Z)\.([0-9a-f]{16})\.json$/;

/** Returns the first 16 hex digits of a SHA-256. File names contain these digits. */
export function shortDigest(sha256: string): string {
  return sha256.slice(0, 16);
}

/**
 * Returns the name of a body file. The name contains the digest of the content, so that a header never refers to the
 * body of a concurrent writer.
 */
export function bodyName(stem: string, sha256: string): string {
  return `${stem}.${shortDigest(sha256)}.body.json`;
}

/**
 * Returns the file name of an archived header. Names of the same request, in alphabetical order, are in order of time.
 * An archived header is never overwritten.
 */
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
 * Returns the archived headers of a folder, grouped by request (the start of the file name). The headers of a request
 * are sorted by time. The time and the digest of a header are read from its file name.
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

/** Returns the text of a file, or an empty text if the file is missing. */
export async function fileText(path: string): Promise<string> {
  const bytes = await readFile(path);
  return bytes === null ? "" : new TextDecoder().decode(bytes);
}

/**
 * Returns leftover files: partial files, and bodies without a header. Such files are left by writers that were killed,
 * or that ran at the same time.
 */
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
    // In the usual case of one header and one body, the header need not be read.
    if (beside.length === 1 && bodies.length === 1) return [];
    const texts = await Promise.all(beside.map((name) => fileText(`${dir}/${name}`)));
    const named = texts.map((text) => membersIn(text)?.answer);
    return bodies.filter((name) => !named.includes(name));
  }));
  return [...halves, ...unnamed.flat()];
}

const HOUR = 3_600_000;

/**
 * Removes leftover files that are more than an hour old. Files whose names do not belong to the cache are never
 * removed.
 */
export async function removeLeftovers(dir: string, now: number): Promise<void> {
  for (const name of await leftoversIn(dir)) {
    const path = `${dir}/${name}`;
    const written = (await stat(path).catch(() => null))?.mtime.getTime() ?? now;
    if (now - written > HOUR) await rm(path).catch(() => {});
  }
}

/** Returns the text of a regular file; an empty text for a pipe, which could block forever, or a broken link. */
function textIfFile(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

/** The beginning of the names of the files that `openFrame` fetched. They do not belong to a service. */
const OF_FILES = "openFrame-";

/** Returns the addresses of the services whose responses a folder contains. */
export function addressesIn(dir: string): Set<string> {
  const addresses = new Set<string>();
  const headers = readdirSync(dir).filter((name) =>
    name.endsWith(".json") && !name.endsWith(".body.json") && !name.startsWith(OF_FILES)
  );
  // In an archive, a request has many headers. Reading the newest header of each request is enough.
  const newest = headers.filter((name) => /^[^.]+\.json$/.test(name));
  for (const name of newest.length > 0 ? newest : headers) {
    const address = membersIn(textIfFile(`${dir}/${name}`))?.base_url;
    if (typeof address === "string") addresses.add(address);
  }
  return addresses;
}

/**
 * Returns the address of the service whose responses a folder contains. A cache in a repository can therefore be used
 * offline without configuration. Returns null if the folder contains only files that `openFrame` fetched.
 *
 * @throws {CacheError} when the folder holds no response, or cannot be read.
 * @throws {ConfigurationError} when the folder holds responses of several services.
 */
export function cachedService(dir: string): string | null {
  let addresses: Set<string>;
  let hasFiles = false;
  try {
    addresses = addressesIn(dir);
    hasFiles = readdirSync(dir).some((name) => name.startsWith(OF_FILES));
  } catch (cause) {
    throw new CacheError(`cache.dir: offline requires a readable folder; got ${dir}`, { cause });
  }
  const [address, ...others] = [...addresses].sort();
  if (address === undefined && hasFiles) return null;
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
