import type { Operation } from "../schema/operation.ts";
import type { Line } from "./line.ts";
import type { Waiting } from "./pace.ts";

/** Tells `onProgress` how far one call has come. */
export interface ProgressTeller {
  readonly waiting: Waiting;
  /** One more answer has arrived. */
  readonly arrived: () => void;
}

const WORTH_TELLING = 1_000;

/** Makes the teller of a call of so many requests. A call of one request tells only of long waits. */
export function createProgress(operation: Operation, total: number, line: Line): ProgressTeller {
  const { onProgress, clock } = line.settings;
  let done = 0;
  let waitingUntil = -Infinity;

  const tell = (waiting_ms: number) => {
    try {
      onProgress?.({ operation, done, total, waiting_ms });
    } catch (error) {
      // Whoever draws the progress must not lose the answers.
      const reason = error instanceof Error ? error.message : String(error);
      line.warn(`chainframe: onProgress failed: ${line.settings.redact(reason)}`);
    }
  };

  if (total > 1) tell(0);
  return {
    waiting: (ms) => {
      const now = clock.elapsed();
      if (ms > WORTH_TELLING && now + ms > waitingUntil + WORTH_TELLING) {
        waitingUntil = now + ms;
        tell(ms);
      } else if (ms === 0 && waitingUntil !== -Infinity && now >= waitingUntil) {
        waitingUntil = -Infinity;
        tell(0);
      }
    },
    arrived: () => {
      done++;
      if (total > 1) tell(Math.max(0, waitingUntil - clock.elapsed()));
    },
  };
}
