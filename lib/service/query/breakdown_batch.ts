import type { WindowBounds } from "../datasets/window_value.ts";
import type { Database, ServedDatabase } from "../engine/duckdb.ts";
import { type BreakdownItems, type BreakdownQuery, readBreakdowns } from "./read_breakdown.ts";

/** Requests that differ only in their window, and wait for one statement. */
interface Batch {
  readonly query: BreakdownQuery;
  readonly windows: (WindowBounds | null)[];
  /** Settles after the last of these requests has arrived and the statement has run. */
  readonly items: Promise<BreakdownItems[]>;
  /** Ends the statement when all these requests have left. */
  readonly stop: AbortController;
  requests: number;
}

/** The waiting requests of each database. */
const waiting = new WeakMap<Database, Map<string, Batch>>();

/** Waits until a turn of the event loop has brought no further request to the batch. */
async function untilQuiet(windows: readonly unknown[]): Promise<void> {
  for (let before = 0; before < windows.length;) {
    before = windows.length;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/**
 * Computes a metric breakdown. Requests that arrive together and differ only in their window are computed by one
 * statement, because most of the time of a statement is its planning.
 */
export async function readBreakdown(
  database: ServedDatabase,
  query: BreakdownQuery,
  { window, signal }: { readonly window: WindowBounds | null; readonly signal: AbortSignal },
): Promise<BreakdownItems> {
  const batches = waiting.get(database) ?? new Map<string, Batch>();
  waiting.set(database, batches);
  const ids = query.metrics.map(({ metric_id }) => metric_id);
  const key = JSON.stringify([ids, query.group_by, query.filters]);
  let batch = batches.get(key);
  if (batch === undefined) {
    const windows: Batch["windows"] = [];
    const stop = new AbortController();
    const run = async () => {
      await untilQuiet(windows);
      batches.delete(key);
      return await readBreakdowns(database.until(stop.signal), query, windows);
    };
    batches.set(
      key,
      batch = {
        query,
        windows,
        items: Promise.resolve().then(run),
        stop,
        requests: 0,
      },
    );
  }
  const { stop } = batch;
  const joined = batch;
  joined.requests++;
  signal.addEventListener("abort", () => {
    if (--joined.requests === 0) stop.abort(signal.reason);
  }, { once: true });
  const at = batch.windows.push(window) - 1;
  return (await batch.items)[at]!;
}
