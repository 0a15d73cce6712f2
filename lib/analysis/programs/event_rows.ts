import { counted, listed, notify } from "../../platform/terminal.ts";
import { membersOf } from "./event_design.ts";
import type { testEffects } from "./event_tests.ts";
import { amountsOf } from "./event_totals.ts";

/** Shares of missing values of treated entities and of controls that differ by more than this are noted. */
const UNEVEN = 0.1;
/** Sums that rest on fewer effective entities are noted. */
const FEW_EFFECTIVE = 4;
/** The maximum number of reasons of times that `overall` repeats. */
const MOST_REASONS = 3;

/** A reason why a value is null or needs care. `kind` is the same for all times to which it applies. */
interface Reason {
  readonly text: string;
  readonly kind: string;
}

/** Returns the effective number of parts (Kish 1965), and the largest share and its place. */
function kishOf(parts: Float64Array) {
  let [sum, squares, place] = [0, 0, 0];
  parts.forEach((part, at) => {
    sum += part;
    squares += part * part;
    if (part > parts[place]!) place = at;
  });
  return { effective: sum * sum / squares, share: parts[place]! / sum, place };
}

/** Returns the rows of the result: each effect with the entities that count in it, and the reason why it needs care. */
export function eventRows(
  { layout, results, notDrawn, breakdown, before }: ReturnType<typeof testEffects>,
  { month = 0, ids }: { readonly month: number | undefined; readonly ids: readonly string[] },
) {
  const { waves, base, labels } = layout.design;
  const members = results.map((each) => membersOf(layout, each));
  const counted = new Set(members.flatMap(({ treated, controls }) => [...treated, ...controls]));
  const last = base === "before" ? -1 : base;
  const rows = results.map((result, at) => {
    const { row, time, effect, lower, total, isBase, reason } = result;
    const { treated, controls, missing_treated, missing_controls } = members[at]!;
    const isTime = row === "time";
    const near = at + (time < last ? 1 : -1);
    const isOther = isTime && results[near]?.row === "time" &&
      String(members[near]!.treated) !== String(treated);
    const [share, other] = [[missing_treated, treated], [missing_controls, controls]]
      .map(([missing, known]) =>
        missing!.length / Math.max(1, new Set([...missing!, ...known!]).size)
      ) as [number, number];
    const uneven = isTime && Math.abs(share - other) > UNEVEN;
    const sums = total
      ? [true, false].map((isTreated) => kishOf(amountsOf(layout, result, isTreated)))
      : [];
    const { start, times } = waves[result.wave]!;
    const reasons: (string | Reason | false)[] = isBase ? ["the base"] : [
      Number.isNaN(effect)
        ? total && treated.length > 0 && controls.length > 1
          ? "the sum of the treated entities or of the controls is 0 at the base or afterwards"
          : "needs a treated entity and 2 controls with values"
        : reason ?? (Number.isNaN(lower) && "no bounds: without one entity, a sum is 0"),
      isOther && {
        text: `other entities than at time ${results[near]!.time}`,
        kind: "other entities than at the time beside it",
      },
      uneven && {
        text: `without a value: ${Math.round(100 * share)}% of the treated, ` +
          `${Math.round(100 * other)}% of the controls`,
        kind: "the treated and the controls lack values in unequal shares",
      },
      row === "wave" && !times.some((time) => time < last) &&
      `fewer than ${1 - last} periods before the start: no part in pre_p`,
      isTime && time >= 0 && time < month && "these users arrived before the start",
      ...sums.map(({ effective, share, place }, side) => {
        const whose = ["treated", "controls'"][side];
        return effective < FEW_EFFECTIVE && {
          text: `${Math.round(100 * share)}% of the ${whose} sum is one entity, ${ids[place]}`,
          kind: `few entities make up most of the ${whose} sum`,
        };
      }),
    ];
    return {
      ...result,
      ...before,
      uneven,
      reasons: reasons.filter((reason) => reason !== false).map((reason) =>
        typeof reason === "string" ? { text: reason, kind: reason } : reason
      ),
      event_time: row.startsWith("time") ? time : null,
      wave: row.endsWith("wave") ? start : null,
      entities: treated.length,
      controls: controls.length,
      missing_treated: missing_treated.length,
      missing_controls: missing_controls.length,
      entities_effective: sums[0]?.effective,
      breakdown: row === "overall" ? breakdown : null,
      left_out: labels.length - counted.size,
    };
  });
  const after = rows.filter(({ row, event_time }) => row === "time" && event_time! >= 0);
  const kinds = Map.groupBy(after.flatMap(({ reasons }) => reasons), ({ kind }) => kind);
  const common = [...kinds].sort(([, a], [, b]) => b.length - a.length).slice(0, MOST_REASONS)
    .map(([kind, own]) => `at ${own.length} of ${after.length} times, ${kind}`);
  return rows.map((each) => {
    const own = each.reasons.map(({ text }) => text);
    if (each.row === "overall") own.push(...notDrawn === null ? [] : [notDrawn], ...common);
    return { ...each, reason: own.join("; ") };
  });
}

/** Shows what a reader must know about any result: how entities were chosen, and what the times before the start say. */
export function showWarnings(
  rows: ReturnType<typeof eventRows>,
  { month, absent, shared }: {
    readonly month: number | undefined;
    readonly absent: readonly string[];
    readonly shared: string | undefined;
  },
): void {
  const { entities, controls, pre_p, pre_slope_p } = rows.at(-1)!;
  const uneven = rows.filter((each) => each.uneven).length;
  const before = Number.isNaN(pre_p)
    ? Number.isNaN(pre_slope_p) ? "too few to test" : `p ${pre_slope_p.toPrecision(2)} (slope)`
    : `p ${pre_p.toPrecision(2)}`;
  const lines = [
    `${counted(entities, "treated entity", "treated entities")}, ${
      counted(controls, "control")
    }; times before the start: ${before}; ` +
    "participants were chosen, not drawn: an effect can be selection",
    shared,
    absent.length > 0 && `starts: not in the frame: ${listed(absent)}`,
    uneven > 0 &&
    `at ${
        counted(uneven, "time")
      }, the treated and the controls lack values in shares that differ by more ` +
      `than ${UNEVEN}; entities that end can make an effect out of nothing`,
    month !== undefined &&
    `cohorts observed in the first ${
      month === 1 ? "month" : `${month} months`
    } had arrived before the start`,
  ];
  for (const line of lines) if (line) notify(`eventStudy: ${line}`);
}
