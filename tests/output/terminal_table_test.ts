import { ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { placesOf } from "../../lib/platform/terminal.ts";
import { terminalTable } from "../../lib/output/terminal_table.ts";
import { frameOf } from "./frame_of.ts";
import { computedColumns } from "../../lib/table/track/descriptions.ts";
import { withProvenance } from "../../lib/table/show/show.ts";

Deno.test("terminalTable groups digits, prints null, and prints the shape", () => {
  const frame = frameOf({
    chain: ["Utf8", "alder", "東京", null],
    fees: ["Float64", 1234567.891, 0, null],
  });
  strictEqual(
    terminalTable(frame),
    [
      "chain       fees",
      "alder  1,234,568",
      "東京           0",
      "null        null",
      "3 rows × 2 columns",
    ].join("\n"),
  );
});

Deno.test("terminalTable shows the columns that fit, and the rows at both ends", () => {
  const columns = Array.from(
    { length: 30 },
    (_, index) => [`column_${index}`, ["Float64", ...Array(9).keys()]],
  );
  const table = terminalTable(frameOf(Object.fromEntries(columns)), { width: 40, rows: 3 });
  strictEqual(
    table,
    [
      "column_0  column_1  column_2  …",
      "       0         0         0  …",
      "       1         1         1  …",
      "       …         …         …  …",
      "       8         8         8  …",
      "9 rows × 30 columns · … 27 more columns: column_3, column_4, column_5 and 24 more",
    ].join("\n"),
  );
});

Deno.test("terminalTable stays within the width, and prints no control characters", () => {
  const frame = frameOf({ a: ["Utf8", "\x1b[31mred\x07"], b: ["Utf8", "x".repeat(200)] });
  strictEqual(
    terminalTable(frame, { width: 36 }),
    `a          b\n\ufffd[31mred\ufffd  ${"x".repeat(23)}…\n1 row × 2 columns`,
  );
});

Deno.test("the table of terminalTable stays within any width from 44, and keeps the measure", () => {
  const text = fc.constantFrom(
    "alder",
    "a text that is longer than twenty-four places",
    "東京",
    null,
  );
  const number = fc.constantFrom(0.25, 12_000_000.5, null, 1e-9);
  const column = fc.oneof(
    fc.tuple(fc.constant("Utf8"), text),
    fc.tuple(fc.constant("Float64"), number),
  );
  fc.assert(
    fc.property(
      fc.array(column, { maxLength: 12 }),
      fc.integer({ min: 44, max: 120 }),
      (columns, width) => {
        const named = columns.map(([dtype, value], index) => [`column_${index}`, [dtype, value]]);
        const frame = frameOf({
          ...Object.fromEntries(named),
          retention: ["Float64", 0.5],
        });
        const result = withProvenance(frame, frame, {
          fn: "pooledRetention",
          columns: computedColumns([["fraction", "retention"]]),
          first: ["retention"],
        });
        const lines = terminalTable(result, { width }).split("\n").slice(0, -1);
        for (const line of lines) ok(placesOf(line) <= width, `${placesOf(line)} of ${width}`);
        ok(lines.some((line) => line.includes("50.0%")));
      },
    ),
    { seed: 16 },
  );
});
