import { notify } from "./terminal.ts";

/** Work that takes longer than this is announced, in milliseconds. */
const LONG = 5_000;
/** The first calls of functions are slow. Pieces of this time are not measured, if they are short, in milliseconds. */
const WARMING = 300;
/** An estimate rests on so many milliseconds of work. */
const MEASURED = 700;

/** What a notice about long work says. */
interface Announced {
  readonly fn: string;
  /** The work in the plural: `45 pairs of 1,250 projects`. */
  readonly what: () => string;
  /** What makes it shorter: `fewer groups`. */
  readonly less: string;
  /** The number of parts of the whole work. */
  readonly total: number;
}

/** Returns a duration in words: `about 40 s`, `about 3 min`. */
function durationOf(ms: number): string {
  const seconds = Number((ms / 1000).toPrecision(ms < 10_000 ? 1 : 2));
  return seconds < 120 ? `about ${Math.round(seconds)} s` : `about ${Math.round(seconds / 60)} min`;
}

/**
 * Starts to measure synchronous work. Call the result after each piece of it, with the number of parts that were done.
 * As soon as the first pieces, of about a second, show that the whole takes more than 5 s, one notice says how long.
 */
export function longWork(
  { fn, what, less, total }: Announced,
  elapsed: () => number = () => performance.now(),
): (parts: number) => void {
  const start = elapsed();
  let from = { time: start, done: 0 };
  let [done, isAnnounced] = [0, false];
  return (parts) => {
    done += parts;
    if (isAnnounced || done >= total) return;
    const now = elapsed();
    const spent = now - from.time;
    if (spent < MEASURED) {
      if (from.done === 0 && spent >= WARMING) from = { time: now, done };
      return;
    }
    const whole = now - start + (total - done) * spent / (done - from.done);
    if (whole <= LONG) return;
    isAnnounced = true;
    notify(`${fn}: ${what()} take ${durationOf(whole)}; ${less} make it shorter`);
  };
}

/** Returns the results of a function for each item. One notice says how long it takes if that is more than 5 s. */
export function mapLong<Item, Result>(
  items: readonly Item[],
  announced: Omit<Announced, "total">,
  resultOf: (item: Item) => Result,
): Result[] {
  const isDone = longWork({ ...announced, total: items.length });
  return items.map((item) => {
    const result = resultOf(item);
    isDone(1);
    return result;
  });
}
