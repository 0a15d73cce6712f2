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
