/** A number of places, taken one by one and given back; who comes first is served first. */
export interface Slots {
  /** Waits for a free place; rejects with the signal's reason when it fires first. */
  readonly take: (signal: AbortSignal) => Promise<void>;
  /** Gives a place back. */
  readonly give: () => void;
}

/** Makes so many places. */
export function createSlots(count: number): Slots {
  let free = count;
  const queue = new Set<() => void>();
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free--;
          return resolve();
        }
        const leave = () => {
          queue.delete(enter);
          reject(signal.reason);
        };
        const enter = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        signal.addEventListener("abort", leave, { once: true });
        queue.add(enter);
      }),
    give: () => {
      const [next] = queue;
      if (next === undefined) return void free++;
      queue.delete(next);
      next();
    },
  };
}
