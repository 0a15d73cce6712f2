import type { RetentionEstimate } from "./retention_bounds.ts";
import { normalTails, studentTails } from "./distributions.ts";
import type { LifeTable } from "./survival_bounds.ts";

/** A test of two retentions: how it was made, and its p value, NaN where there is none. */
interface RetentionTest {
  readonly test: "welch" | "score" | null;
  readonly p: number;
}

/** The score test of two proportions, without correction: R's `prop.test(x, n, correct = FALSE)`. */
function scoreTest(a: RetentionEstimate, b: RetentionEstimate): number {
  const pooled = (a.retained + b.retained) / (a.size + b.size);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.size + 1 / b.size));
  const difference = a.retention - b.retention;
  return error > 0 ? normalTails(difference / error) : 1;
}

/** A logit with the variance of its error, and the degrees of freedom of that. */
interface Logit {
  readonly logit: number;
  readonly variance: number;
  readonly degrees: number;
}

function logitOf({ retained, size, retention, spread }: RetentionEstimate): Logit {
  // Half a user on both sides, where one side is empty (Haldane 1956, Anscombe 1956).
  const half = retained > 0 && retained < size ? 0 : 0.5;
  const [kept, gone] = [retained + half, size - retained + half];
  const logit = Math.log(kept / gone);
  const alone = 1 / kept + 1 / gone;
  if (spread === undefined) return { logit, variance: alone, degrees: Infinity };
  const error = spread.error / (retention * (1 - retention));
  return { logit, variance: Math.max(alone, error * error), degrees: spread.degrees };
}

/** Welch's t test of two logits (Welch 1947, Biometrika 34, 28-35). */
function welchTest(a: Logit, b: Logit): number {
  const variance = a.variance + b.variance;
  const degrees = variance * variance /
    (a.variance * a.variance / a.degrees + b.variance * b.variance / b.degrees);
  return studentTails((a.logit - b.logit) / Math.sqrt(variance), degrees);
}

/** Tests whether two retentions are alike: by clusters where one of them has any, else by users. */
export function retentionTest(a: RetentionEstimate, b: RetentionEstimate): RetentionTest {
  if (a.bounds === null || b.bounds === null) return { test: null, p: NaN };
  return a.bounds === "cluster" || b.bounds === "cluster"
    ? { test: "welch", p: welchTest(logitOf(a), logitOf(b)) }
    : { test: "score", p: scoreTest(a, b) };
}

/**
 * The log-rank statistic of two groups (Mantel 1966, Cancer Chemotherapy Reports 50, 163-170), about
 * chi-squared with one degree of freedom where both lose the same part of those at risk in every
 * month: R's `survdiff`. NaN where a loss is negative, as no test is made for who comes back, and
 * where no month tells anything.
 *
 * It takes users to be independent of one another, whatever cohort or project they are of.
 */
export function logRank(one: LifeTable, other: LifeTable): number {
  let [difference, variance] = [0, 0];
  for (let month = 0; month < one.atRisk.length; month++) {
    const risks = [one.atRisk[month]!, other.atRisk[month]!].map((risk) => risk > 0 ? risk : 0);
    const losses = [one.lost[month]!, other.lost[month]!].map((lost, index) =>
      risks[index]! > 0 && !Number.isNaN(lost) ? lost : 0
    );
    if (losses.some((lost, index) => lost < -1e-9 * risks[index]!)) return NaN;
    const [risk, lost] = [risks[0]! + risks[1]!, losses[0]! + losses[1]!];
    if (risk <= 1) continue;
    difference += losses[0]! - lost * risks[0]! / risk;
    variance += lost * (risk - lost) / (risk - 1) * (risks[0]! / risk) * (risks[1]! / risk);
  }
  return variance > 0 ? difference * difference / variance : NaN;
}

/**
 * P values adjusted so that the part of false ones among those below a level is expected to be below
 * it (Benjamini and Hochberg 1995): R's `p.adjust(p, "BH")`. NaN is no test, and stays.
 */
export function benjaminiHochberg(values: readonly number[]): number[] {
  const adjusted = values.map(() => NaN);
  const order = values.flatMap((value, index) => Number.isNaN(value) ? [] : [index])
    .sort((a, b) => values[b]! - values[a]!);
  let least = 1;
  order.forEach((index, place) => {
    least = Math.min(least, order.length / (order.length - place) * values[index]!);
    adjusted[index] = least;
  });
  return adjusted;
}
