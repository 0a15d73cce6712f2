/** Returns after the event loop has handled other work, such as requests that arrived. */
export function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Ends a turn. */
type Release = () => void;

/**
 * Creates a queue in which one caller has the turn at a time. The function that it returns waits for the turn. When the
 * signal fires, the caller leaves the queue, and the promise rejects with the signal's reason.
 */
export function createTurns(): (signal: AbortSignal) => Promise<Release> {
  const waiting = new Set<Release>();
  let isTaken = false;
  const release = () => {
    const [next] = waiting;
    if (next === undefined) isTaken = false;
    else next();
  };
  const once = (): Release => {
    let isOver = false;
    return () => {
      if (!isOver) release();
      isOver = true;
    };
  };
  return (signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (!isTaken) {
        isTaken = true;
        return resolve(once());
      }
      const leave = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      const start = () => {
        waiting.delete(start);
        signal.removeEventListener("abort", leave);
        resolve(once());
      };
      waiting.add(start);
      signal.addEventListener("abort", leave, { once: true });
    });
}
