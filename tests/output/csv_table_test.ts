import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { checkCsv, hasByte } from "../../lib/output/check_text.ts";
import { foreignCsv, SEPARATORS } from "../../lib/output/csv_table.ts";
import { noFindings } from "../../lib/output/findings.ts";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import { pl } from "../../lib/table/columns/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { inFolder } from "../in_folder.ts";
import { cellsOf, openText } from "./open_text.ts";

const field = (text: string, separator: string, quote: boolean) =>
  quote || /["\n\r]/.test(text) || text.includes(separator) || text.trim() === ""
    ? `"${text.replaceAll('"', '""')}"`
    : text;

/** Tables whose cells have separators, with at least one cell that is no separator in each row. */
const tables = fc.record({
  separator: fc.constantFrom(...SEPARATORS),
  width: fc.integer({ min: 2, max: 5 }),
  height: fc.integer({ min: 2, max: 8 }),
  end: fc.constantFrom("\n", "\r\n", "\r"),
}).chain((shape) => {
  const cell = fc.oneof(
    fc.array(fc.constantFrom(..."ab19.,;| -"), { maxLength: 8 }).map((all) => all.join("")),
    fc.constantFrom("1,5", "2.5", "a;b", "x|y", "12", "2026-01-01", 'say "x"', "a\nb"),
  );
  return fc.tuple(
    fc.constant(shape),
    fc.array(fc.array(cell, { minLength: shape.width, maxLength: shape.width }), {
      minLength: shape.height,
      maxLength: shape.height,
    }),
    fc.boolean(),
  );
});

Deno.test("the separator is the one with which all rows have the same number of fields", () => {
  let unclear = 0;
  fc.assert(
    fc.property(tables, ([{ separator, width, end }, cells, quote]) => {
      const rows = [Array.from({ length: width }, (_, at) => `c${at}`), ...cells];
      const text = rows.map((row) =>
        row.map((cell) => field(cell, separator, quote)).join(separator) + end
      ).join("");
      try {
        const columns = foreignCsv(Buffer.from(text), {}, noFindings());
        const read = [...columns.values()].map((column) => column.toArray());
        const right = rows[0]!.map((_, at) => cells.map((row) => row[at]!));
        deepStrictEqual([...columns.keys()], rows[0]);
        deepStrictEqual(read, right);
      } catch (error) {
        if (!/separator: must be stated/.test((error as Error).message)) throw error;
        unclear++;
      }
    }),
    { numRuns: 2_000, seed: 63 },
  );
  // The names have no separator, so only one fits.
  strictEqual(unclear, 0);
});

Deno.test("a table for which two separators fit needs one", async () => {
  const text = "a,b;c\n1,2;3\n4,5;6\n";
  await rejects(openText(text), /separator: must be stated, because it can be ",", ";"/);
  const { frame } = await openText(text, { separator: ";" });
  deepStrictEqual(cellsOf(frame), { "a,b": ["1,2", "4,5"], c: [3, 6] });
});

Deno.test("a separator other than the comma is a note, and sep= states it", async () => {
  const { frame, told } = await openText("Date;Fees\n2026-01-01;12\n2026-01-02;13\n");
  deepStrictEqual([cellsOf(frame).Fees, told], [[12, 13], []]);
  deepStrictEqual(provenanceOf(frame).notes, ['fields are separated by ";"']);
  const stated = await openText("sep=;\na,b;c\n1,2;3\n");
  deepStrictEqual(cellsOf(stated.frame), { "a,b": ["1,2"], c: [3] });
  const one = await openText("chain\nalpha\nbeta\n");
  deepStrictEqual([cellsOf(one.frame), provenanceOf(one.frame).notes], [{
    chain: ["alpha", "beta"],
  }, undefined]);
});

Deno.test("decimal commas are not guessed, and a notice has the option", async () => {
  const { frame, told } = await openText("k;v\na;1.234,5\nb;7,25\n");
  deepStrictEqual(cellsOf(frame).v, ["1.234,5", "7,25"]);
  deepStrictEqual(told, [
    'openFrame: v: is text that looks like numbers, such as "1.234,5"; pass numbers: { v: "1.234,5" }',
  ]);
});

Deno.test("a row of another width is named with the separator", async () => {
  await rejects(
    openText("a;b\n1;2\n3\n4;5\n"),
    /row 3: expected 2 fields as in the first row, separated by ";"; got 1/,
  );
});

const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const utf16 = (text: string, isBig: boolean) => {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  [...text].forEach((letter, at) => view.setUint16(2 * at, letter.charCodeAt(0), !isBig));
  return bytes;
};

Deno.test("encoding: UTF-8, UTF-16 with its mark, and stated encodings are read", async () => {
  const text = "name,v\nZürich,1\n";
  const rows = { name: ["Zürich"], v: [1] };
  for (
    const bytes of [
      new TextEncoder().encode(`\ufeff${text}`),
      utf16(`\ufeff${text}`, false),
      utf16(`\ufeff${text}`, true),
    ]
  ) {
    deepStrictEqual(cellsOf((await openText(bytes)).frame), rows);
  }
  await rejects(
    openText(latin(text)),
    /encoding: the text is not UTF-8; pass such as encoding: "windows-1252"/,
  );
  deepStrictEqual(cellsOf((await openText(latin(text), { encoding: "windows-1252" })).frame), rows);
  await rejects(
    openText(latin(text), { encoding: "shift_jis" }),
    /encoding: the text is not shift_jis|Z/,
  );
});

Deno.test("lines end with \\n, \\r\\n or \\r; a \\r in quotation marks stays", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const { frame } = await openText(`a,b${end}1,"x\ry"${end}3,4${end}`);
    deepStrictEqual(cellsOf(frame), { a: [1, 3], b: ["x\ry", "4"] });
  }
});

