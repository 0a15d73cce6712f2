import assert from "node:assert/strict";
import fc from "fast-check";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { rowsOf } from "../../../lib/table/show/show.ts";
import { where } from "../../../lib/table/read/where.ts";

const frame: DataFrame = pl.DataFrame([
  pl.Series("row", [0, 1, 2, 3], pl.Int64),
  pl.Series("chain_id", ["alder", "basalt", null, "row"] as string[], pl.Utf8),
  pl.Series("fees", [100, null, 250.5, NaN] as number[], pl.Float64),
  pl.Series("live", [true, false, null, true] as boolean[], pl.Bool),
  pl.Series(
    "date",
    [new Date("2025-02-28"), new Date("2025-03-01"), null, new Date("2025-03-31")] as Date[],
    pl.Date,
  ),
  pl.Series(
    "time",
    [
      new Date("2025-03-31T23:59:59.999Z"),
      new Date("2025-04-01T00:00:00Z"),
      null,
      new Date("2026-01-01T12:00:00Z"),
    ] as Date[],
    pl.Datetime("ms"),
  ),
  pl.DataFrame({ list: [["a"], ["b"], ["c"], ["d"]] }).getColumn("list"),
]);

for (
  const [conditions, rows] of [
    [{}, [0, 1, 2, 3]],
    [{ chain_id: "alder" }, [0]],
    [{ chain_id: "row" }, [3]],
    [{ chain_id: "nowhere" }, []],
    [{ chain_id: null }, [2]],
    [{ chain_id: ["alder", "row"] }, [0, 3]],
    [{ chain_id: ["alder", null] }, [0, 2]],
    [{ chain_id: [null] }, [2]],
    [{ chain_id: [] }, []],
    [{ chain_id: { not: "alder" } }, [1, 3]],
    [{ chain_id: { not: ["alder", "basalt"] } }, [3]],
    [{ chain_id: { not: null } }, [0, 1, 3]],
    [{ chain_id: { not: [] } }, [0, 1, 3]],
    [{ fees: 100 }, [0]],
    [{ fees: [100, 250.5] }, [0, 2]],
    [{ row: [1, 2.5, 3] }, [1, 3]],
    [{ fees: { from: 100.5 } }, [2]],
    [{ fees: { from: 100 } }, [0, 2]],
    [{ fees: { to: 250 } }, [0]],
    [{ fees: { from: 100, to: 250.5 } }, [0, 2]],
    [{ fees: { from: 101, not: 250.5 } }, []],
    [{ fees: null }, [1]],
    [{ row: { from: 0.5, to: 2 } }, [1, 2]],
    [{ live: true }, [0, 3]],
    [{ live: [false, null] }, [1, 2]],
    [{ date: "2025-03" }, [1, 3]],
    [{ date: new Date("2025-03-31") }, [3]],
    [{ date: { from: "2025-03" } }, [1, 3]],
    [{ date: { to: "2025-02" } }, [0]],
    [{ date: { to: "2025-03" } }, [0, 1, 3]],
    [{ date: { to: "2025-03-30" } }, [0, 1]],
    [{ date: { from: "2025-03-01", to: "2025-03-01" } }, [1]],
    [{ date: { from: new Date("2025-03-31") } }, [3]],
    [{ date: { not: "2025-02" } }, [1, 3]],
    [{ time: { to: "2025-03" } }, [0]],
    [{ time: { from: "2025-04", to: "2025" } }, [1]],
    [{ time: { from: "2026-01-01T12:00:00Z" } }, [3]],
    [{ time: "2026" }, [3]],
    [{ chain_id: { from: "b" } }, [1, 3]],
    [{ list: { not: null } }, [0, 1, 2, 3]],
    [{ chain_id: ["alder", "basalt"], live: false }, [1]],
  ] as [Record<string, never>, number[]][]
) {
  Deno.test(`where ${JSON.stringify(conditions)} leaves rows ${rows.join(", ") || "none"}`, () => {
    assert.deepEqual(where(frame, conditions).getColumn("row").toArray(), rows);
  });
}

const refused = (name: string, dtype: string, got: string) =>
  `where: ${name}: must be a value of ${dtype}, null, a list, or { from, to, not }; ` +
  `dates are written 2025-03-31, 2025-03 or 2025; got ${got}`;

