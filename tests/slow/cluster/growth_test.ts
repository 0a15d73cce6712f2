import { ok } from "node:assert/strict";
import { measureGrowth } from "./measure_growth.ts";
import { HAS_CLICKHOUSE } from "./shards.ts";

Deno.test({
  name: "downloads from shards grow by less than the square root of the rows, as users grow",
  ignore: !HAS_CLICKHOUSE,
  fn: async () => {
    const [first, second, last] = await measureGrowth([1_000, 4_000, 16_000], false);
    const power = (one: { rows: number; bytes: number }, other: typeof one) =>
      Math.log(other.bytes / one.bytes) / Math.log(other.rows / one.rows);
    const told = [first, second, last].map((each) => `${each!.bytes} bytes of ${each!.rows} rows`);
    ok(last!.rows > 15 * first!.rows, told.join(", "));
    ok(first!.bytes > 100_000, told.join(", "));
    ok(power(first!, last!) < 0.5, told.join(", "));
    // It comes to an end, as there are only so many groups.
    ok(power(second!, last!) < power(first!, second!), told.join(", "));
  },
});
