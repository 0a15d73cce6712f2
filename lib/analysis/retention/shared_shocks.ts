import { studentQuantile, studentTails } from "../distributions.ts";
import { effectiveDegrees, type Scale, USER_SHARES } from "../intervals.ts";
import { meanOf, sumOf } from "../sums.ts";
import {
  BLOCKS,
  type ClusterUsers,
  type RetentionEstimator,
  type UserCell,
  usersBy,
} from "./cohort_counts.ts";
import { logitEstimate } from "./logit_estimate.ts";

/** A part of a variance, with the degrees of freedom of its estimate. */
export interface VariancePart {
  readonly variance: number;
  readonly degrees: number;
}

/** What shared shocks add to a variance, beyond `least`, the variance between blocks if users are independent. */
export interface ShockPart extends VariancePart {
  readonly least: number;
}

/** The users of a group by cluster, and by unit and block. */
export interface Clustered {
  readonly clusters: readonly ClusterUsers[];
  readonly cells: readonly UserCell[];
  /** The cohort dates. Null if there are no blocks. */
  readonly dates: string | null;
  /** The scale of the retention: by default that of users. */
  readonly scale?: Scale | undefined;
}

/** Above this fraction of shared shocks, a result states the fraction. */
const MOST_SHARED = 0.5;

/** Returns the shares of the units of some cells. */
function sharesOf(cells: readonly UserCell[]) {
  return usersBy(cells, ({ unit }) => unit!).map(({ size, retained }) => (
    { size, share: retained / size }
  ));
}

/**
 * Returns the variance of an estimate if the cells of units and blocks are independent: that of independent users, or for
 * amounts a jackknife over cells.
 */
function cellsVariance(
  cells: readonly UserCell[],
  estimate: RetentionEstimator,
  { scale, share }: { readonly scale: Scale; readonly share: number },
): number {
  const units = sharesOf(cells);
  if (estimate === "unweighted" && scale.trials) {
    return sumOf(units.map((each) => each.share * (1 - each.share) / each.size)) *
      (scale.slope(share) / units.length) ** 2;
  }
  if (estimate === "weighted") {
    return scale.trials
      ? logitEstimate(cells, "weighted", scale).least
      : logitEstimate(cells, "weighted", scale).between;
  }
  const byUnit = new Map(usersBy(cells, ({ unit }) => unit!).map((each) => [each.unit, each]));
  const squares = cells.map(({ unit, size, retained }) => {
    const whole = byUnit.get(unit)!;
    if (!(whole.size > size)) return 0;
    const without = (whole.retained - retained) / (whole.size - size);
    return ((without - whole.retained / whole.size) / units.length) ** 2;
  });
  return (BLOCKS - 1) / BLOCKS * sumOf(squares) * scale.slope(share) ** 2;
}

/**
 * Returns the influence of each block of time on an estimate, from a jackknife over blocks: the estimate without the users
 * of the block in all units. `between` is the sum of the squared influences, `least` the variance if cells of units
 * and blocks are independent, and `degrees` those of Kish (1965) for the users of the blocks.
 */
function blockEstimate(
  { cells, scale = USER_SHARES }: Pick<Clustered, "cells" | "scale">,
  estimate: RetentionEstimator,
) {
  const blocks = usersBy(cells, ({ block }) => block);
  if (estimate === "weighted") {
    const found = logitEstimate(blocks, "weighted", scale);
    return { ...found, least: cellsVariance(cells, estimate, { scale, share: found.share }) };
  }
  const mean = (own: readonly UserCell[]) => meanOf(sharesOf(own).map((each) => each.share));
  const share = mean(cells);
  const factor = Math.sqrt((blocks.length - 1) / blocks.length) * scale.slope(share);
  const influences = [...Array(BLOCKS).keys()].map((left) =>
    factor * (share - mean(cells.filter(({ block }) => block !== left)))
  );
  return {
    influences,
    between: sumOf(influences.map((each) => each * each)),
    least: cellsVariance(cells, estimate, { scale, share }),
    degrees: effectiveDegrees(blocks.map(({ size }) => size)),
  };
}

/** Returns what shocks that all units share at one time add to the variance of the logit of a group. */
export function shocksOf(
  { cells, dates, scale }: Pick<Clustered, "cells" | "dates" | "scale">,
  estimate: RetentionEstimator,
): ShockPart[] {
  if (dates === null || cells[0]?.unit === undefined) return [];
  const { between, least, degrees } = blockEstimate({ cells, scale }, estimate);
  return [{ variance: Math.max(0, between - least), degrees, least }];
}

/**
 * Returns what shared shocks add to the variance of the difference of two logits. Groups with the same cohort dates
 * live through the same months: a block is left out of both at once. With other dates, the variances add up.
 */
export function shocksBetween(
  a: Clustered,
  b: Clustered,
  estimate: RetentionEstimator,
): ShockPart[] {
  if (a.dates === null || a.dates !== b.dates || a.cells[0]?.unit === undefined) {
    return [a, b].flatMap((each) => shocksOf(each, estimate));
  }
  const [one, other] = [a, b].map((each) => blockEstimate(each, estimate));
  const between = sumOf(
    one!.influences.map((each, block) => (each - other!.influences[block]!) ** 2),
  );
  const least = one!.least + other!.least;
  return [{
    variance: Math.max(0, between - least),
    least,
    degrees: Math.min(one!.degrees, other!.degrees),
  }];
}

/**
 * Adds the variance of shared shocks to the variance of units (two-way clustering: Cameron, Gelbach and Miller 2011,
 * Journal of Business and Economic Statistics 29, 238-249). The degrees of freedom are those of Satterthwaite (1946).
 * Intervals are never narrower, and p values never smaller, than by units alone. `shared` is the fraction of the variance
 * that comes from shared shocks.
 */
export function withShocks(units: VariancePart, shocks: readonly VariancePart[]) {
  const added = sumOf(shocks.map(({ variance }) => variance));
  const variance = units.variance + added;
  const degrees = variance ** 2 /
    sumOf([units, ...shocks].map((part) => part.variance ** 2 / part.degrees));
  const both = added > 0 ? [units, { variance, degrees }] : [units];
  return {
    shared: added > 0 ? added / variance : 0,
    halfAt: (confidence: number) =>
      Math.max(
        ...both.map((part) => studentQuantile(confidence, part.degrees) * Math.sqrt(part.variance)),
      ),
    tailsOf: (difference: number) =>
      Math.max(
        ...both.map((part) => studentTails(difference / Math.sqrt(part.variance), part.degrees)),
      ),
  };
}

/** What intervals leave out if there are no blocks of time. */
export const NO_BLOCKS = "shocks that all units share at one time are not in the interval";

/** Returns a remark on shocks that are most of the variance of an interval. */
export function sharedRemark(shared: number): string[] {
  const part = Math.round(100 * shared);
  return shared > MOST_SHARED
    ? [`${part}% of the variance is shocks that units share, seen in three blocks`]
    : [];
}

/** Returns a remark on the shocks that units share: that they are not in an interval, or are most of its variance. */
export function shocksRemark(
  groups: readonly Pick<Clustered, "cells" | "dates">[],
  shared: number,
): string[] {
  return groups.some(({ cells, dates }) => cells[0]?.unit !== undefined && dates === null)
    ? [`fewer than three cohort dates: ${NO_BLOCKS}`]
    : sharedRemark(shared);
}
