import type { Clock } from "./clock.ts";

/** A signal that fires with other signals, or when its time is up. */
export interface Timer {
  readonly signal: AbortSignal;
  /** Whether it fired because its time was up. */
  readonly expired: () => boolean;
  /** Starts the time; only the first call does. */
  readonly start: (ms: number) => void;
  /** Lets go of everything: the time, and the other signals. */
  readonly end: () => void;
}

// AbortSignal.any and AbortSignal.timeout would do, but for three things: no injected clock, timers that
// outlive the request, and a listener for each request on a signal that lives as long as the notebook.
/** Makes a timer that fires with any of the signals. Whoever makes it calls `end` in a `finally`. */
export function createTimer(clock: Clock, signals: readonly (AbortSignal | null)[]): Timer {
  const controller = new AbortController();
  const over = new AbortController();
  let started = false;
  let expired = false;
  for (const signal of signals) {
    if (signal === null) continue;
    if (signal.aborted) controller.abort(signal.reason);
    const options = { once: true, signal: over.signal };
    signal.addEventListener("abort", () => controller.abort(signal.reason), options);
  }
  return {
    signal: controller.signal,
    expired: () => expired,
    start: (ms) => {
      if (started || ms === Infinity) return;
      started = true;
      clock.sleep(ms, over.signal).then(() => {
        if (controller.signal.aborted) return;
        expired = true;
        controller.abort();
      }, () => {});
    },
    end: () => over.abort(),
  };
}
