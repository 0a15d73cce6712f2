import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { csvText } from "../../lib/output/frame_bytes.ts";
import { pl } from "../../lib/table/polars.ts";
import { frameOf } from "./frame_of.ts";

const texts = (cells: readonly (string | null)[], excelSafe = false) =>
  csvText(frameOf({ text: ["Utf8", ...cells], row: ["Float64", ...cells.map((_, row) => row)] }), {
    excelSafe,
  }).split("\n").slice(1, -1);

Deno.test("csvText writes numbers in their shortest exact form", () => {
  const numbers = [0, -0, 0.1, 1e21, 5e-324, 123456789012345680, -2.5, Infinity, NaN];
  strictEqual(
    csvText(frameOf({ row: ["Utf8", ..."abcdefghi"], x: ["Float64", ...numbers] })),
    "row,x\na,0\nb,-0\nc,0.1\nd,1e+21\ne,5e-324\nf,123456789012345680\ng,-2.5\nh,inf\ni,NaN\n",
  );
});

Deno.test("csvText tells null, an empty text, and the text null apart", () => {
  deepStrictEqual(texts([null, "", "null"]), [",0", '"",1', '"null",2']);
});

Deno.test("csvText quotes what a reader could take for a number, a date or a missing value", () => {
  deepStrictEqual(
    texts(["007", "1e5", "-1", ".5", "2025-01-31", "0xab", "true", "NA", "inf", " a", "alder"]),
    ['"007",0', '"1e5",1', '"-1",2', '".5",3', '"2025-01-31",4', '"0xab",5', '"true",6', '"NA",7']
      .concat(['"inf",8', '" a",9', "alder,10"]),
  );
});

Deno.test("csvText quotes separators, quotes and every line break", () => {
  deepStrictEqual(texts(["a,b", 'a"b']), ['"a,b",0', '"a""b",1']);
  strictEqual(csvText(frameOf({ t: ["Utf8", "a\rb", "c\nd"] })), 't\n"a\rb"\n"c\nd"\n');
  strictEqual(csvText(frameOf({ "a,b": ["Utf8", "x"], "2": ["Utf8", "y"] })), '"2","a,b"\ny,x\n');
});

Deno.test("csvText guards formulas with excelSafe, and leaves negative numbers alone", () => {
  const cells = ["=1+1", "+1", "-cmd", "@x", "\tx", "a=b"];
  deepStrictEqual(texts(cells, true), ["'=1+1,0", "'+1,1", "'-cmd,2", "'@x,3", "'\tx,4", "a=b,5"]);
  deepStrictEqual(texts(["=1+1"]), ["=1+1,0"]);
  const negative = frameOf({ "=x": ["Float64", -1] });
  strictEqual(csvText(negative, { excelSafe: true }), "'=x\n-1\n");
});

Deno.test("csvText keeps the rows of a frame with one column, and the header of one without rows", () => {
  strictEqual(csvText(frameOf({ x: ["Float64", null, 1] })), 'x\n""\n1\n');
  strictEqual(csvText(frameOf({ x: ["Float64"], y: ["Utf8"] })), "x,y\n");
});

Deno.test("csvText writes whole numbers, dates, times, truth values and lists", () => {
  const big = frameOf({ n: ["Utf8", "9007199254740993"] });
  const frame = frameOf({
    day: ["Date", new Date("2025-01-31")],
    yes: ["Bool", true],
    list: ["Utf8", "x"],
  });
  strictEqual(csvText(frame), "day,yes,list\n2025-01-31,true,x\n");
  strictEqual(csvText(big.select(pl.col("n").cast(pl.Int64))), "n\n9007199254740993\n");
  const time = pl.Series("at", [new Date("2025-01-31T10:00:00.120Z")], pl.Datetime("ms"));
  strictEqual(csvText(pl.DataFrame([time])), "at\n2025-01-31T10:00:00.120\n");
  const list = pl.DataFrame({ x: [1.5, NaN, null] }).select(pl.concatList(["x", "x"]).alias("l"));
  strictEqual(csvText(list), 'l\n"[1.5,1.5]"\n"[""NaN"",""NaN""]"\n"[null,null]"\n');
});
