import { checkOptions } from "./check_options.ts";
import type { Clock } from "./clock.ts";
import type { ConnectOptions } from "./connect_options.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { notify } from "./notify.ts";
import { targetOf } from "./target_of.ts";

const REQUESTS_PER_MINUTE = 60;

/** Makes a connection that takes time and chance from a clock. */
export function openConnection(options: ConnectOptions, clock: Clock): Connection {
  const { requestsPerMinute, cache, ...checked } = checkOptions(options);
  const target = targetOf(options, cache);
  const isSample = target.target === "sample";
  if (isSample && cache !== null) {
    notify(
      `chainframe: the cache in ${cache.dir} is not used, since sample data is never kept. ` +
        'For the answers in it, connect with cache mode "offline".',
    );
  }
  return connectionOf({
    ...checked,
    ...target,
    // The embedded service is this process: there is nobody to be gentle with.
    requestsPerMinute: requestsPerMinute ?? (isSample ? Infinity : REQUESTS_PER_MINUTE),
    // A cached answer would no longer say that it is sample data.
    cache: isSample ? null : cache,
    signal: options.signal ?? null,
    onProgress: options.onProgress ?? null,
    clock,
  });
}
