import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import {
  cohortTrend,
  counterfactual,
  type DataFrame,
  detectable,
  forecastRetention,
  pl,
  pooledRetention,
  retentionCurves,
} from "../../mod.ts";
import { warned } from "./measured.ts";

const MONTHS = 12;
const wave = (a: number, b: number) => 0.3 + 0.1 * Math.sin(3 * a + b);

const curves = retentionCurves(
  pl.DataFrame(
    ["ads", "search", "mail"].flatMap((funnel, group) =>
      [..."abcd"].flatMap((name, at) =>
        [...Array(MONTHS).keys()].map((month) => ({
          funnel,
          project_id: `${funnel}-${name}`,
          cohort: `2024-${String(month + 1).padStart(2, "0")}`,
          initial_cohort_size: 200,
          ...Object.fromEntries(
            [...Array(MONTHS).keys()].map((age) => [
              `month_${age}`,
              age > 0 ? Math.round(200 * wave(at + group, month) / age ** 0.3) / 200 : 1,
            ]),
          ),
        }))
      )
    ),
  ),
  { since: "2023-01" },
);

const panel = pl.DataFrame(
  [..."abcdefgh"].flatMap((protocol, at) =>
    [...Array(20).keys()].map((day) => ({
      protocol,
      date: `2025-01-${String(day + 1).padStart(2, "0")}`,
      fees_usd: 100 + 10 * wave(at, day * (at + 1)),
    }))
  ),
);

const study = (method: "synthetic" | "sdid") =>
  counterfactual(panel, { field: "fees_usd", starts: { a: "2025-01-15" }, method });

const CALLS: readonly (readonly [notice: RegExp, call: () => DataFrame])[] = [
  [
    /^detectable: 3 pairs of 4 projects take about \d+ (s|min); fewer groups make it shorter$/,
    () => detectable(curves, { by: "funnel", month: 2 }),
  ],
  [
    /^forecastRetention: 12 groups take about \d+ (s|min); fewer groups make it shorter$/,
    () => forecastRetention(curves, { by: "project_id", horizon: 12 }),
  ],
  [
    /^pooledRetention: 12 groups take about \d+ (s|min); fewer groups make it shorter$/,
    () => pooledRetention(curves, { by: "project_id" }),
  ],
  [
    /^cohortTrend: 3 groups take about \d+ (s|min); fewer groups make it shorter$/,
    () => cohortTrend(curves, { by: "funnel", month: 1 }),
  ],
  ...(["synthetic", "sdid"] as const).map((method) =>
    [
      /^counterfactual: 7 placebos of 7 donors and 20 dates take about \d+ (s|min); fewer donors/,
      () => study(method),
    ] as const
  ),
];

Deno.test("analyses announce long work once, before the rest of it, and return the same result", () => {
  const { now } = performance;
  for (const [notice, call] of CALLS) {
    const [expected, before] = warned(call);
    let seconds = 0;
    performance.now = () => 4000 * seconds++;
    let found: ReturnType<typeof warned<DataFrame>>;
    try {
      found = warned(call);
    } finally {
      performance.now = now;
    }
    const [result, notices] = found;
    const own = notices.filter((text) => !before.includes(text));
    strictEqual(own.length, 1, `${notice}: ${notices}`);
    match(own[0]!, notice);
    deepStrictEqual(result.rows(), expected.rows());
  }
});
