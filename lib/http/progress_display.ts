import type { Progress } from "./connect_options.ts";
import { jupyterOf } from "./jupyter.ts";

const BAR = 24;
/** A call that is over sooner than this shows nothing. */
const PATIENCE_MS = 1_000;

/** Where a line is shown that replaces the one before it. */
export interface Surface {
  /** Shows the line in place of the last one; the final one stays. */
  show(line: string, final: boolean): Promise<void> | void;
}

/** The progress of one call. */
export interface ProgressDisplay {
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
