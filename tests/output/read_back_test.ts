// deno-lint-ignore-file no-import-prefix -- tests read the files with something else than what wrote them
import { deepStrictEqual, ok } from "node:assert/strict";
import { tableFromIPC } from "npm:apache-arrow@21.2.0";
import { save } from "../../lib/output/save.ts";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import { dateColumn, utf8 } from "../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { inFolder } from "../scripts/run_script.ts";
import { duckdbColumns } from "./duckdb_rows.ts";
import { PANDAS, pandasColumns } from "./pandas_columns.ts";
import { sixFrames } from "./six_frames.ts";

const frames = await sixFrames();
const DUCKDB: Readonly<Record<string, string>> = { Float64: "DOUBLE", String: "VARCHAR" };

function duckdbType(dtype: string): string {
  const struct = /^List\(Struct\((.*)\)\)$/.exec(dtype)?.[1];
  if (struct !== undefined) {
    return `STRUCT(${struct.split(", ").map((name) => `"${name}" VARCHAR`).join(", ")})[]`;
  }
  return dtype === "List(String)" ? "VARCHAR[]" : DUCKDB[dtype]!;
}

function duckdbTypes(frame: DataFrame, of: (dtype: string) => string): string {
  const dtypes = dtypeNames(frame);
  return frame.columns.map((name, index) => `'${name}': '${of(dtypes[index]!)}'`).join(", ");
}

/** The columns as plain JavaScript values. */
function columnsOf(frame: DataFrame): Record<string, unknown[]> {
  return Object.fromEntries(frame.columns.map((name) => [name, frame.getColumn(name).toArray()]));
}

function eachSaved(
  ending: string,
  look: (path: string, frame: DataFrame) => Promise<void> | void,
): Promise<void> {
  return inFolder(async (folder) => {
    for (const [operation, frame] of frames) {
      const path = `${folder}/${operation}.${ending}`;
      await save(frame, path);
      await look(path, frame);
    }
  });
}

async function sameInDuckdb(sql: string, frame: DataFrame): Promise<void> {
  const read = await duckdbColumns(sql);
  deepStrictEqual(
    Object.entries(read).map(([name, { type }]) => [name, type]),
    dtypeNames(frame).map((dtype, index) => [frame.columns[index], duckdbType(dtype)]),
  );
  const values = Object.entries(read).map(([name, column]) => [name, column.values]);
  deepStrictEqual(Object.fromEntries(values), columnsOf(frame));
}

Deno.test("the frames of these tests have rows, nulls, zeros, and every dtype", () => {
  const dtypes = new Set(frames.flatMap(([, frame]) => dtypeNames(frame)));
  deepStrictEqual([...dtypes].sort(), [
    "Float64",
    "List(String)",
    "List(Struct(metric_id, definition))",
    "List(Struct(summary, url))",
    "String",
  ]);
  ok(frames.every(([, frame]) => frame.height > 0));
  const fees = frames[0]![1].getColumn("fees_sum").toArray();
  deepStrictEqual(fees.slice(0, 3), [0, null, 0.1]);
});

Deno.test("DuckDB reads saved Parquet files as the frames", async () => {
  await eachSaved("parquet", (path, frame) => sameInDuckdb(`from read_parquet('${path}')`, frame));
});

Deno.test("DuckDB reads saved NDJSON and JSON files as the frames", async () => {
  for (const [ending, format] of [["ndjson", "newline_delimited"], ["json", "array"]] as const) {
    await eachSaved(ending, (path, frame) =>
      sameInDuckdb(
        `from read_json('${path}', format='${format}', columns={${
          duckdbTypes(frame, duckdbType)
        }})`,
        frame,
      ));
  }
});

Deno.test("DuckDB reads saved CSV files as the frames, with lists as JSON text", async () => {
  const text = (dtype: string) => dtype === "Float64" ? "DOUBLE" : "VARCHAR";
  await eachSaved("csv", async (path, frame) => {
    const options = `header=true, delim=',', quote='"', escape='"', allow_quoted_nulls=false`;
    const read = await duckdbColumns(
      `from read_csv('${path}', ${options}, columns={${duckdbTypes(frame, text)}})`,
    );
    const dtypes = dtypeNames(frame);
    const columns = Object.entries(read).map(([name, { values }], index) => {
      const isList = dtypes[index]!.startsWith("List");
      const cells = isList
        ? values.map((v) => v === null ? null : JSON.parse(v as string))
        : values;
      return [name, cells];
    });
    deepStrictEqual(Object.fromEntries(columns), columnsOf(frame));
  });
});

Deno.test({
  name: "pandas reads saved CSV files as the frames, with the dtypes of the side-car",
  ignore: PANDAS === null,
  fn: async () => {
    await eachSaved("csv", async (path, frame) => {
      const dtypes = dtypeNames(frame);
      const expected = frame.columns.map((name, index) => {
        const cells: unknown[] = frame.getColumn(name).toArray();
        const isList = dtypes[index]!.startsWith("List");
        // pandas knows one missing value, and an empty cell is it.
        const same = (cell: unknown) =>
          isList && cell !== null ? JSON.stringify(cell) : cell || cell === 0 ? cell : null;
        return [name, cells.map(same)];
      });
      deepStrictEqual((await pandasColumns(path))[1], Object.fromEntries(expected));
    });
    await inFolder(async (folder) => {
      const path = `${folder}/days.csv`;
      const days = [new Date("2026-01-05"), null];
      await save(
        pl.DataFrame([
          pl.Series("rank", [1, null], pl.Int64),
          pl.Series("complete", [true, null], pl.Bool),
          dateColumn("date", days),
          utf8("id", ["007", null]),
        ]),
        path,
      );
      deepStrictEqual(await pandasColumns(path), [
        { rank: "Int64", complete: "boolean", date: "datetime64[ns]", id: "object" },
        {
          rank: [1, null],
          complete: [true, null],
          date: ["2026-01-05T00:00:00", null],
          id: ["007", null],
        },
      ]);
    });
  },
});

Deno.test("apache-arrow reads saved Arrow files as the frames", async () => {
  await eachSaved("arrow", async (path, frame) => {
    const table = tableFromIPC(await Deno.readFile(path));
    const types = table.schema.fields.map(({ name, type }) => [name, String(type)]);
    const plain = (type: string) =>
      type.replaceAll("Utf8View", "String").replace(/^LargeList<String>$/, "List(String)")
        .replace(
          /^LargeList<Struct<\{(.*)\}>>$/,
          (_, inner: string) => `List(Struct(${inner.replaceAll(":String", "")}))`,
        );
    deepStrictEqual(
      types.map(([name, type]) => [name, plain(type!)]),
      dtypeNames(frame).map((dtype, index) => [frame.columns[index], dtype]),
    );
    const rows = JSON.parse(JSON.stringify(table.toArray()));
    deepStrictEqual(rows, JSON.parse(JSON.stringify(frame.toRecords())));
  });
});
