import { checkOptions, oneOf } from "../../platform/check_options.ts";
import { dayText } from "../../schema/period.ts";
import { adds, whyNotAdded } from "../../table/read/adds.ts";
import { PER } from "../../table/read/per_day.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import { numbersOf, requireColumns } from "../../table/read/require_columns.ts";
import { arraysIn } from "../columns.ts";
import { type EntityPanel, entityPanel, PANEL_RULES } from "../entity_panel.ts";

/** How an entity gets from one period to the next. Null if it is in neither of the two, or if this is not known. */
type Status = "stays" | "enters" | "leaves" | "gap" | null;

/** The change of the value of an entity. NaN means null. */
export interface EntityChange {
  readonly name: string;
  readonly was: number;
  readonly is: number;
  readonly status: Status;
  /** Whether the change is unknown, because a value is missing. */
  readonly unknown: boolean;
  /** Whether the change rests on the first period of the entity, which can cover only a part of the period. */
  readonly partial: boolean;
}

/** The changes of all entities since the previous period. */
interface PeriodChanges {
  readonly day: number;
  readonly complete: boolean;
  /** The reason why no change since the previous period is known. Null if changes are known. */
  readonly reason: string | null;
  readonly changes: readonly EntityChange[];
  /** The reason why the total of this period, or the change of the total, is not known. Null if it is known. */
  readonly missing: { readonly here: string | null; readonly change: string | null };
}

/** If more entities than this lack a value, a reason suggests to leave them out. */
const MANY = 20;

function missingReason(names: readonly string[], when: string, entities: number): string | null {
  if (names.length === 0) return null;
  const who = names.length === 1 ? `${names[0]} has` : `${names.length} entities have`;
  const then = entities > MANY ? '; gaps: "skip" leaves out entities without a value' : "";
  return `not yet known, or a gap: ${who} no value ${when}${then}`;
}

/**
 * Finds, for each entity and period, how the entity gets there from the previous period. A null before the first value
 * of an entity means that it has not entered yet, and a null after its last value means that it has left. A null between
 * values is a gap. An exit is known if one later complete period (for levels two) has values of other entities.
 * Otherwise the value can be late.
 */
export function entityChanges(
  { entity, count, rows }: EntityPanel,
  { field, levels }: { readonly field: string; readonly levels: boolean },
): PeriodChanges[] {
  const values = arraysIn(rows, [field])[field]!;
  const { date: days } = arraysIn(rows, ["date"]);
  const names = rows.head(count).getColumn(entity).toArray() as string[];
  const flags = (name: string) => rows.getColumn(name).toArray() as boolean[];
  const [complete, known] = [flags("(complete)"), flags("(known)")];
  const periods = Array.from({ length: count === 0 ? 0 : rows.height / count }, (_, at) => at);
  const valueAt = (at: number, index: number) => values[at * count + index]!;
  const has = (at: number, index: number) => !Number.isNaN(valueAt(at, index));
  const spans = names.map((_, index) => {
    const last = periods.findLast((at) => has(at, index)) ?? -1;
    const later = periods.filter((at) =>
      at > last + 1 && complete[at * count] && names.some((_, other) => has(at, other))
    );
    return {
      first: periods.find((at) => has(at, index)) ?? Infinity,
      last,
      left: later.length >= (levels ? 2 : 1),
    };
  });
  // Whether the value of an entity in a period is missing, so that the total is unknown.
  const lacks = (at: number, index: number) => {
    const { first, last, left } = spans[index]!;
    return at > first && !has(at, index) && (at < last || !left);
  };
  const lacking = (at: number) => names.filter((_, index) => lacks(at, index));
  return periods.map((at) => {
    const changes = names.map((name, index): EntityChange => {
      const [was, is] = [at > 0 ? valueAt(at - 1, index) : NaN, valueAt(at, index)];
      const { first, last } = spans[index]!;
      const unknown = at > 0 && (lacks(at, index) || lacks(at - 1, index));
      const both = !Number.isNaN(was + is);
      const status = at === 0
        ? null
        : unknown
        ? (at <= last ? "gap" : null)
        : both
        ? "stays"
        : at === first
        ? "enters"
        : at === last + 1
        ? "leaves"
        : null;
      const partial = !levels && first > 0 && (at === first || at === first + 1 && both);
      return { name, was, is, status, unknown, partial };
    });
    const settled = (each: number) => complete[each * count];
    const reason = at === 0
      ? "no period before"
      : known[at * count]
      ? null
      : !settled(at)
      ? "the period is not complete"
      : settled(at - 1)
      ? `the period before ${dayText(days[at * count]!)} is missing`
      : "the period before is not complete";
    const here = lacking(at);
    const around = changes.filter(({ unknown }) => unknown).map(({ name }) => name);
    return {
      day: days[at * count]!,
      complete: settled(at)!,
      reason,
      changes,
      missing: {
        here: missingReason(here, "in this period", count),
        change: missingReason(around, "in this or the previous period", count),
      },
    };
  });
}

/**
 * Checks the options of a function that divides a total among entities, and reads the changes of its entities. Columns
 * of which the frame does not know whether they add up are accepted.
 */
export function totalChanges(frame: DataFrame, options: object, fn: string) {
  const rules = {
    field: numbersOf(frame),
    ...PANEL_RULES,
    per: PER,
    gaps: oneOf(["null", "skip"]),
  };
  const { field, gaps = "null", ...columns } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame of timeline" });
  const reason = whyNotAdded(frame, field);
  if (reason !== null) {
    throw new RangeError(
      `${fn}: field: must be a column that adds up over entities; got ${field}: ${reason}`,
    );
  }
  const panel = entityPanel(frame, { fn, fields: [field], daily: [field], ...columns });
  const levels = adds(frame, field) === "groups";
  const periods = entityChanges(panel, { field, levels });
  return { ...panel, field, skip: gaps === "skip", periods };
}
