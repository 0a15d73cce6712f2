import { type Failure, failure } from "./failure.ts";

/** How many wrong tokens are looked at in a minute; a right one is let in whatever they are. */
export interface WrongTokens {
  /**
   * From one address.
   * @default 60
   */
  readonly perAddress?: number;
  /**
   * From all of them.
   * @default 600
   */
  readonly total?: number;
  /**
   * The header in which a reverse proxy names the address of the client: its last entry counts, which
   * is the proxy's own word. Where nothing names an address, the total alone is counted.
   * @default the address at the other end of the connection is the client's
   */
  readonly addressHeader?: string;
}

const MINUTE_MS = 60_000;
/** Longer than any address: what a client may write is not kept whole. */
const MAX_ADDRESS_LENGTH = 64;

/** The address of a client, if anything names it. */
export function clientAddress(
  headers: { get(name: string): string | null },
  connection: string | undefined,
  addressHeader: string | undefined,
): string | null {
  if (addressHeader === undefined) return connection ?? null;
  const named = headers.get(addressHeader)?.split(",").at(-1)?.trim() ?? "";
  return named === "" ? null : named.slice(0, MAX_ADDRESS_LENGTH);
}

function check(name: string, count: number): void {
  if (Number.isInteger(count) && count >= 1) return;
  throw new RangeError(
    `Cannot bound wrong tokens: ${name} must be a whole number from 1 on; got ${count}`,
  );
}

/**
 * A counter of wrong tokens in windows of a minute. It is told the address that one came from, and
 * gives back the failure that says so once there were too many; null before that.
 *
 * @throws {RangeError} for a bound that is no whole number above 0, at once.
 */
export function wrongTokenCounter(
  options: WrongTokens,
  now: () => number,
): (address: string | null) => Failure | null {
  const { perAddress = 60, total = 600 } = options;
  check("perAddress", perAddress);
  check("total", total);
  const counts = new Map<string, number>();
  let ends = -Infinity;
  let all = 0;
  return (address) => {
    const time = now();
    if (time >= ends) {
      ends = time + MINUTE_MS;
      all = 0;
      counts.clear();
    }
    const count = address === null ? 0 : counts.get(address) ?? 0;
    if (all < total && count < perAddress) {
      // So there are never more addresses than wrong tokens in all.
      all++;
      if (address !== null) counts.set(address, count + 1);
      return null;
    }
    const wait = String(Math.ceil((ends - time) / 1000));
    return failure(
      429,
      "TOO_MANY_WRONG_TOKENS",
      `There were too many wrong tokens: try again in ${wait} s.`,
      { field: "Authorization", headers: { "Retry-After": wait } },
    );
  };
}
