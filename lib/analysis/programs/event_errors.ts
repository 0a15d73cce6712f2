import { counted } from "../../platform/terminal.ts";
import { effectiveDegrees } from "../intervals.ts";
import { type EventLayout, membersOf } from "./event_design.ts";
import { type EventEstimate, meanEstimates, sidesOf } from "./event_estimates.ts";
import { totalsOf } from "./event_totals.ts";

/** Below this number of degrees of freedom by count, Satterthwaite's are at most that number. */
const FEW_DEGREES = 3;
/** The minimum numbers of clusters with treated entities, and without. */
const [FEWEST_TREATED, FEWEST_OTHERS] = [4, 2];

/** What was observed: estimates, and how their errors are computed. */
interface Found {
  readonly estimates: readonly EventEstimate[];
  /** Whether the numbers of a side vary about 0, and not about their mean: those of a jackknife. */
  readonly jackknife: boolean;
  /** For the numbers of clusters: the numbers of treated entities of each cluster. */
  readonly sizes?: readonly number[];
}

/** Returns the variance of a sum of numbers that are alike, from their count, sum and sum of squares. */
export function varianceOf(count: number, sum: number, squares: number): number {
  const rest = squares - sum * sum / count;
  // A rest within the rounding error counts as 0.
  return count > 1 ? (rest > 1e-12 * squares ? rest : 0) * count / (count - 1) : NaN;
}

/** Returns the error of an estimate, its degrees of freedom, and why these are few or none. */
export function errorOf(
  { strata, sides }: EventEstimate,
  { jackknife, sizes }: Omit<Found, "estimates">,
  total: boolean,
) {
  let [variance, fourth] = [0, 0];
  const counts = { treated: 0, controls: 0 };
  // The variance of the controls' part if all controls vary alike, for its degrees of freedom.
  const even = { variance: 0, fourth: 0 };
  for (const { treated, units, numbers, share = 1 } of sides) {
    const [sum, squares] = [
      jackknife ? 0 : numbers.reduce((a, b) => a + b, 0),
      numbers.reduce((a, b) => a + b * b, 0),
    ];
    const part = varianceOf(units.length, sum, squares);
    const degrees = treated && sizes !== undefined
      ? effectiveDegrees(units.map((unit) => sizes[unit]!))
      : units.length - 1;
    variance += part;
    fourth += part * part / degrees;
    counts[treated ? "treated" : "controls"] += units.length;
    if (treated) continue;
    const expected = share * share / units.length;
    even.variance += expected;
    even.fourth += expected * expected / (units.length - 1);
  }
  const satterthwaite = variance * variance / fourth;
  const none = (reason: string) => ({ error: NaN, degrees: NaN, reason });
  if (sizes !== undefined) {
    return counts.treated < FEWEST_TREATED || counts.controls < FEWEST_OTHERS
      ? none(
        `${
          counted(counts.treated, "cluster")
        } with treated entities and ${counts.controls} without: bounds ` +
          `need ${FEWEST_TREATED} and ${FEWEST_OTHERS}`,
      )
      : { error: Math.sqrt(variance), degrees: Math.max(1, satterthwaite), reason: null };
  }
  const left = { treated: counts.treated - strata, controls: even.variance ** 2 / even.fourth };
  const [kind, least] = left.treated <= left.controls
    ? ["treated entities", left.treated] as const
    : ["controls", left.controls] as const;
  const number = kind === "controls" ? counts.controls : counts.treated;
  if (least < 1 - 1e-9) {
    return none(number === 1 ? "one treated entity: no bounds" : `${number} ${kind}: no bounds`);
  }
  const few = least < FEW_DEGREES - 1e-9;
  const most = few ? least : Infinity;
  return {
    error: Math.sqrt(variance),
    degrees: Math.min(most, total ? left.treated : satterthwaite),
    reason: few
      ? `${number} ${kind}: bounds with ${
        least < 1.05 ? "1 degree" : `${Number(least.toFixed(1))} degrees`
      } of freedom`
      : null,
  };
}

/** Returns the numbers of a delete-one jackknife, in the sides of an effect. */
function jackknifed(
  { effect, strata, sides }: EventEstimate,
  without: (unit: number) => number,
): EventEstimate {
  return {
    effect,
    strata,
    sides: sides.map((side) => {
      const k = side.units.length;
      return { ...side, numbers: side.units.map((unit) => (k - 1) / k * (effect - without(unit))) };
    }),
  };
}

/** Estimates the effects of a layout, and the numbers of which their variances are made. */
export function estimated(layout: EventLayout, clusters: Int32Array | undefined): Found {
  const { design: { labels, waves, total }, effects, changes } = layout;
  const totals = total ? totalsOf(layout) : undefined;
  const sums = totals?.effectsWithout([]);
  const all = sums === undefined ? meanEstimates(layout) : effects.map((effect, at) => {
    const members = membersOf(layout, effect);
    const numbers = new Float64Array(labels.length).fill(NaN);
    for (const unit of [...members.treated, ...members.controls]) numbers[unit] = 0;
    return {
      effect: sums[at]!,
      ...sidesOf(layout, effect, { changes, numbers }),
    };
  });
  const without = (units: readonly number[]) => {
    if (totals !== undefined) return totals.effectsWithout(units);
    const left = new Set(units);
    return meanEstimates(layout, (unit) => !left.has(unit)).map(({ effect }) => effect);
  };
  if (clusters !== undefined) {
    const count = clusters.reduce((most, cluster) => Math.max(most, cluster + 1), 0);
    const units = Array.from({ length: count }, (): number[] => []);
    clusters.forEach((cluster, unit) => cluster >= 0 && units[cluster]!.push(unit));
    const left = units.map(without);
    const isTreated = (unit: number) => labels[unit]! >= 0 && labels[unit]! < waves.length;
    const sizes = units.map((own) => own.filter(isTreated).length);
    const estimates = all.map((each, at) => {
      const counted = (
        treated: boolean,
      ) => [
        ...new Set(
          each.sides.filter((side) => side.treated === treated).flatMap(({ units }) =>
            units.map((unit) => clusters[unit]!)
          ),
        ),
      ];
      const own = counted(true);
      const others = counted(false).filter((cluster) => !own.includes(cluster));
      const sides = [{ treated: true, units: own }, { treated: false, units: others }]
        .map((side) => ({ ...side, numbers: [] }));
      return jackknifed({ ...each, strata: 1, sides }, (cluster) => left[cluster]![at]!);
    });
    return { estimates, jackknife: true, sizes };
  }
  if (totals === undefined) return { estimates: all, jackknife: false };
  const left = Array.from(labels, (_, unit) => without([unit]));
  return {
    estimates: all.map((each, at) => jackknifed(each, (unit) => left[unit]![at]!)),
    jackknife: true,
  };
}

/** Returns the absolute t of an effect. Effects and errors within the rounding error count as 0. */
export function absoluteT(effect: number, error: number, tiny: number): number {
  if (error <= tiny) return Math.abs(effect) <= tiny ? 0 : Infinity;
  return Math.abs(effect) / error;
}
