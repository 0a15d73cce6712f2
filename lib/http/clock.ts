/** Time and chance: the machine's own, or ones that a test drives. */
export interface Clock {
  /** The time of day, in milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment; never runs backwards, whoever sets the machine's clock. */
  elapsed(): number;
  /** Waits; rejects at once with the signal's reason when it fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A number from 0 to below 1. */
  random(): number;
}

// A longer delay overflows: setTimeout would fire at once.
const LONGEST_TIMER = 2_147_483_647;

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const end = performance.now() + ms;
    let timer: ReturnType<typeof setTimeout>;
    const leave = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const wait = () => {
      const left = end - performance.now();
      if (left <= 0) {
        signal.removeEventListener("abort", leave);
        return resolve();
      }
      timer = setTimeout(wait, Math.min(Math.ceil(left), LONGEST_TIMER));
    };
    signal.addEventListener("abort", leave, { once: true });
    wait();
  });
}

/** The time and the chance of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep,
  random: () => Math.random(),
};

/** A signal that fires with other signals, or when its time is up. */
interface Timer {
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

/** What work brings, or the signal's reason as soon as it fires, whether or not the work listens to it. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
