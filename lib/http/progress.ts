import type { Operation } from "../schema/operation.ts";
import type { Line } from "./line.ts";
import type { Waiting } from "./pace.ts";
import { progressDisplay } from "./progress_display.ts";

/** Tells how far one call has come: `onProgress` where it is given, else whoever looks on. */
export interface ProgressTeller {
  readonly waiting: Waiting;
  /** One more answer has arrived. */
  readonly arrived: () => void;
  /** The call is over; resolves when that has been shown. */
  readonly end: () => Promise<void>;
}

const WORTH_TELLING = 1_000;

/** Makes the teller of a call of so many requests. A call of one request tells only of long waits. */
export function createProgress(operation: Operation, total: number, line: Line): ProgressTeller {
  const { clock } = line.settings;
  const display = line.settings.onProgress === null ? progressDisplay(clock.elapsed) : null;
  const onProgress = line.settings.onProgress ?? display?.update;
  let done = 0;
  let told = false;
  let waitingUntil = -Infinity;

  const tell = (waiting_ms: number) => {
    told = true;
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
      // Whoever was told that one request waits is told that it came.
      if (total > 1 || told) tell(Math.max(0, waitingUntil - clock.elapsed()));
    },
    end: async () => await display?.end(),
  };
}
