// deno-lint-ignore-file no-import-prefix -- only this test unpacks a workbook
import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { strFromU8, unzipSync } from "npm:fflate@0.8.3";
import { excelBytes } from "../../lib/output/excel.ts";
import { save } from "../../lib/output/save.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { annotate } from "../../lib/table/track/provenance.ts";
import { frameOf } from "./frame_of.ts";
import { inFolder } from "../scripts/run_script.ts";
import { response } from "../table/response.ts";

function unescaped(text: string): string {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'").replace(/&amp;/g, "&");
}

/** The cells of a sheet by their address, as Excel reads them: texts by their place in the shared list. */
async function cellsOf(frame: DataFrame, sheet = 1): Promise<Record<string, string>> {
  const files = unzipSync(await excelBytes(frame, frame));
  const shared = [...strFromU8(files["xl/sharedStrings.xml"]!).matchAll(/<t[^>]*>([^]*?)<\/t>/g)]
    .map(([, text]) => unescaped(text!));
  const cells = strFromU8(files[`xl/worksheets/sheet${sheet}.xml`]!)
    .matchAll(/<c r="([A-Z]+\d+)"([^>]*)><v>([^<]*)<\/v>/g);
  return Object.fromEntries(
    [...cells].map(([, address, form, value]) => [
      address,
      form!.includes('t="s"') ? JSON.stringify(shared[Number(value)]) : value,
    ]),
  );
}

Deno.test("excelBytes keeps numbers to the last digit, dates as dates, and texts as texts", async () => {
  const frame = frameOf({
    id: ["Utf8", "007", "=1+1", null, ""],
    fees: ["Float64", 0.1 + 0.2, -1e21, null, 5e-324],
    live: ["Bool", true, false, null, true],
    day: ["Date", new Date("2025-03-31"), new Date("1850-01-01"), null, new Date("1900-03-01")],
    count: ["Int64", 1, 9007199254740991, null, -3],
  });
  deepStrictEqual(await cellsOf(frame), {
    A1: '"id"',
    B1: '"fees"',
    C1: '"live"',
    D1: '"day"',
    E1: '"count"',
    A2: '"007"',
    B2: "0.30000000000000004",
    C2: "1",
    D2: "45747",
    E2: "1",
    A3: '"=1+1"',
    B3: "-1e+21",
    C3: "0",
    D3: '"1850-01-01"',
    E3: '"9007199254740991"',
    B5: "5e-324",
    C5: "1",
    D5: "61",
    E5: "-3",
  });
});

Deno.test("excelBytes escapes characters that XML forbids, as Excel does", async () => {
  const frame = frameOf({ a: ["Utf8", "bell\x07", "_x0007_", "a\nb", "<&>"] });
  const { A2, A3, A4, A5 } = await cellsOf(frame);
  deepStrictEqual([A2, A3, A4, A5], ['"bell_x0007_"', '"_x005F_x0007_"', '"a\\nb"', '"<&>"']);
});

Deno.test("excelBytes writes the source on a second sheet", async () => {
  strictEqual((await cellsOf(frameOf({ a: ["Float64", 1] }), 2)).B1, '"not known"');
  const provenance = response({
    operation: "project",
    url: "https://a.example/a",
    steps: ["head"],
  });
  const frame = annotate(frameOf({ a: ["Float64", 1] }), { provenance, errors: pl.DataFrame() });
  const cells = await cellsOf(frame, 2);
  match(cells.B1!, /derived from project · SAMPLE DATA/);
  deepStrictEqual([cells.B3, cells.B4], ['"https://a.example/a"', '"head"']);
});

Deno.test("excelBytes refuses values that a workbook cannot store", async () => {
  for (
    const [frame, message] of [
      [
        frameOf({ a: ["Float64", 1, NaN] }),
        "a: Excel cannot store this number in row 1; write CSV or Parquet: NaN",
      ],
      [
        frameOf({ a: ["Utf8", "x".repeat(32_768)] }),
        `a: Excel has no room for 32768 characters in row 0; write CSV or Parquet: ${
          "x".repeat(60)
        }…`,
      ],
    ] as const
  ) await rejects(excelBytes(frame, frame), { name: "RangeError", message });
});

Deno.test("save writes a workbook, by its ending or by the format", () =>
  inFolder(async (folder) => {
    const frame = frameOf({ a: ["Float64", 1] });
    await save(frame, `${folder}/a.xlsx`);
    await save(frame, `${folder}/b`, { format: "xlsx" });
    for (const name of ["a.xlsx", "b"]) {
      ok(unzipSync(await Deno.readFile(`${folder}/${name}`))["xl/workbook.xml"] !== undefined);
    }
    const car = JSON.parse(await Deno.readTextFile(`${folder}/a.xlsx.provenance.json`));
    deepStrictEqual([car.format, car.rows], ["xlsx", 1]);
  }));
