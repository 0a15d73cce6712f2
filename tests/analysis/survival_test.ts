import { equal, ok } from "node:assert/strict";
import { pooledRetention } from "../../lib/analysis/retention/pooled_retention.ts";
import { pl } from "../../lib/table/columns/polars.ts";
import { checkValue } from "./check_values.ts";

/** Miller's leukaemia data, Maintained: when each patient was lost, or last seen. */
const LOST = [9, 13, 18, 23, 31, 34, 48];
const SEEN = [13, 28, 45, 161];

const TIMES = [0, ...new Set([...LOST, ...SEEN].sort((a, b) => a - b))];

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
      retained: lost && month === end ? 0 : 1,
    }))
  );
  const pooled = pooledRetention(pl.DataFrame(rows), { cluster: "none" });
  for (const row of pooled.filter(pl.col("month").gt(0)).toRecords()) {
    const time = Number(row.month);
    const value = Number(row.net_activity);
    ok(Math.abs(value - checkValue("aml_survival", time)) < 1e-12, `${time}: ${value}`);
  }
  equal(pooled.height, TIMES.length);
});
