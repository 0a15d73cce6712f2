import { deepEqual, equal, match, ok } from "node:assert/strict";
import { forecastRetention } from "../../../lib/analysis/retention/forecast_retention.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { near } from "../measured.ts";
import { boundsAgree, compared, curvesOf, type Group, type Row } from "./shocked_groups.ts";

const DE: Group = {
  name: "DE",
  year: 2025,
  units: "x",
  sizes: [80, 120, 200, 150],
  retained: [
    [15, 10, 19, 16, 16, 17, 17, 16, 12],
    [27, 22, 38, 30, 32, 32, 31, 41, 30],
    [75, 66, 106, 85, 91, 84, 87, 102, 67],
    [39, 32, 50, 35, 44, 43, 40, 45, 32],
  ],
};
const FR: Group = {
  name: "FR",
  year: 2024,
  units: "y",
  sizes: [100, 90, 160],
  retained: [
    [13, 13, 19, 15, 20, 26, 25, 25, 21],
    [12, 11, 12, 14, 17, 23, 25, 24, 18],
    [14, 16, 15, 18, 20, 30, 33, 30, 21],
  ],
};

Deno.test("months that move all units of a group widen a comparison", () => {
  // numpy: V = V_units + sum(max(0, V_blocks - V_binomial)), Satterthwaite, scipy's t.
  near(compared(curvesOf([DE, FR])).p_value, 0.08600793347529433, 1e-9);
  equal(compared(curvesOf([DE, FR])).rests_on, "4 against 3 units");
  const users = compared(curvesOf([DE, FR]), "country", { cluster: "none" });
  equal(users.rests_on, "4,950 against 3,150 users");
  // With the same dates, a block is left out of both groups at once.
  near(compared(curvesOf([DE, { ...FR, year: 2025 }])).p_value, 0.08241093604159763, 1e-9);
  // All cohorts of one date: units alone.
  const alone = curvesOf([DE, FR]).withColumn(
    pl.lit(new Date(Date.UTC(2025, 0))).cast(pl.Date).alias("cohort_date"),
  );
  const row = compared(alone);
  near(row.p_value, 0.08047850988298211, 1e-9);
  equal(
    row.reason,
    "fewer than three cohort dates: shocks that all units share at one time are not in the interval",
  );
});

Deno.test("months that move all units widen a comparison of spans", () => {
  const before: Group = {
    ...DE,
    name: "before",
    retained: [
      [23, 17, 16, 17, 12, 16, 12, 13, 13],
      [43, 37, 32, 36, 30, 35, 28, 36, 29],
      [49, 48, 47, 56, 33, 44, 36, 37, 34],
      [47, 50, 47, 53, 39, 42, 40, 47, 41],
    ],
  };
  const after: Group = {
    ...DE,
    name: "after",
    year: 2026,
    sizes: [60, 150, 180, 150],
    retained: [
      [18, 17, 16, 22, 21, 17],
      [39, 41, 41, 51, 46, 33],
      [47, 47, 49, 51, 61, 39],
      [35, 32, 37, 35, 37, 27],
    ],
  };
  const row = compared(curvesOf([after, before], "span"), "span");
  deepEqual([row.test, row.rests_on], ["paired", "4 units in both"]);
  near(row.difference, 0.012659814685042427, 1e-9);
  near(row.p_value, 0.77614585622305, 1e-9);
  // The interval of units alone is wider here, because it has fewer degrees of freedom.
  near(row.upper - row.difference, 0.1334193450454667, 1e-9);
  equal(row.reason, null);
  const worse = after.retained.map((kept) => kept.map((each, at) => Math.round(each / (1 + at))));
  const shocked = compared(curvesOf([{ ...after, retained: worse }, before], "span"), "span");
  match(shocked.reason, /^\d\d% of the variance is shocks that units share, seen in three blocks$/);
});

// tests/slow has more groups.
Deno.test("bounds and p values agree, are not below those of units alone, and ignore the order of rows", () =>
  boundsAgree({ seed: 11, numRuns: 5 }));

Deno.test("bounds of a forecast by units allow for months that move all units", () => {
  const shocks = [0.5, 0.45, 0.4, -0.5, -0.45, -0.4, 0.1, 0, 0.1, 0, 0.05, 0.02];
  const rows = [0, 1, 2, 3].flatMap((unit) =>
    shocks.flatMap((shock, at) =>
      [1, 2, 3, 4, 5].map((month) => ({
        funnel: `f${unit}`,
        cohort: `2024-${String(at + 1).padStart(2, "0")}`,
        month,
        size: 1000,
        retained: Math.round(
          1000 / (1 + Math.exp(0.2 + 0.7 * Math.log(month) - shock - 0.02 * unit)),
        ),
      }))
    )
  );
  const curves = retentionCurves(pl.DataFrame(rows), { since: null });
  const width = (frame: DataFrame) => {
    const row = forecastRetention(frame, { horizon: 8 }).toRecords().at(-1) as Row;
    deepEqual([row.bounds, row.cluster], ["cluster", "funnel"]);
    return { ...row, width: row.upper - row.lower };
  };
  const [wide, alone] = [
    width(curves),
    width(curves.withColumn(
      pl.lit(new Date(Date.UTC(2025, 0))).cast(pl.Date).alias("cohort_date"),
    )),
  ];
  ok(wide.width > 2 * alone.width, `${wide.width} ${alone.width}`);
  near(wide.predicted, alone.predicted, 1e-9);
  match(wide.reason, /^\d+% of the variance is shocks that units share/);
  match(alone.reason, /^fewer than three cohort dates: shocks/);
});
