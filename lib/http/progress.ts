import { jupyterOf } from "../platform/jupyter.ts";
import { notify, stderr } from "../platform/terminal.ts";
import type { ConnectionSettings, Progress } from "./settings.ts";

/** Minimum duration of calls and waits that are shown, in milliseconds. */
const PATIENCE_MS = 1_000;

/** After this time without an answer, a call is shown, in milliseconds. */
export const SILENCE_MS = 3_000;

/** Follows the attempts of one request. */
export interface Watch {
  /** Begins an attempt, or the wait for it. */
  readonly begin: (attempt: number) => void;
  /** Ends with the answer, or with the last attempt. */
  readonly end: () => void;
}

/** Function that replaces the current line by a new line. A final line is not replaced later. */
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
function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

function lineOf({ operation, done, total, waiting_ms }: Progress, passed: number): string {
  const waiting = waiting_ms > 0 ? ` · waiting ${timeText(waiting_ms)}` : "";
  const left = done === 0 || done === total || passed < PATIENCE_MS
    ? ""
    : ` · about ${timeText(passed * (total - done) / done)} left`;
  return `${operation}: ${done} of ${total} requests${waiting}${left}`;
}

/**
 * Reports the progress of a call that sends `total` requests. Calls `onProgress` if it is given. Otherwise shows a line
 * when the call takes more than a second, or has to wait for more than a second. In a notebook, the line is an output
 * that updates in place. In a terminal, the line is on stderr. If the call sends only one request, only waits of
 * more than a second are reported. After 3 s without an answer, the attempt is reported, in a pipe by one line per
 * attempt.
 */
export function createProgress(
  operation: Progress["operation"],
  total: number,
  {
    clock,
    onProgress,
    redact,
    warn,
    retries,
    timeout,
    showLine = inNotebook() ?? inTerminal(),
  }:
    & Pick<
      ConnectionSettings,
      "clock" | "onProgress" | "redact" | "warn" | "retries" | "timeout"
    >
    & { readonly showLine?: ShowLine | null },
) {
  const start = clock.elapsed();
  let done = 0;
  let reported = false;
  let shown = false;
  let waitingUntil = -Infinity;
  // Updates run one after the other, because a notebook could show concurrent updates in the wrong order.
  let showing = Promise.resolve();
  const show = (line: string, final: boolean) => {
    showing = showing.then(() => showLine?.(line, final));
  };

  /** The attempt of each request that has no answer yet. */
  const attempting = new Map<symbol, number>();
  const attempts = retries + 1;
  const latest = () => Math.max(1, ...attempting.values());

  const report = (waiting_ms: number) => {
    reported = true;
    const progress = { operation, done, total, waiting_ms, attempt: latest(), attempts };
    if (onProgress === null) {
      const passed = clock.elapsed() - start;
      shown ||= passed >= PATIENCE_MS || waiting_ms >= PATIENCE_MS;
      if (shown) show(lineOf(progress, passed), false);
      return;
    }
    try {
      onProgress(progress);
    } catch (error) {
      // If the callback throws, the responses must not be lost.
      const reason = error instanceof Error ? error.message : String(error);
      warn(`chainframe: onProgress failed: ${redact(reason)}`);
    }
  };

  let toldAttempt = 0;
  const tellSilence = () => {
    const attempt = latest();
    if (onProgress !== null) return report(Math.max(0, waitingUntil - clock.elapsed()));
    const each = timeout === Infinity ? "" : `, up to ${timeText(timeout)} each`;
    const line = `${operation}: no answer yet, attempt ${attempt} of ${attempts}${each}`;
    if (showLine !== null) {
      shown = reported = true;
      show(line, false);
    } else if (attempt > toldAttempt) {
      toldAttempt = attempt;
      notify(line);
    }
  };

  if (total > 1) report(0);
  return {
    /** Follows a request, on the clock of the connection. */
    watch: (): Watch => {
      const request = Symbol();
      let timer = new AbortController();
      return {
        begin: (attempt) => {
          attempting.set(request, attempt);
          timer.abort();
          timer = new AbortController();
          clock.sleep(SILENCE_MS, timer.signal).then(tellSilence, () => {});
        },
        end: () => {
          timer.abort();
          attempting.delete(request);
        },
      };
    },
    waiting: (ms: number) => {
      const now = clock.elapsed();
      if (ms > PATIENCE_MS && now + ms > waitingUntil + PATIENCE_MS) {
        waitingUntil = now + ms;
        report(ms);
      } else if (ms === 0 && waitingUntil !== -Infinity && now >= waitingUntil) {
        waitingUntil = -Infinity;
        report(0);
      }
    },
    /** Counts one more response. */
    arrived: () => {
      done++;
      if (total > 1 || reported) report(Math.max(0, waitingUntil - clock.elapsed()));
    },
    /** Shows the final line. Resolves when all updates are displayed. */
    end: async () => {
      const seconds = ((clock.elapsed() - start) / 1_000).toFixed(1);
      if (shown) show(`${operation}: ${done} of ${total} requests in ${seconds} s`, true);
      await showing;
    },
  };
}
