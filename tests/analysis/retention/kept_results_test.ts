import { ok } from "node:assert/strict";
import * as chainframe from "../../../mod.ts";
import { activeShare, fitted } from "../../../lib/analysis/retention/retention_models.ts";
import { warned } from "../measured.ts";
import { compared, comparedRandom } from "./compared_results.ts";
import { FAST_SEEDS, randomCohorts } from "./kept_results.ts";

Deno.test("retention functions give the results of 0.4.0 on cohorts of its sample", () => {
  const path = new URL("./kept_sample.csv", import.meta.url);
  const cohorts = chainframe.pl.readCSV(path.pathname, { inferSchemaLength: 1000 });
  compared("sample", chainframe.retentionCurves(cohorts, { since: "2024-01" }));
});

// tests/slow has the other random frames. These have all numbers of sectors, and two in which retention hardly falls.
Deno.test("retention functions give the results of 0.4.0 on random cohorts", async () => {
  await comparedRandom(FAST_SEEDS);
});

interface Month {
  readonly month: number;
  readonly net_activity: number | null;
  readonly at_risk: number | null;
}

/**
 * The log-likelihood of `active`: each month k has the users at risk, divided by the level before, of whom the fraction
 * q · b/(a + b) · (b + 1)/(a + b + 1) ⋯ (b + k - 1)/(a + b + k - 1) is active.
 */
function likelihood(
  curves: chainframe.DataFrame,
  [logA, logB, logitQ = Infinity]: readonly number[],
): number {
  const [a, b] = [Math.exp(logA!), Math.exp(logB!)];
  let [sum, level, share] = [0, 1, 1 / (1 + Math.exp(-logitQ))];
  const months = chainframe.pooledRetention(curves).toRecords() as unknown as Month[];
  for (const { month, net_activity, at_risk } of months) {
    if (month === 0 || net_activity === null) continue;
    share *= (b + month - 1) / (a + b + month - 1);
    const users = at_risk! / level;
    sum += users * (net_activity * Math.log(share) + (1 - net_activity) * Math.log(1 - share));
    level = net_activity;
  }
  return sum;
}

/** The largest slope of the log-likelihood with respect to a parameter, by differences of the fourth order. */
function slopeAt(curves: chainframe.DataFrame, at: readonly number[]): number {
  return Math.max(...at.map((_, each) => {
    const [two, one, minus, less] = [2e-3, 1e-3, -1e-3, -2e-3].map((by) =>
      likelihood(curves, at.map((value, other) => other === each ? value + by : value))
    );
    return Math.abs(8 * (one! - minus!) - (two! - less!)) / 12e-3;
  }));
}

Deno.test("forecastRetention ends at the maximum of the likelihood, where 0.4.0 stopped before it", () => {
  const cohorts = randomCohorts(chainframe, 35);
  const curves = chainframe.retentionCurves(cohorts, { since: null, unit: "count" });
  const [[row]] = warned(() =>
    chainframe.forecastRetention(curves, { by: "all" }).toRecords() as Record<string, number>[]
  );
  const { alpha, beta, log_likelihood } = row!;
  const now = [Math.log(alpha!), Math.log(beta!)];
  // The parameters of 0.4.0, from the kept sums, whose weights add up to 27.4158415842.
  const old = [0.12811075864, 0.109321479401].map((value) => Math.log(value / 27.4158415842));
  ok(Math.abs(likelihood(curves, now) - log_likelihood!) < 1e-6);
  // The maximum is at log alpha -5.365981894 and log beta -5.524584200; 0.4.0 had -5.365981094 and -5.524583392.
  ok(Math.abs(now[0]! + 5.365981894072) < 1e-9 && Math.abs(now[1]! + 5.5245841995828) < 1e-9);
  ok(slopeAt(curves, now) < 1e-6 && slopeAt(curves, old) > 8e-5);
});

Deno.test("a refit ends at the maximum of the likelihood, where 0.4.0 stopped before it", () => {
  const cohorts = randomCohorts(chainframe, 7);
  const curves = chainframe.retentionCurves(cohorts, { since: null, unit: "count" })
    .filter(chainframe.pl.col("project_id").eq(chainframe.pl.lit("p0")).not());
  const months = chainframe.pooledRetention(curves).toRecords() as Record<string, number>[];
  const transitions = months.slice(1).map(({ month, net_activity: level, at_risk: atRisk }, at) => {
    const users = atRisk! / months[at]!.net_activity!;
    return { from: 0, to: month!, lost: users * (1 - level!), kept: users * level! };
  });
  const old = [-4.8411783198241425, -3.7202499513181495, 2.2413202207439866];
  const { at } = fitted("active", transitions, [-4.943815406430537, -4.116539140678678]);
  const q = activeShare(at);
  const now = [at[0]!, at[1]!, Math.log(q / (1 - q))];
  ok(Math.abs(likelihood(curves, now) - likelihood(curves, old) - 0.0119714545) < 1e-6);
  ok(slopeAt(curves, now) < 1e-6 && slopeAt(curves, old) > 0.08);
});
