import { checkOptions, oneOf, string } from "../../platform/check_options.ts";
import { dayText } from "../../schema/period.ts";
import { adds, whyNotAdded } from "../../table/read/adds.ts";
import { type Gaps, type Panel, panelGaps, panelOf, panelValues } from "../../table/read/panel.ts";
import { columnsPerDay, daysOf, PER } from "../../table/read/per_day.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import { requireEntity } from "../../table/read/reading.ts";
import { columnOfNumbers, requireColumns } from "../../table/read/requirements.ts";
import { numberOfColumn } from "../columnar.ts";
import { columnNames } from "../timeline_series.ts";

/** The rules of the options that name the columns of a panel, and the division by days. */
export const CHANGE_RULES = { entity: columnNames, date: string, per: PER };

/** How an entity gets from one period to the next. Null if it is in neither of the two, or if this is not known. */
export const STATUS = [null, "stays", "enters", "leaves", "gap"] as const;

/** The changes of the values of entities, by cell of the panel. */
interface EntityChanges extends Gaps {
  /** The indices of {@linkcode STATUS}. */
  readonly status: Uint8Array;
  /** 1 if the change is unknown, because a value is missing here or in the previous period. */
  readonly unknown: Uint8Array;
  /** 1 if the change rests on the first period of the entity, which can cover only a part of the period. */
  readonly partial: Uint8Array;
  /** For each period, the reason why no change since the previous period is known. Null if changes are known. */
  readonly reasons: readonly (string | null)[];
  /** For each period, the reason why its total, or the change of the total, is not known. Null if it is known. */
  readonly missing: readonly { readonly here: string | null; readonly change: string | null }[];
}

/** If more entities than this lack a value, a reason suggests to leave them out. */
const MANY = 20;

/** Counts the flagged entities of a period and writes who they are. */
function missingReason(
  { keys, starts }: Panel,
  { flags, at, when }: { readonly flags: Uint8Array; readonly at: number; readonly when: string },
): string | null {
  let [count, first] = [0, ""];
  for (let entity = keys.length - 1; entity >= 0; entity--) {
    if (flags[entity * starts.length + at] === 0) continue;
    count += 1;
    first = keys[entity]!;
  }
  if (count === 0) return null;
  const who = count === 1 ? `${first} has` : `${count} entities have`;
  const then = keys.length > MANY ? '; gaps: "skip" leaves out entities without a value' : "";
  return `not yet known, or a gap: ${who} no value ${when}${then}`;
}

/**
 * Finds, for each entity and period, how the entity gets there from the previous period. A null before the first value
 * of an entity means that it has not entered yet, and a null after its last value means that it has left. A null between
 * values is a gap. An exit is known if one later complete period (for levels two) has values of other entities.
 * Otherwise the value can be late.
 */
export function entityChanges(
  panel: Panel,
  { values, levels }: { readonly values: Float64Array; readonly levels: boolean },
): EntityChanges {
  const { keys, starts, ends, complete } = panel;
  const gaps = panelGaps(panel, values, { levels });
  const { lacks, spans } = gaps;
  const flags = () => new Uint8Array(values.length);
  const [status, unknown, partial] = [flags(), flags(), flags()];
  const [, STAYS, ENTERS, LEAVES, GAP] = STATUS.keys();
  for (let entity = 0; entity < keys.length; entity++) {
    const { first, last } = spans[entity]!;
    for (let at = 1; at < starts.length; at++) {
      const cell = entity * starts.length + at;
      const isBoth = !Number.isNaN(values[cell]! + values[cell - 1]!);
      const isUnknown = lacks[cell] === 1 || lacks[cell - 1] === 1;
      unknown[cell] = isUnknown ? 1 : 0;
      status[cell] = isUnknown
        ? at <= last ? GAP! : 0
        : isBoth
        ? STAYS!
        : at === first
        ? ENTERS!
        : first >= 0 && at === last + 1
        ? LEAVES!
        : 0;
      const isFirst = at === first || at === first + 1 && isBoth;
      partial[cell] = !levels && first > 0 && isFirst ? 1 : 0;
    }
  }
  const reasons = Array.from(starts, (start, at) => {
    if (at === 0) return "no period before";
    if (complete[at] === 0) return "the period is not complete";
    if (complete[at - 1] === 0) return "the period before is not complete";
    return ends[at - 1]! + 1 === start ? null : `the period before ${dayText(start)} is missing`;
  });
  const missing = Array.from(starts, (_, at) => ({
    here: missingReason(panel, { flags: lacks, at, when: "in this period" }),
    change: missingReason(panel, {
      flags: unknown,
      at,
      when: "in this or the previous period",
    }),
  }));
  return { ...gaps, status, unknown, partial, reasons, missing };
}

/**
 * Checks the options of a function that divides a total among entities, and reads the changes of its entities. Columns
 * of which the frame does not know whether they add up are accepted.
 */
export function totalChanges(frame: DataFrame, options: object, fn: string) {
  const rules = { field: columnOfNumbers(frame), ...CHANGE_RULES, gaps: oneOf(["null", "skip"]) };
  const { field, gaps = "null", per, ...columns } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame of timeline", numbers: [field] });
  const reason = whyNotAdded(frame, field);
  if (reason !== null) {
    throw new RangeError(
      `${fn}: field: must be a column that adds up over entities; got ${field}: ${reason}`,
    );
  }
  const panel = panelOf(frame, { fn, ...columns });
  requireEntity(panel, fn);
  const { rows, date } = panel;
  const isDaily = columnsPerDay(rows, { fn, fields: [field], per, date }).length > 0;
  const number = numberOfColumn(field);
  const values = panelValues(
    panel,
    field,
    isDaily ? number.div(daysOf(rows, date, field)) : number,
  );
  const changes = entityChanges(panel, { values, levels: adds(frame, field) === "groups" });
  return {
    panel,
    changes,
    values,
    field,
    skip: gaps === "skip",
    per: isDaily ? "day" : "period",
  };
}
