import { type Clock, systemClock } from "../../lib/http/clock.ts";

/** A clock for real sockets on which time runs a hundred times as fast, and chance is always 0.5. */
export function hurriedClock(): Clock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now() * 100,
    sleep: (ms, signal) => systemClock.sleep(ms / 100, signal),
    random: () => 0.5,
  };
}
