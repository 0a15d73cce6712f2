import { counted } from "../../platform/terminal.ts";
import { dot, sumOf } from "../sums.ts";
import type { EventLayout } from "./event_layout.ts";
import type { testEffects } from "./event_tests.ts";
import type { Study } from "./study_panel.ts";

/** Shares of missing values of treated entities and of controls that differ by more than this are noted. */
const UNEVEN = 0.1;
/** Sums that rest on fewer effective entities are noted. */
const FEW_EFFECTIVE = 4;
/** The maximum number of reasons of times that `overall` repeats. */
const MOST_REASONS = 3;
/** Both sides differed before the start if one of the two tests has at most this p value. */
const POOR = 0.025;
/** Effects change with time if their slope has at most this p value. */
const CHANGING = 0.05;
/** The sides of a comparison, in reasons. */
const SIDES = ["treated", "controls'"];

type Tested = ReturnType<typeof testEffects>;
type Result = Tested["results"][number];

/** What the rows of a study have in common. */
interface Given {
  readonly tested: Tested;
  readonly scale: string;
  /** The month of retention. */
  readonly month: number | undefined;
  readonly confidence: number;
}

/** Returns the part of the entities that lack a value, of all that take part. */
function missingShare(missing: ReadonlySet<number>, known: ReadonlySet<number>): number {
  return missing.size / Math.max(1, missing.union(known).size);
}

/** Returns on how many equally large entities of a side a sum rests (Kish 1965), and the largest of them. */
function kishOf({ changes }: Result, isTreated: boolean) {
  const amounts = new Map<number, number>();
  for (const { sides, deltas, values, bases } of changes) {
    sides.forEach((side, unit) => {
      if (side !== isTreated || Number.isNaN(deltas[unit])) return;
      amounts.set(unit, (amounts.get(unit) ?? 0) + values[unit]! + bases[unit]!);
    });
  }
  const [[unit, most] = [0, 0]] = [...amounts].sort(([, a], [, b]) => b - a);
  const sizes = [...amounts.values()];
  const sum = sumOf(sizes);
  return { effective: sum * sum / dot(sizes, sizes), share: most / sum, unit };
}

/** Returns the reasons why a result needs care. `beside` is the time beside it, if it is a time. */
function reasonsFor(
  result: Result,
  beside: Result | undefined,
  { ids, total, month = 0 }: {
    readonly ids: readonly string[];
    readonly total: boolean;
    readonly month: number | undefined;
  },
): string[] {
  const { row, time, effect, lower, treated, controls, missing_treated, missing_controls } = result;
  const isTime = row === "time";
  const missing = missingShare(missing_treated, treated) - missingShare(missing_controls, controls);
  const isOther = beside !== undefined && treated.symmetricDifference(beside.treated).size > 0;
  const sums = total ? [kishOf(result, true), kishOf(result, false)] : [];
  return [
    Number.isNaN(effect)
      ? "needs a treated entity and 2 controls with values" +
        (total ? ", and sums above 0 at the base and afterwards" : "")
      : result.reason ?? (Number.isNaN(lower) && "no bounds: without one entity, a sum is 0"),
    isOther && `other entities than at time ${beside.time}`,
    isTime && Math.abs(missing) > UNEVEN &&
    "the treated and the controls lack values in unequal shares",
    isTime && time >= 0 && time < month && "these users arrived before the start",
    ...sums.map(({ effective, share, unit }, side) =>
      effective < FEW_EFFECTIVE &&
      `${Math.round(100 * share)}% of the ${SIDES[side]} sum is one entity, ${ids[unit]}`
    ),
  ].filter((reason) => reason !== false);
}

/** Returns the most frequent reasons of the times from 0 on. */
function commonReasons(rows: readonly { readonly time: number; readonly reasons: string[] }[]) {
  const seen = rows.flatMap(({ reasons }) =>
    reasons.map((reason) =>
      reason.replace(/at time -?\d+$/, "at the time beside it")
        .replace(/^\d+% (of the .+ sum is one entity).*/, "much $1")
    )
  );
  return [...Map.groupBy(seen, (reason) => reason)].sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MOST_REASONS)
    .map(([reason, own]) => `at ${own.length} of ${rows.length} times, ${reason}`);
}

/** Returns the columns that only the row of all entities has. */
function ofTheWhole({ ids, field }: Study, { tested, scale, confidence }: Given) {
  const { slopes, breakdown, results } = tested;
  const [{ treated, controls }] = results as [Result];
  const members = results.flatMap(({ treated, controls }) => [...treated, ...controls]);
  const least = Math.min(
    ...[slopes.pre_p, slopes.pre_slope_p].filter((p) => !Number.isNaN(p)),
  );
  return {
    ...slopes,
    breakdown,
    fit: least <= POOR ? "poor" : least < Infinity ? "good" : null,
    rests_on: `${treated.size} treated, ${counted(controls.size, "control")}`,
    left_out: ids.length - new Set(members).size,
    field,
    scale,
    confidence,
  };
}

/** Makes the rows of a study: that of all entities, those of times, and those of waves. */
export function eventRows(study: Study, { design }: EventLayout, given: Given) {
  const { tested: { results, slopes, notDrawn }, scale, month } = given;
  const { total, base } = design;
  const last = base === "before" ? -1 : base;
  const all = results.map((result, at) => {
    const { row, time } = result;
    const beside = row === "time" && time !== last
      ? results[time < last ? at + 1 : at - 1]
      : undefined;
    return { result, reasons: reasonsFor(result, beside, { ids: study.ids, total, month }) };
  });
  const late = all.flatMap(({ result: { row, time }, reasons }) =>
    row === "time" && time >= 0 ? [{ time, reasons }] : []
  );
  const { post_slope, post_slope_p } = slopes;
  const changing = post_slope_p <= CHANGING
    ? [
      `effects change by ${
        Number(post_slope.toPrecision(3))
      } a period: the mean depends on which ` +
      "times count",
    ]
    : [];
  const percent = (value: number) => total || scale === "log" ? 100 * Math.expm1(value) : null;
  return all.map(({ result, reasons }) => {
    const { row, time, wave, effect, lower, upper, treated, controls } = result;
    const isOverall = row === "overall";
    const known = isOverall
      ? [
        ...reasons,
        ...changing,
        ...notDrawn === undefined ? [] : [notDrawn],
        ...commonReasons(late),
      ]
      : reasons;
    return {
      ...result,
      ...isOverall ? ofTheWhole(study, given) : {},
      reason: known.join("; ") || null,
      event_time: row === "time" ? time : null,
      wave: row === "wave" ? design.waves[wave]!.start : null,
      effect_percent: percent(effect),
      lower_percent: percent(lower),
      upper_percent: percent(upper),
      entities: treated.size,
      controls: controls.size,
      missing_treated: result.missing_treated.size,
      missing_controls: result.missing_controls.size,
      entities_effective: total ? kishOf(result, true).effective : null,
    };
  });
}
