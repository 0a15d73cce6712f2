const FIRST = 500;
const LONGEST = 8_000;

/**
 * How long to wait after a number of failed attempts, in milliseconds: somewhere between nothing and a
 * bound that doubles from 500 ms to 8 s, so that clients which failed together do not come back together.
 */
export function backoff(attempts: number, random: number): number {
  return random * Math.min(LONGEST, FIRST * 2 ** (attempts - 1));
}
