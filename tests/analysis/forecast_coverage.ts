/**
 * How often the 95 % bounds of a forecast hold what they estimate, where cohorts differ: the second table
 * of coverage in docs/analysis.md.
 *
 *     deno run --config tests/deno.json --allow-ffi --allow-sys --allow-read tests/analysis/forecast_coverage.ts
 *
 * @module
 */
import { forecastOf } from "../../lib/analysis/curve_forecast.ts";
import type { Step } from "../../lib/analysis/forecast_source.ts";
import { type Chance, chanceOf } from "./simulated_cohorts.ts";

/** How the cohorts of a forecast are made. */
export interface ForecastVariation {
  readonly cohorts: number;
  /** The standard deviation of the logarithm of beta between cohorts. */
  readonly spread: number;
}

const ALPHA = 0.7;
const BETA = 1.2;
const USERS = 1000;
const MONTHS = 8;
const TARGET = 12;

function survivalOf(beta: number, months: number): number {
  let left = 1;
  for (let month = 1; month <= months; month++) {
    left *= (beta + month - 1) / (ALPHA + beta + month - 1);
  }
  return left;
}

/** What a forecast estimates: the survival over all cohorts that there might be. */
function truth(spread: number): number {
  let [sum, weight] = [0, 0];
  for (let z = -5; z <= 5; z += 0.01) {
    const density = Math.exp(-z * z / 2);
    sum += density * survivalOf(BETA * Math.exp(spread * z), TARGET);
    weight += density;
  }
  return sum / weight;
}

/** The users left of one cohort, month by month. */
function cohortOf(spread: number, chance: Chance): number[] {
  const beta = BETA * Math.exp(spread * chance.normal());
  const left = [USERS];
  for (let month = 1; month <= MONTHS; month++) {
    left.push(chance.binomial(left[month - 1]!, (beta + month - 1) / (ALPHA + beta + month - 1)));
  }
  return left;
}

function stepsOf(cohorts: readonly (readonly number[])[]): Step[] {
  const size = cohorts.length * USERS;
  const total = (month: number) => cohorts.reduce((sum, cohort) => sum + cohort[month]!, 0);
  return Array.from({ length: MONTHS + 1 }, (_, month) => ({
    ...{ month, size, retention: total(month) / size },
    atRisk: month === 0 ? NaN : total(month - 1),
    lost: month === 0 ? NaN : total(month - 1) - total(month),
  }));
}

/** How often the bounds of month 12, seen from month 8, hold the truth: by clusters, and by users. */
export function forecastCoverage(
  { cohorts, spread }: ForecastVariation,
  { draws, seed }: { readonly draws: number; readonly seed: number },
): { readonly cluster: number; readonly binomial: number } {
  const chance = chanceOf(seed);
  const target = truth(spread);
  const wanted = { horizon: TARGET, fitThrough: Infinity, model: "sbg", confidence: 0.95 } as const;
  const held = { cluster: 0, binomial: 0 };
  for (let draw = 0; draw < draws; draw++) {
    const drawn = Array.from({ length: cohorts }, () => cohortOf(spread, chance));
    const curve = { observed: new Map<number, number>(), steps: stepsOf(drawn) };
    const without = drawn.map((_, out) => (
      { size: USERS, steps: stepsOf(drawn.filter((_, index) => index !== out)) }
    ));
    for (const [name, clusters] of [["cluster", without], ["binomial", []]] as const) {
      const { lower, upper } = forecastOf({ ...curve, without: clusters }, wanted).limits[TARGET]!;
      held[name] += Number(lower <= target && target <= upper);
    }
  }
  return { cluster: held.cluster / draws, binomial: held.binomial / draws };
}

if (import.meta.main) {
  console.log("| cohorts | sd of log beta | by the likelihood | by clusters |");
  console.log("| -: | -: | -: | -: |");
  let seed = 1;
  for (const cohorts of [5, 10, 30]) {
    for (const spread of [0, 0.3]) {
      const draws = 2000;
      const { cluster, binomial } = forecastCoverage({ cohorts, spread }, { draws, seed: seed++ });
      const percents = [binomial, cluster].map((part) => (100 * part).toFixed(1)).join(" | ");
      console.log(`| ${cohorts} | ${spread} | ${percents} |`);
    }
  }
}
