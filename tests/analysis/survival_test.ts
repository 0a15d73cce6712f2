import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { pooledRetention } from "../../lib/analysis/pooled_retention.ts";
import { logLogBounds } from "../../lib/analysis/intervals.ts";
import { kaplanMeier } from "../../lib/analysis/net_activity.ts";
import { pl } from "../../lib/table/polars.ts";
import { checkValue, checkValues } from "./check_values.ts";

/** Miller's leukaemia data, Maintained: when each patient was lost, or last seen. */
const LOST = [9, 13, 18, 23, 31, 34, 48];
const SEEN = [13, 28, 45, 161];

const TIMES = [0, ...new Set([...LOST, ...SEEN].sort((a, b) => a - b))];
const AT_RISK = TIMES.map((time) => [...LOST, ...SEEN].filter((end) => end >= time).length);
const LOSSES = TIMES.map((time) => LOST.filter((end) => end === time).length);

Deno.test("kaplanMeier equals R's survfit: curve, Greenwood's errors, log-log bounds", () => {
  const curve = kaplanMeier({
    atRisk: AT_RISK.map((risk, index) => index === 0 ? NaN : risk),
    lost: LOSSES,
  });
  for (const { x: time, value } of checkValues("aml_survival")) {
    const place = TIMES.indexOf(time);
    const { left, logVariance } = curve[place]!;
    const error = left * Math.sqrt(logVariance);
    const { lower, upper } = logLogBounds(left, error, 1.959963984540054);
    for (
      const [got, expected] of [
        [left, value],
        [error, checkValue("aml_error", time)],
        [lower, checkValue("aml_lower", time)],
        [upper, checkValue("aml_upper", time)],
      ] as const
    ) ok(Math.abs(got - expected) < 1e-12, `${time}: ${got} is not ${expected}`);
  }
});

Deno.test("pooledRetention: net activity of single users equals R's survfit", () => {
  const users = [
    ...LOST.map((end) => ({ end, lost: true })),
    ...SEEN.map((end) => ({ end, lost: false })),
  ];
  const rows = users.flatMap(({ end, lost }, user) =>
    TIMES.filter((time) => time <= end).map((month) => ({
      cohort: `user-${user}`,
      month,
      size: 1,
      retention: lost && month === end ? 0 : 1,
    }))
  );
  const pooled = pooledRetention(pl.DataFrame(rows), { cluster: "none" });
  for (const row of pooled.filter(pl.col("month").gt(0)).toRecords()) {
    const time = Number(row.month);
    const names = ["aml_survival", "aml_lower", "aml_upper"];
    const got = [row.net_activity, row.net_activity_lower, row.net_activity_upper].map(Number);
    got.forEach((value, index) => {
      ok(Math.abs(value - checkValue(names[index]!, time)) < 1e-12, `${time}: ${value}`);
    });
  }
  equal(pooled.height, TIMES.length);
});

Deno.test("kaplanMeier is null if no remaining user is observed, and has no bounds where it rises", () => {
  const of = (atRisk: number[], lost: number[]) => {
    const curve = kaplanMeier({ atRisk, lost });
    return {
      survival: curve.map(({ left }) => left),
      known: curve.map(({ logVariance }) => logVariance >= 0),
    };
  };
  deepEqual(of([NaN, 10, 0, 5], [0, 5, 0, 1]), {
    survival: [1, 0.5, NaN, NaN],
    known: [true, true, false, false],
  });
  deepEqual(of([NaN, 10, 5, 10], [0, 5, -5, 5]), {
    survival: [1, 0.5, 1, 0.5],
    known: [true, true, false, false],
  });
  deepEqual(of([NaN, 10, 0, 0], [0, 10, 0, -1]), {
    survival: [1, 0, 0, NaN],
    known: [true, true, true, false],
  });
  deepEqual(of([NaN, 0, 8], [NaN, NaN, 4]), {
    survival: [NaN, NaN, 0.5],
    known: [false, false, true],
  });
  deepEqual(of([], []), { survival: [], known: [] });
});

Deno.test("kaplanMeier of one falling cohort equals its retention", () => {
  const falling = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 11 })
    .map((values) => [1_000_000, ...values.sort((a, b) => b - a)]);
  fc.assert(
    fc.property(falling, (retained) => {
      const curve = kaplanMeier({
        atRisk: retained.map((_, month) => retained[month - 1] ?? NaN),
        lost: retained.map((now, month) => (retained[month - 1] ?? now) - now),
      });
      curve.forEach(({ left }, month) => {
        ok(Math.abs(left - retained[month]! / 1_000_000) < 1e-9);
      });
    }),
    { seed: 5, numRuns: 200 },
  );
});
