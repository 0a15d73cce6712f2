// deno-lint-ignore-file no-import-prefix -- the project's door to the database belongs to the service
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { DuckDBInstance } from "npm:@duckdb/node-api@1.5.5-r.5";
import { Buffer } from "node:buffer";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import { pl } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { inFolder } from "../in_folder.ts";
import { cellsOf, openText } from "./open_text.ts";

/** Returns a Parquet file of DuckDB with the days 1 and 2 January, and a column x. */
async function parquet(x: string): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  const instance = await DuckDBInstance.create();
  const database = await instance.connect();
  try {
    await inFolder(async (folder) => {
      await database.run(
        `COPY (SELECT DATE '2026-01-01' + i::INT AS day, ${x} AS x FROM range(2) t(i)
         UNION ALL SELECT DATE '2026-01-03', NULL) TO '${folder}/x.parquet' (FORMAT parquet)`,
      );
      bytes = await Deno.readFile(`${folder}/x.parquet`);
    });
  } finally {
    database.closeSync();
    instance.closeSync();
  }
  return bytes;
}

for (
  const [kind, x, cells, told] of [
    ["bytes", "'\\x17\\x82\\x98'::BLOB", ["0x178298", "0x178298", null], "x: read binary as hex"],
    ["bytes of text", "'abc'::BLOB", ["abc", "abc", null], "x: read binary as text"],
    ["JSON", `'{"a":1}'::JSON`, ['{"a":1}', '{"a":1}', null], "x: read binary as text"],
    ["enum", "'a'::ENUM('a', 'b')", ["a", "a", null], undefined],
    ["hugeint", "5::HUGEINT", [5, 5, null], undefined],
    ["decimal", "1.25::DECIMAL(10, 2)", [1.25, 1.25, null], undefined],
    ["time of day", "TIME '12:00:00'", ["12:00:00", "12:00:00", null], undefined],
    [
      "list of bytes",
      "['\\xAA'::BLOB]",
      null,
      "x: left out, because list[binary] is not supported",
    ],
    [
      "list of decimals",
      "[1.25::DECIMAL(10, 2)]",
      null,
      "x: left out, because list[decimal[10,2]] is not supported",
    ],
    [
      "struct of bytes",
      "{'b': '\\xAA'::BLOB}",
      null,
      "x: left out, because struct[1] is not supported",
    ],
  ] as const
) {
  Deno.test(`openFrame reads a Parquet file with a column of ${kind}`, async () => {
    const read = await openText(await parquet(x), {}, "a.parquet");
    const { day, ...others } = cellsOf(read.frame);
    strictEqual(day!.length, 3);
    deepStrictEqual(others, cells === null ? {} : { x: cells });
    deepStrictEqual(read.told, told === undefined ? [] : [`openFrame: ${told}`]);
    deepStrictEqual(provenanceOf(read.frame).notes, told === undefined ? undefined : [told]);
  });
}

Deno.test("a column of UUIDs is hex or text with the dtype String", async () => {
  const { frame } = await openText(await parquet("gen_random_uuid()"), {}, "a.parquet");
  deepStrictEqual(dtypeNames(frame), ["Date", "String"]);
  ok(
    cellsOf(frame).x!.slice(0, 2).every((each) =>
      /^(?:0x[0-9a-f]{32}|[0-9a-f-]{36})$/.test(each as string)
    ),
  );
});

/** Returns a Parquet file of polars with a column of a dtype that its types for JavaScript do not have. */
function cast(texts: readonly (string | null)[], dtype: unknown): Uint8Array {
  const plain = String(pl.col("x").cast(pl.Int64).serialize("json"));
  const written = plain.replace('"Int64"', JSON.stringify(dtype));
  const expression = pl.Expr.deserialize(Buffer.from(written), "json");
  return pl.DataFrame({ x: texts }).select(expression, pl.lit(1).alias("v")).writeParquet();
}

Deno.test("openFrame reads columns of Enum and Int128 as text", async () => {
  const names = [...pl.DataFrame([pl.Series("", ["a", "b"])]).writeIPCStream()];
  const huge = "170141183460469231731687303715884105727";
  for (
    const [texts, dtype, told] of [
      [["b", "a", null], { Enum: { strings: names } }, "x: read enum as text"],
      [[huge, "-5", null], "Int128", "x: read i128 as text"],
    ] as const
  ) {
    const read = await openText(cast(texts, dtype), {}, "a.parquet");
    deepStrictEqual(cellsOf(read.frame), { x: texts, v: [1, 1, 1] });
    deepStrictEqual(read.told, [`openFrame: ${told}`]);
  }
});

Deno.test("the error for a Parquet file with an interval names the position of its column", async () => {
  await rejects(
    openText(await parquet("INTERVAL 1 DAY"), {}, "a.parquet"),
    /cannot read parquet: the column at position 1 \(from 0\) cannot be read: /,
  );
});
