import type { DayRows, Piece } from "./activity_rows.ts";
import { type ShardDays, sortDays } from "./manifest.ts";

/** A day to load: its rows for each shard, in the order of the list. */
export interface PlannedDay {
  readonly day: string;
  readonly on: readonly DayRows[];
}

/** The days that a load changes, and the numbers of new, replaced and unchanged days. */
interface LoadPlan {
  /** Days to load, in order. */
  readonly days: readonly PlannedDay[];
  /** Number of days that the shards do not have. */
  readonly added: number;
  /** Number of days to load again, because their rows differ or an earlier load was interrupted. */
  readonly restated: number;
  /** Number of unchanged days. */
  readonly unchanged: number;
  /** Days that are on the shards but not in these facts. */
  readonly others: readonly string[];
}

// Maximum number of days in a batch, of rows in a batch, and of rows in a piece. A day is a partition. A piece is text.
const [MOST_DAYS, MOST_ROWS, PIECE_ROWS] = [100, 1_000_000, 50_000];

function withAllShards(rows: readonly DayRows[], shards: number): PlannedDay[] {
  const days = new Map<string, DayRows[]>();
  for (const each of rows) {
    const none = { day: each.day, rows: 0, digest: "0", first: -1 };
    const on = days.get(each.day) ??
      Array.from({ length: shards }, (_, shard): DayRows => ({ ...none, shard }));
    on[each.shard] = each;
    days.set(each.day, on);
  }
  return [...days].map(([day, on]) => ({ day, on }));
}

/** Compares the rows of the facts with the manifest, and returns the days to load. */
export function planLoad(
  rows: readonly DayRows[],
  manifest: readonly ShardDays[],
  since: string,
): LoadPlan {
  const { whole, broken } = sortDays(manifest);
  const [isWhole, isThere] = [new Set(whole), new Set([...whole, ...broken])];
  const all = withAllShards(rows, manifest.length);
  const days = all.filter(({ day, on }) =>
    !isWhole.has(day) || on.some(({ rows, digest }, shard) => {
      const known = manifest[shard]!.get(day)!;
      return known.rows !== rows || known.digest !== digest;
    })
  );
  const restated = days.filter(({ day }) => isThere.has(day)).length;
  const given = new Set(all.map(({ day }) => day));
  return {
    days,
    restated,
    added: days.length - restated,
    unchanged: all.length - days.length,
    others: [...isThere].filter((day) => day >= since && !given.has(day)).sort(),
  };
}

function rowsOf({ on }: PlannedDay): number {
  return on.reduce((sum, { rows }) => sum + rows, 0);
}

/** Splits the days into batches. The rows of a batch are first sent to a staging table, and then replace old rows. */
export function batchesOf(days: readonly PlannedDay[]): PlannedDay[][] {
  const batches: PlannedDay[][] = [];
  let room = 0;
  for (const day of days) {
    const batch = batches.at(-1);
    room -= rowsOf(day);
    if (batch === undefined || room < 0 || batch.length === MOST_DAYS) {
      batches.push([day]);
      room = MOST_ROWS - rowsOf(day);
    } else batch.push(day);
  }
  return batches;
}

/** Splits the rows that one shard gets from a batch into pieces. The pieces are sent one after the other. */
export function piecesOf(batch: readonly PlannedDay[], shard: number): Piece[] {
  const pieces: Piece[] = [];
  let room = 0;
  for (const { day, on } of batch) {
    const { rows, first } = on[shard]!;
    for (let sent = 0; sent < rows; sent += PIECE_ROWS) {
      const some = Math.min(PIECE_ROWS, rows - sent);
      const last = first + sent + some - 1;
      const before = pieces.at(-1);
      if (before !== undefined && some <= room) {
        pieces.splice(-1, 1, { ...before, days: [...before.days, day], last });
        room -= some;
      } else {
        pieces.push({ days: [day], shard, first: first + sent, last });
        room = PIECE_ROWS - some;
      }
    }
  }
  return pieces;
}
