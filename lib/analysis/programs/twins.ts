import { pl } from "../../table/columns/polars.ts";

/** A unit of a study and its values before the event. */
interface Unit {
  readonly name: string;
  readonly values: readonly number[];
}

/** Values that differ by less than this part of their spread are equal but for rounding. */
const ROUNDING = 1e-9;
/** Donors are near copies if their distance is below this part of the median distance of two donors. */
const NEAR = 1 / 50;
/** The median distance is that of so many donors. */
const MOST = 200;

/** Returns the root mean square of values around a center. */
export function spreadAround(values: readonly number[], center: number): number {
  let sum = 0;
  for (const value of values) sum += (value - center) ** 2;
  return Math.sqrt(sum / values.length);
}

/** Returns the largest error of values that is rounding: a part of their spread, or of their size. */
export function roundingOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Math.max(ROUNDING * spreadAround(values, mean), 1e-14 * largest);
}

function distance(a: Unit, b: Unit, before: number): number {
  let sum = 0;
  for (let at = 0; at < before; at++) sum += (a.values[at]! - b.values[at]!) ** 2;
  return Math.sqrt(sum / before);
}

/** Whether two units are nearer than a limit. Most pairs are apart at the first dates. */
function isNear(a: Unit, b: Unit, { before, limit }: { before: number; limit: number }): boolean {
  const most = before * limit * limit;
  let sum = 0;
  for (let at = 0; at < before; at++) {
    sum += (a.values[at]! - b.values[at]!) ** 2;
    if (sum > most) return false;
  }
  return true;
}

/**
 * Finds donors that are one entity under two names: their values equal those of the treated unit, or of an earlier
 * donor, at all dates before the event. Such donors are not in `donors`. `near` has pairs of other donors whose values
 * nearly agree.
 */
export function withoutTwins<Own extends Unit>(own: Own, all: readonly Own[], before: number) {
  const limitOf = ({ values }: Own) => roundingOf(values.slice(0, before));
  const kept = [{ unit: own, limit: limitOf(own) }];
  const twins: string[] = [];
  for (const unit of all) {
    const limit = limitOf(unit);
    const same = kept.find((each) =>
      isNear(unit, each.unit, { before, limit: Math.min(limit, each.limit) })
    );
    if (same === undefined) kept.push({ unit, limit });
    else twins.push(`${unit.name} equals ${same.unit.name}`);
  }
  const units = kept.map(({ unit }) => unit);
  const donors = units.slice(1);
  const some = donors.slice(0, MOST);
  const apart = some.flatMap((a, at) => some.slice(at + 1).map((b) => distance(a, b, before)));
  const limit = NEAR * (pl.Series(apart).median() ?? 0);
  const near: string[] = [];
  for (let at = 1; at < units.length; at++) {
    for (let other = 0; other < units.length; other++) {
      if (other > 0 && other <= at) continue;
      if (isNear(units[at]!, units[other]!, { before, limit })) {
        near.push(`${units[other]!.name} and ${units[at]!.name}`);
      }
    }
  }
  return { donors, twins, near };
}