Deno.test("lines without values at the end are no rows, and a note counts them", async () => {
  const { frame, told } = await openText("a,b\n1,2\n3,4\n,\n\n ,,\n");
  deepStrictEqual([cellsOf(frame), told], [{ a: [1, 3], b: [2, 4] }, []]);
  deepStrictEqual(provenanceOf(frame).notes, ["left out 3 lines without values at the end"]);
  const quoted = await openText('a,b\n1,2\n"",""\n');
  strictEqual(quoted.frame.height, 2);
  const one = await openText("a\n1\n;\n");
  deepStrictEqual(cellsOf(one.frame).a, ["1", ";"]);
});

Deno.test("header and footer leave out rows around a table", async () => {
  const text =
    "Fees by chain,,\nExported 2026-01-04,,\n,,\ndate,chain,fees\n2026-01-01,a,12\n2026-01-02,a,13\n" +
    "Total,,25\nSource: x,,\n\n";
  await rejects(
    openText(text),
    /has two columns ""; the names seem to be in row 4: pass header: 4/,
  );
  const { frame } = await openText(text, { header: 4, footer: 2 });
  deepStrictEqual(cellsOf(frame).fees, [12, 13]);
  const short = "Fees by chain\n\ndate,fees\n2026-01-01,12\n2026-01-02,13\n";
  await rejects(openText(short), /row 3: .*; the names seem to be in row 3: pass header: 3/);
  deepStrictEqual(cellsOf((await openText(short, { header: 3 })).frame).fees, [12, 13]);
  await rejects(openText(short, { header: 9 }), /header: the text has fewer than 9 rows/);
  await rejects(openText("a,b\n1,2\n", { footer: 2 }), /footer: the table has fewer than 2 rows/);
  await rejects(openText("text\nx, y\nz\n"), (error: Error) => !/header/.test(error.message));
  // A table with an ordinary header has another fault.
  await rejects(openText("a,b\nx,y\nz\nx,w\n"), (error: Error) => !/header/.test(error.message));
});

