import { headerIn } from "./cache_entry.ts";
import { CacheError } from "./errors/cache_error.ts";
import { ConfigurationError } from "./errors/configuration_error.ts";

function addressesIn(dir: string): Set<string> {
  const addresses = new Set<string>();
  for (const { name } of Deno.readDirSync(dir)) {
    if (!name.endsWith(".json") || name.endsWith(".body.json")) continue;
    const address = headerIn(Deno.readTextFileSync(`${dir}/${name}`))?.base_url;
    if (typeof address === "string") addresses.add(address);
  }
  return addresses;
}

/**
 * The address of the service whose answers a folder keeps: what makes a committed cache work years later,
 * on a machine where no address and no token are set.
 *
 * @throws {CacheError} when the folder keeps no answer, or cannot be read.
 * @throws {ConfigurationError} when it keeps answers of several services.
 */
export function cachedService(dir: string): string {
  let addresses: Set<string>;
  try {
    addresses = addressesIn(dir);
  } catch (cause) {
    throw new CacheError(`cache.dir: offline, and the folder cannot be read: ${dir}`, { cause });
  }
  const [address, ...others] = [...addresses].sort();
  if (address === undefined) {
    throw new CacheError(`cache.dir: offline, and the folder keeps no answer: ${dir}`);
  }
  if (others.length > 0) {
    throw new ConfigurationError(
      `baseUrl: must be given, since the cache keeps answers of several services: ${
        [address, ...others].join(", ")
      }`,
    );
  }
  return address;
}
