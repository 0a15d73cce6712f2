import { deepEqual, equal, ok } from "node:assert/strict";
import * as chainframe from "../../../mod.ts";
import { warned } from "../measured.ts";
import { CALLS, type Kept, keptOf, LEFT, randomCohorts } from "./kept_results.ts";

// The values of version 0.4.0 on cohorts of its sample and on random cohorts.
const [, ...lines] = Deno.readTextFileSync(new URL("./kept_results.csv", import.meta.url))
  .trim().split("\n");
const kept = Map.groupBy(
  lines.map((line) => {
    const [frame, call, column, count, value] = line.split(";") as [
      string,
      string,
      string,
      ...[
        string,
        string,
      ],
    ];
    return { key: `${frame};${call}`, column, count: Number(count), value: Number(value) };
  }).filter(({ column }) => !LEFT.test(column)),
  ({ key }) => key,
);

const BOUNDS = ["lower", "upper"];

/** Columns whose values changed on purpose, by call, with the test that has their values by hand. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // The mean of shares: pooled_retention_test.ts, "unweighted estimates what the typical project retains".
  "pooledRetention by sector, unweighted": ["retention", "lower", "upper"],
  // Shocks that units share, and degrees of freedom of at most twice the smaller ones: shared_shocks_test.ts.
  "pooledRetention": BOUNDS,
  "pooledRetention by sector": BOUNDS,
  "compareRetention by project": [...BOUNDS, "lower_all", "upper_all", "p_value", "p_adjusted"],
  "compareRetention by sector": [...BOUNDS, "lower_all", "upper_all", "p_value", "p_adjusted"],
  "forecastRetention": BOUNDS,
  "forecastRetention by sector, sbg": BOUNDS,
  // The difference of Mantel and Haenszel: retention_groups_test.ts, "paired tests are the difference of …".
  "compareRetention by span": [
    ...["difference", "lower", "lower_all", "p_adjusted", "p_value", "retention_a"],
    ...["retention_b", "upper", "upper_all"],
  ],
};

/**
 * Bounds of forecasts of the frames in which retention hardly falls: refits of 0.4.0 ended on a flat part of the
 * likelihood, before its maximum. The last test has both points by hand.
 */
const FLAT =
  /^random (3|7|11|15|19|23|27|31|35|39), forecastRetention( by project)?, .*(lower|upper)$/;

/**
 * Tests of a sector of one project against several, of the frames that have such a sector: 0.4.0 took the project for a
 * new observation, which has no bounds.
 */
const ALONE =
  /^(sample|random (1|2|10|11|19|20|28|29|37|38)), compareRetention by sector, (p_value|p_adjusted|test)$/;

/**
 * Parameters of forecasts of 0.4.0 have an error of up to 3e-5: its search ended where a step gained less than 1e-13 of
 * the likelihood of a user. Its standard errors came from derivatives by differences.
 */
const tolerance = (call: string) => /forecast/.test(call) ? 1e-4 : 1e-9;

/** Compares the results of all calls on a frame with those of 0.4.0. */
export function compared(name: string, curves: chainframe.DataFrame): void {
  for (const [call, run] of Object.entries(CALLS)) {
    const expected = new Map(kept.get(`${name};${call}`)!.map((each) => [each.column, each]));
    const [found] = warned(() => keptOf(run(chainframe, curves)));
    const open = EXCEPTIONS[call] ?? [];
    const known = found.filter(({ column }) =>
      !/^(cluster|rests_on|cumulative.*)$/.test(column) || expected.has(column)
    );
    deepEqual(known.map(({ column }) => column), [...expected.keys()], `${name}, ${call}`);
    for (const { column, count, value, scale } of known as Kept[]) {
      const where = `${name}, ${call}, ${column}`;
      if (open.includes(column) || FLAT.test(where) || ALONE.test(where)) continue;
      const old = expected.get(column)!;
      equal(count, old.count, where);
      ok(Math.abs(value - old.value) <= tolerance(call) * (scale || 1), `${where}: ${value}`);
    }
  }
}

/** Compares the results of all calls on random frames with those of 0.4.0. */
export async function comparedRandom(seeds: Iterable<number>): Promise<void> {
  for (const seed of seeds) {
    const cohorts = randomCohorts(chainframe, seed);
    compared(
      `random ${seed}`,
      chainframe.retentionCurves(cohorts, { since: null, unit: "count" }),
    );
    await new Promise((done) => setTimeout(done, 0));
  }
}
