import type { Progress } from "./options.ts";
import { jupyterOf, stderr } from "../platform/terminal.ts";
import type { Operation } from "../schema/vocabulary.ts";
import type { Settings } from "./options.ts";
import type { Waiting } from "./pace.ts";

const BAR = 24;
/** Minimum duration of a call that shows its progress, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Replaces the last line by this line. The final line stays. */
type ShowLine = (line: string, final: boolean) => Promise<void> | void;

function inTerminal(): ShowLine | null {
  if (!stderr.isTerminal()) return null;
  const encoder = new TextEncoder();
  return (line, final) => {
    stderr.writeSync(encoder.encode(`\r\x1b[K${line}${final ? "\n" : ""}`));
  };
}

function inNotebook(): ShowLine | null {
  const jupyter = jupyterOf();
  if (jupyter === null) return null;
  const transient = { display_id: crypto.randomUUID() };
  let type = "display_data";
  return async (line) => {
    const content = { data: { "text/plain": line }, metadata: {}, transient };
    const sending = jupyter.broadcast(type, content);
    type = "update_display_data";
    await sending;
  };
}

/** Returns a rounded duration: `40 s`, `6 min`. */
export function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

function lineOf({ operation, done, total, waiting_ms }: Progress, passed: number): string {
  const filled = Math.round(BAR * done / total);
  const bar = "█".repeat(filled) + "░".repeat(BAR - filled);
  const waiting = waiting_ms > 0 ? ` · waiting ${timeText(waiting_ms)}` : "";
  const left = done === 0 || done === total || passed < PATIENCE_MS
    ? ""
    : ` · about ${timeText(passed * (total - done) / done)} left`;
  return `${operation} ${bar} ${done} of ${total}${waiting}${left}`;
}

/** The progress line of one call. */
interface ProgressLine {
  /** Updates the progress of the call. */
  readonly update: (progress: Progress) => void;
  /** Ends with a final line, and resolves when it is shown. */
  readonly end: () => Promise<void>;
}

/**
 * Makes the progress line of one call: in a notebook one output that updates in place, in a terminal a bar on stderr,
 * elsewhere nothing. The line appears when the call takes more than a second, or has to wait for more than a second.
 */
export function progressLine(
  now: () => number = Date.now,
  showLine: ShowLine | null = inNotebook() ?? inTerminal(),
): ProgressLine {
  const start = now();
  let last: Progress | null = null;
  let shown = false;
  // Updates run one after the other, because a notebook would show concurrent updates in any order.
  let showing = Promise.resolve();
  const show = (line: string, final: boolean) => {
    showing = showing.then(() => showLine?.(line, final));
  };
  return {
    update: (progress) => {
      last = progress;
      const passed = now() - start;
      if (!shown && passed < PATIENCE_MS && progress.waiting_ms < PATIENCE_MS) return;
      shown = true;
      show(lineOf(progress, passed), false);
    },
    end: () => {
      if (shown && last !== null) {
        const { operation, done, total } = last;
        const seconds = ((now() - start) / 1000).toFixed(1);
        show(`${operation}: ${done} of ${total} requests in ${seconds} s`, true);
      }
      return showing;
    },
  };
}

/** Reports the progress of one call, to `onProgress` if given, else as a line. */
interface ProgressReport {
  readonly waiting: Waiting;
  /** Counts one more response. */
  readonly arrived: () => void;
  /** Ends the report; resolves when it is displayed. */
  readonly end: () => Promise<void>;
}

/** Minimum wait that is reported, in milliseconds. */
const LONG_WAIT_MS = 1_000;

/** Makes the report of a call of `total` requests. A call of one request reports only long waits. */
export function createProgress(
  operation: Operation,
  total: number,
  settings: Settings,
): ProgressReport {
  const { clock } = settings;
  const line = settings.onProgress === null ? progressLine(clock.elapsed) : null;
  const onProgress = settings.onProgress ?? line?.update;
  let done = 0;
  let reported = false;
  let waitingUntil = -Infinity;

  const report = (waiting_ms: number) => {
    reported = true;
    try {
      onProgress?.({ operation, done, total, waiting_ms });
    } catch (error) {
      // An error in the callback must not lose the responses.
      const reason = error instanceof Error ? error.message : String(error);
      settings.warn(`chainframe: onProgress failed: ${settings.redact(reason)}`);
    }
  };

  if (total > 1) report(0);
  return {
    waiting: (ms) => {
      const now = clock.elapsed();
      if (ms > LONG_WAIT_MS && now + ms > waitingUntil + LONG_WAIT_MS) {
        waitingUntil = now + ms;
        report(ms);
      } else if (ms === 0 && waitingUntil !== -Infinity && now >= waitingUntil) {
        waitingUntil = -Infinity;
        report(0);
      }
    },
    arrived: () => {
      done++;
      if (total > 1 || reported) report(Math.max(0, waitingUntil - clock.elapsed()));
    },
    end: async () => await line?.end(),
  };
}
