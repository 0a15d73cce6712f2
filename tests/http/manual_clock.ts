import { setImmediate } from "node:timers";
import type { Clock } from "../../lib/http/clock.ts";

/** A clock whose time passes only while `finish` waits for work, and then as fast as it can. */
export interface ManualClock extends Clock {
  /** Waits for work; whenever all of it sleeps, time leaps to the end of the shortest sleep. */
  readonly finish: <T>(work: Promise<T>) => Promise<T>;
  /** Number of running sleeps. */
  readonly sleeping: () => number;
}

const START = Date.parse("2026-01-01T00:00:00Z");

/** Creates a clock that starts at the year 2026, or at a given time. */
export function manualClock(random: () => number = () => 0.5, start = START): ManualClock {
  let time = 0;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        sleepers.delete(sleeper);
        reject(signal.reason);
      };
      const wake = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const sleeper = { at: time + ms, wake };
      sleepers.add(sleeper);
      signal.addEventListener("abort", leave, { once: true });
    });

  const leap = () => {
    const [first] = [...sleepers].sort((a, b) => a.at - b.at);
    if (first === undefined) return;
    sleepers.delete(first);
    time = Math.max(time, first.at);
    first.wake();
  };

  return {
    now: () => start + time,
    elapsed: () => time,
    sleep,
    random,
    sleeping: () => sleepers.size,
    finish: async (work) => {
      let settled = false;
      const settle = () => settled = true;
      work.then(settle, settle);
      for (let leaps = 0; !settled; leaps++) {
        if (leaps > 1_000_000) throw new Error("a million leaps, and the work is not done");
        await new Promise((done) => setImmediate(done));
        if (!settled) leap();
      }
      return await work;
    },
  };
}
