import type { Progress } from "./connect_options.ts";
import { jupyterOf } from "../platform/terminal.ts";
import type { Operation } from "../schema/vocabulary.ts";
import type { Settings } from "./settings.ts";
import type { Waiting } from "./pace.ts";

const BAR = 24;
/** A call that is over sooner than this shows nothing. */
const PATIENCE_MS = 1_000;

/** Where a line is shown that replaces the one before it. */
interface Surface {
  /** Shows the line in place of the last one; the final one stays. */
  show(line: string, final: boolean): Promise<void> | void;
}

/** The progress of one call. */
interface ProgressDisplay {
  /** Takes note of how far the call has come. */
  readonly update: (progress: Progress) => void;
  /** Ends the display as one line, and resolves when all of it is shown. */
  readonly end: () => Promise<void>;
}

function terminal(): Surface | null {
  if (!Deno.stderr.isTerminal()) return null;
  const encoder = new TextEncoder();
  return {
    show: (line, final) => {
      Deno.stderr.writeSync(encoder.encode(`\r\x1b[K${line}${final ? "\n" : ""}`));
    },
  };
}

function notebook(): Surface | null {
  const jupyter = jupyterOf();
  if (jupyter === null) return null;
  const transient = { display_id: crypto.randomUUID() };
  let type = "display_data";
  return {
    show: async (line) => {
      const content = { data: { "text/plain": line }, metadata: {}, transient };
      const sending = jupyter.broadcast(type, content);
      type = "update_display_data";
      await sending;
    },
  };
}

function lineOf({ operation, done, total, waiting_ms }: Progress): string {
  const filled = Math.round(BAR * done / total);
  const bar = "█".repeat(filled) + "░".repeat(BAR - filled);
  const waiting = waiting_ms > 0 ? ` · waiting ${Math.ceil(waiting_ms / 1000)} s` : "";
  return `${operation} ${bar} ${done} of ${total}${waiting}`;
}

/**
 * The display of one call's progress: in a notebook one output that updates in place, in a terminal a
 * bar on stderr, elsewhere nothing. It appears when the call has taken a second, or has to wait for as
 * long, and ends as one line.
 */
export function progressDisplay(
  now: () => number = Date.now,
  surface: Surface | null = notebook() ?? terminal(),
): ProgressDisplay {
  const start = now();
  let last: Progress | null = null;
  let shown = false;
  // One after the other: a notebook would else show them in any order.
  let showing = Promise.resolve();
  const show = (line: string, final: boolean) => {
    showing = showing.then(() => surface?.show(line, final));
  };
  return {
    update: (progress) => {
      last = progress;
      if (!shown && now() - start < PATIENCE_MS && progress.waiting_ms < PATIENCE_MS) return;
      shown = true;
      show(lineOf(progress), false);
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

/** Tells how far one call has come: `onProgress` where it is given, else whoever looks on. */
interface ProgressTeller {
  readonly waiting: Waiting;
  /** One more answer has arrived. */
  readonly arrived: () => void;
  /** The call is over; resolves when that has been shown. */
  readonly end: () => Promise<void>;
}

const WORTH_TELLING = 1_000;

/** Makes the teller of a call of so many requests. A call of one request tells only of long waits. */
export function createProgress(
  operation: Operation,
  total: number,
  settings: Settings,
): ProgressTeller {
  const { clock } = settings;
  const display = settings.onProgress === null ? progressDisplay(clock.elapsed) : null;
  const onProgress = settings.onProgress ?? display?.update;
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
      settings.warn(`chainframe: onProgress failed: ${settings.redact(reason)}`);
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
