import { checkOptions, required, string } from "../../platform/check_options.ts";
import { dayText } from "../../schema/period.ts";
import { adds, refuseUnadded } from "../../table/read/adds.ts";
import { type Panel, panelGaps, panelOf, panelValues } from "../../table/read/panel.ts";
import { columnsPerDay, PER } from "../../table/read/per_day.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { requireEntity } from "../../table/read/reading.ts";
import { noteTotal, numberingOf } from "../../table/read/totals.ts";
import { columnNames, requireColumns } from "../../table/read/requirements.ts";

/** The rules of the options that name the columns of a panel, and the division by days. */
export const CHANGE_RULES = { entity: columnNames, date: string, per: PER };

/** How an entity gets from one period to the next. Null if it is in neither of the two, or if this is not known. */
export const STATUS = [null, "stays", "enters", "leaves", "gap"] as const;

/** Returns, for each period, a text on the entities that are flagged in it. Null without such entities. */
function missingReasons({ keys, starts }: Panel, flags: Uint8Array, when: string) {
  const [counts, first] = [new Uint32Array(starts.length), new Uint32Array(starts.length)];
  for (let cell = 0; cell < flags.length; cell++) {
    if (flags[cell] === 0) continue;
    const at = cell % starts.length;
    if (counts[at]!++ === 0) first[at] = Math.floor(cell / starts.length);
  }
  return Array.from(counts, (count, at) => {
    const who = count === 1 ? `${keys[first[at]!]} has` : `${count} entities have`;
    return count === 0 ? null : `not yet known, or a gap: ${who} no value ${when}`;
  });
}

/**
 * Finds, for each entity and period, how the entity gets there from the previous period. A null before the first value
 * of an entity means that it has not entered yet, and a null after its last value means that it has left. A null between
 * values is a gap. An exit is known if one later complete period (for levels two) has values of other entities.
 * Otherwise the value can be late.
 *
 * Returns, by cell of the panel: `status`, an index of {@linkcode STATUS}; `unknown`, 1 if the change is unknown, because
 * a value is missing here or in the previous period; and `partial`, 1 if the change rests on the first period of the
 * entity, which can cover only a part of the period. By period, else null: `reasons`, why no change since the previous
 * period is known; `here`, why the total is not known; and `why`, why the change of the total is not known.
 */
export function entityChanges(
  panel: Panel,
  { values, levels }: { readonly values: Float64Array; readonly levels: boolean },
) {
  const { keys, starts, ends, complete } = panel;
  const { lacks, spans } = panelGaps(panel, values, { levels });
  const reasons = Array.from(starts, (start, at) => {
    if (at === 0) return "no period before";
    if (complete[at] === 0) return "the period is not complete";
    if (complete[at - 1] === 0) return "the period before is not complete";
    return ends[at - 1]! + 1 === start ? null : `the period before ${dayText(start)} is missing`;
  });
  const flags = () => new Uint8Array(values.length);
  const [status, unknown, partial] = [flags(), flags(), flags()];
  const [, STAYS, ENTERS, LEAVES, GAP] = STATUS.keys();
  for (let entity = 0; entity < keys.length; entity++) {
    const { first, last } = spans[entity]!;
    for (let at = Math.max(1, first); first >= 0 && at < starts.length; at++) {
      const cell = entity * starts.length + at;
      const isBoth = !Number.isNaN(values[cell]! + values[cell - 1]!);
      const isUnknown = lacks[cell] === 1 || lacks[cell - 1] === 1;
      if (isUnknown) unknown[cell] = 1;
      const isFirst = at === first || at === first + 1 && isBoth;
      if (!levels && first > 0 && isFirst) partial[cell] = 1;
      if (reasons[at] !== null) continue;
      if (isUnknown) status[cell] = at <= last ? GAP! : 0;
      else if (isBoth) status[cell] = STAYS!;
      else if (at === first) status[cell] = ENTERS!;
      else if (at === last + 1) status[cell] = LEAVES!;
    }
  }
  const here = missingReasons(panel, lacks, "in this period");
  const changes = missingReasons(panel, unknown, "in this or the previous period");
  const why = reasons.map((reason, at) => reason ?? changes[at]!);
  return { status, unknown, partial, reasons, here, why };
}

/**
 * Checks the options of a function that divides a total among entities, and reads the changes of its entities. Columns
 * of which the frame does not know whether they add up are accepted. `sums` has the sum of the known values of each
 * period.
 */
export function totalChanges(frame: DataFrame, options: object, fn: string) {
  const rules = { field: required(string), ...CHANGE_RULES };
  const { field, per, ...columns } = checkOptions(options, rules, fn);
  requireColumns(frame, { fn, source: "a frame of timeline", numbers: [field] });
  refuseUnadded(frame, field, fn);
  const panel = panelOf(frame, { fn, ...columns });
  requireEntity(panel, fn);
  noteTotal(frame, { fn, field, reading: numberingOf(panel) });
  const isDaily = columnsPerDay(panel, [field], per).length > 0;
  const values = panelValues(panel, field, { per: isDaily ? "day" : per ?? "whole" });
  const changes = entityChanges(panel, { values, levels: adds(frame, field) === "groups" });
  const periods = panel.starts.length;
  const sums = new Float64Array(periods);
  for (let start = 0; start < values.length; start += periods) {
    for (let at = 0; at < periods; at++) sums[at]! += values[start + at]! || 0;
  }
  const unit: "day" | "period" = isDaily ? "day" : "period";
  return { ...changes, panel, values, field, sums, per: unit };
}
