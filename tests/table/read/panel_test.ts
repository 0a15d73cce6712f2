import { deepEqual, equal, throws } from "node:assert/strict";
import { pl } from "../../../mod.ts";
import { panelGaps, panelOf, panelValues } from "../../../lib/table/read/panel.ts";
import type { DataFrame } from "../../../mod.ts";

const fn = "read";

/** Makes a monthly frame from the values of each protocol. Undefined means no row. */
function monthly(values: Readonly<Record<string, readonly (number | null | undefined)[]>>) {
  const rows = Object.entries(values).flatMap(([protocol, fees]) =>
    fees.flatMap((value, month) =>
      value === undefined ? [] : [{ protocol, date: new Date(Date.UTC(2025, month)), fees: value }]
    )
  );
  return pl.DataFrame(rows);
}

function gapsOf(frame: DataFrame, levels = false) {
  const panel = panelOf(frame, { fn });
  const { lacks, totals, sparse } = panelGaps(panel, panelValues(panel, "fees"), { levels });
  return { lacks: [...lacks], totals: [...totals], sparse: sparse.map((at) => panel.keys[at]) };
}

Deno.test("panelOf gives each row the cell of its entity and period", () => {
  const frame = monthly({ a: [1, undefined, 3], b: [4, 5, null] });
  const panel = panelOf(frame, { fn });
  deepEqual(panel.keys, ["a", "b"]);
  equal(panel.every, "month");
  deepEqual([...panel.cells], [0, 2, 3, 4, 5]);
  deepEqual([...panelValues(panel, "fees")], [1, NaN, 3, 4, 5, NaN]);
  deepEqual([...panel.complete], [1, 1, 1]);
  const day = (text: string) => Date.parse(text) / 86_400_000;
  deepEqual([...panel.ends], ["2025-01-31", "2025-02-28", "2025-03-31"].map(day));
});

Deno.test("panelOf refuses null dates, and two rows for one entity and period", () => {
  const twice = pl.concat([monthly({ a: [1, 2] }), monthly({ a: [3] })]);
  throws(() => panelOf(twice, { fn, entity: "protocol" }), {
    message: "read: entity: two rows have the same protocol, date; got row 0: protocol a, date " +
      "2025-01-01; row 2: protocol a, date 2025-01-01; name the columns of the entity, or keep the first: " +
      'frame.unique({ subset: ["protocol", "date"], keep: "first", maintainOrder: true })',
  });
  const none = monthly({ a: [1], b: [2] }).withColumn(
    pl.when(pl.col("fees").gt(1)).then(pl.lit(null)).otherwise(pl.col("date")).alias("date"),
  );
  throws(
    () => panelOf(none, { fn, entity: "protocol" }),
    /date: must not be null; got null in row 1/,
  );
});

Deno.test("panelGaps tells entries, gaps and exits apart", () => {
  const frame = monthly({
    enters: [undefined, 1, 1, 1],
    gap: [1, undefined, 1, 1],
    leaves: [1, 1, undefined, undefined],
    late: [1, 1, 1, undefined],
  });
  deepEqual(gapsOf(frame).lacks, [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  // An exit of a level is known after two later periods.
  deepEqual(gapsOf(frame, true).lacks.slice(8), [0, 0, 1, 1, 0, 0, 0, 1]);
});

Deno.test("a total is incomplete if what is missing was more than 2% of it", () => {
  deepEqual(gapsOf(monthly({ giant: [98, 98, 98], a: [2, undefined, 2] })).totals, [1, 1, 1]);
  deepEqual(gapsOf(monthly({ giant: [97, 97, 97], a: [3, undefined, 3] })).totals, [1, 0, 1]);
});

Deno.test("an entity with values in fewer than half of its periods does not make totals incomplete", () => {
  const { totals, sparse } = gapsOf(monthly({
    a: [5, 5, 5, 5, 5],
    rare: [5, undefined, undefined, undefined, 5],
  }));
  deepEqual([totals, sparse], [[1, 1, 1, 1, 1], ["rare"]]);
});
