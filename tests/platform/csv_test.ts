import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { csvRows } from "../../lib/platform/csv.ts";

Deno.test("csvRows reads quoted fields, line breaks, empty lines and a byte order mark", async () => {
  for (
    const [text, rows] of [
      ["", []],
      ["\ufeffa,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]],
      ['"a""b",c\n"1,2","3\r\n4"', [['a"b', "c"], ["1,2", "3\r\n4"]]],
      ["a,b\r1,\r\r,2", [["a", "b"], ["1", ""], ["", "2"]]],
      ['"",""', [["", ""]]],
      ["\n\nid\n\n x \n", [["id"], [" x "]]],
    ] as const
  ) equal(await csvRows(text), rows, text);
});

Deno.test("csvRows names the row that is too short or too long, or has a stray quotation mark", async () => {
  const stray = "quotation marks must enclose a whole field, or be doubled";
  for (
    const [text, message] of [
      ["a,b\n1,2\n3", "row 3: expected 2 fields as in the first row; got 1"],
      ["a,b\n\n1,2,3", "row 3: expected 2 fields as in the first row; got 3"],
      ['a,b\n"1\n1",2\n3,"4\n5,6', `row 3: ${stray}`],
      ['a,b\n"1"2,3', `row 2: ${stray}`],
      ['a\n5" pipe', `row 2: ${stray}`],
    ] as const
  ) await rejects(csvRows(text), { name: "RangeError", message }, text);
  await rejects(csvRows(`a\n"${"x".repeat(20_000_000)}`), { message: `row 2: ${stray}` });
});