for (
  const [conditions, message] of [
    [{ chain: "alder" }, /^where: chain: did you mean chain_id\? known: row, chain_id/],
    [{ fees: "100" }, refused("fees", "Float64", '"100"')],
    [{ fees: NaN }, refused("fees", "Float64", "NaN")],
    [{ fees: { from: "1" } }, refused("fees", "Float64", '{ from: "1" }')],
    [{ fees: { from: "2025" } }, refused("fees", "Float64", '{ from: "2025" }')],
    [{ fees: { above: 1 } }, refused("fees", "Float64", "{ above: 1 }")],
    [{ fees: { from: 1, below: 2 } }, refused("fees", "Float64", "{ from: 1, below: 2 }")],
    [{ fees: {} }, refused("fees", "Float64", "{}")],
    [{ chain_id: 7 }, refused("chain_id", "String", "7")],
    [{ chain_id: ["alder", 7] }, refused("chain_id", "String", '[ "alder", 7 ]')],
    [{ chain_id: undefined }, refused("chain_id", "String", "nothing")],
    [{ live: "true" }, refused("live", "Bool", '"true"')],
    [{ date: "March" }, refused("date", "Date", '"March"')],
    [{ date: { to: "2025-02-30" } }, refused("date", "Date", '{ to: "2025-02-30" }')],
    [{ list: "a" }, refused("list", "List(String)", '"a"')],
    [[], "where: conditions: must be an object; got []"],
  ] as [never, string | RegExp][]
) {
  Deno.test(`where refuses ${Deno.inspect(conditions)}`, () => {
    assert.throws(() => where(frame, conditions), { name: "RangeError", message });
  });
}

Deno.test("where equals a reading of the rows one by one", () => {
  const text = fc.constantFrom("alder", "basalt", "row", null);
  const number = fc.constantFrom(0, 1, 2.5, NaN, null);
  const condition = fc.record({
    chain_id: fc.oneof(text, fc.array(text)),
    fees: fc.record({ from: fc.double({ noNaN: true }), to: fc.double({ noNaN: true }) }),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, number), { minLength: 1 }), condition, (rows, given) => {
      const made = pl.DataFrame([
        pl.Series("chain_id", rows.map(([id]) => id) as string[], pl.Utf8),
        pl.Series("fees", rows.map(([, fees]) => fees) as number[], pl.Float64),
      ]);
      const expected = rows.filter(([id, fees]) => {
        const wanted = given.chain_id;
        const named = wanted === undefined ||
          (Array.isArray(wanted) ? wanted.includes(id) : wanted === id);
        const bounds = given.fees;
        return named && (bounds === undefined ||
          (fees !== null && fees >= bounds.from && fees <= bounds.to));
      });
      const found = where(made as DataFrame, given as never);
      assert.deepEqual(found.rows(), expected);
    }),
    { seed: 16 },
  );
});

Deno.test("rowsOf gives dates as Date, null as null, lists as arrays", () => {
  assert.deepEqual(rowsOf(frame.slice(0, 1)), [{
    row: 0,
    chain_id: "alder",
    fees: 100,
    live: true,
    date: new Date("2025-02-28"),
    time: new Date("2025-03-31T23:59:59.999Z"),
    list: ["a"],
  }]);
  assert.deepEqual(Object.values(rowsOf(frame.slice(2, 1))[0]!), [
    2,
    null,
    250.5,
    null,
    null,
    null,
    ["c"],
  ]);
  assert.deepEqual(rowsOf(frame.head(0)), []);
});

Deno.test("where reads moments without an offset in UTC, whatever the zone of the machine", () => {
  const zone = Deno.env.get("TZ");
  try {
    for (const each of ["UTC", "Asia/Tokyo", "America/Los_Angeles"]) {
      Deno.env.set("TZ", each);
      const rows = (from: string) => where(frame, { time: { from } }).getColumn("row").toArray();
      assert.deepEqual(rows("2025-04-01T00:00:00"), [1, 3], each);
      assert.deepEqual(rows("2025-04-01T02:00:00.001+02:00"), [3], each);
      for (const from of ["2025-02-30T00:00:00", "Jan 2, 2026 T", "2026-01-02T24:00:00Z"]) {
        assert.throws(
          () => where(frame, { time: { from } }),
          /where: time: must be a value of Date/,
        );
      }
    }
  } finally {
    if (zone === undefined) Deno.env.delete("TZ");
    else Deno.env.set("TZ", zone);
  }
});
