import { readdirSync, readFileSync, statSync } from "node:fs";
import { membersIn } from "./cache_entry.ts";
import { CacheError, ConfigurationError } from "./errors.ts";

/** Returns the text of a regular file; an empty text for a pipe, which could block forever, or a broken link. */
function textIfFile(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

/** Returns the addresses of the services whose responses a folder contains. */
export function addressesIn(dir: string): Set<string> {
  // Files that `openFrame` fetched do not belong to a service.
  const logs = readdirSync(dir).filter((name) => /^(?!openFrame-).*\.jsonl$/.test(name));
  const members = logs.flatMap((name) => membersIn(textIfFile(`${dir}/${name}`)));
  return new Set(members.map(({ base_url }) => String(base_url)));
}

/**
 * Returns the address of the service whose responses a folder contains. A cache in a repository can therefore be used
 * offline without configuration. Returns null if the folder has no response of a service.
 *
 * @throws {CacheError} when the folder cannot be read.
 * @throws {ConfigurationError} when the folder holds responses of several services.
 */
export function cachedService(dir: string): string | null {
  let addresses: string[];
  try {
    addresses = [...addressesIn(dir)].sort();
  } catch (cause) {
    throw new CacheError(`cache.dir: offline requires a readable folder; got ${dir}`, { cause });
  }
  if (addresses.length > 1) {
    throw new ConfigurationError(
      "baseUrl: is required, because the cache has responses of several services: " +
        addresses.join(", "),
    );
  }
  return addresses[0] ?? null;
}