Deno.test("one line without a separator is no table, and JSON is no CSV", async () => {
  const page = "<!DOCTYPE html>\n<title>Error</title>\n";
  for (const name of ["a.csv", "a.json"]) {
    await rejects(openText(page, {}, name), /expected a table; got a page of HTML or XML/);
  }
  await rejects(openText("Throttled\n"), /expected a table; got one line: "Throttled"/);
  for (
    const text of ['{"error":"Throttled"}', '[{"a":1}]', '{"a":1}\n{"a":2}\n', '{\n"a": 1\n}\n']
  ) {
    await rejects(openText(text), /format: expected CSV; got JSON: .*; pass format: "json"/);
  }
  strictEqual((await openText("a,b\n")).frame.height, 0);
  deepStrictEqual((await openText("[a],b\n1,2\n")).frame.columns, ["[a]", "b"]);
});

Deno.test("files of save are read exactly", () =>
  inFolder(async (folder) => {
    const frame = pl.DataFrame([
      pl.Series("a;b", ["x", " N/A ", null, ""] as string[], pl.Utf8),
      pl.Series("c", ["1;2", "3;4", "007", null] as string[], pl.Utf8),
    ]);
    const one = pl.DataFrame([pl.Series("v", [1, null, null] as number[], pl.Float64)]);
    for (const [name, each] of [["two.csv", frame], ["one.csv", one]] as const) {
      await save(each, `${folder}/${name}`);
      deepStrictEqual((await openFrame(`${folder}/${name}`)).rows(), each.rows());
    }
  }));

Deno.test("options for CSV are refused for other formats", async () => {
  for (
    const option of [{ separator: ";" }, { header: 2 }, { footer: 1 }, {
      encoding: "utf-8",
    }] as const
  ) {
    await rejects(
      openText("[]", option, "a.json"),
      /separator, header, footer and encoding: are for CSV; got json/,
    );
  }
});

Deno.test("rows of written days and numbers above the names are not named as the header", async () => {
  for (const cells of ["Stand;31.01.2026", "Total;1.234,50", "As of;1/31/26"]) {
    const text = `Fees by chain\n${cells}\n\nland;fees\na;1\nb;2\nc;3\nd;4\n`;
    await rejects(openText(text), /the names seem to be in row 4: pass header: 4/);
  }
});

Deno.test("a CSV text of mostly empty cells is refused, and a sparse one is read", async () => {
  const text = (rows: number, columns: number) =>
    `${Array.from({ length: columns }, (_, at) => `c${at}`).join(",")}\n` +
    `1${",".repeat(columns - 1)}\n`.repeat(rows);
  await rejects(
    openText(text(3_000, 1_000)),
    /at most 2,000,000 empty cells; got 3001 rows and 1000 columns with 4000 values/,
  );
  strictEqual((await openText(text(6_000, 50))).frame.height, 6_000);
});

Deno.test("a text without quotation marks is checked as one with them", () => {
  const text = fc.array(fc.constantFrom("a", "1,", ",", "\n", "\r\n", ";", "b"), { maxLength: 24 });
  const outcome = (call: () => unknown) => {
    try {
      return call();
    } catch (error) {
      return String(error);
    }
  };
  fc.assert(
    fc.property(text, fc.constantFrom("", "\ufeff"), (parts, mark) => {
      const csv = new TextEncoder().encode(mark + parts.join(""));
      const plain = outcome(() => checkCsv(csv));
      deepStrictEqual(plain, outcome(() => checkCsv(csv, { until: csv.length })));
      for (const byte of [0x0d, 0x22, 0x61]) {
        for (const from of [0, 1, 3]) {
          const part = csv.subarray(from);
          strictEqual(hasByte(part, byte), part.includes(byte));
        }
      }
    }),
    { seed: 8, numRuns: 200 },
  );
});
