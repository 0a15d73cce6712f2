import { strictEqual, throws } from "node:assert/strict";
import { frameBytes } from "../../lib/output/encode.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { frameOf } from "./frame_of.ts";

const text = (
  frame: DataFrame,
  format: "csv" | "json" | "ndjson" | "markdown",
) => new TextDecoder().decode(frameBytes(frame, format));

Deno.test("CSV has numbers in their shortest exact form", () => {
  const numbers = [0, -0, 0.1, 1e21, 5e-324, 123456789012345680, -2.5, null];
  strictEqual(
    text(frameOf({ row: ["Utf8", ..."abcdefgh"], x: ["Float64", ...numbers] }), "csv"),
    "row,x\na,0.0\nb,-0.0\nc,0.1\nd,1e+21\ne,5e-324\nf,1.2345678901234568e+17\ng,-2.5\nh,\n",
  );
});

Deno.test("CSV distinguishes null, empty text and the text null, and quotes where needed", () => {
  const cells = [null, "", "null", "a,b", 'a"b', "a\rb", "c\nd"];
  strictEqual(
    text(frameOf({ t: ["Utf8", ...cells], n: ["Float64", ...cells.map((_, n) => n)] }), "csv"),
    't,n\n,0\n"",1\nnull,2\n"a,b",3\n"a""b",4\n"a\rb",5\n"c\nd",6\n',
  );
  strictEqual(
    text(frameOf({ "a,b": ["Utf8", "x"], "2": ["Utf8", "y"] }), "csv"),
    '2,"a,b"\ny,x\n',
  );
});

Deno.test("CSV keeps the rows of a frame with one column, and the header of one without rows", () => {
  strictEqual(text(frameOf({ x: ["Float64", null, 1] }), "csv"), 'x\n""\n1\n');
  strictEqual(text(frameOf({ x: ["Utf8", "a\n\nb", null] }), "csv"), 'x\n"a\n\nb"\n""\n');
  strictEqual(text(frameOf({ x: ["Float64"], y: ["Utf8"] }), "csv"), "x,y\n");
});

Deno.test("CSV writes whole numbers, dates, times, Booleans, and lists as JSON", () => {
  const frame = frameOf({
    day: ["Date", new Date("2025-01-31")],
    yes: ["Bool", true],
    list: ["Utf8", "x"],
  });
  strictEqual(text(frame, "csv"), "day,yes,list\n2025-01-31,true,x\n");
  const big = frameOf({ n: ["Utf8", "9007199254740993"], m: ["Utf8", "1"] });
  strictEqual(
    text(big.select(pl.col("n").cast(pl.Int64), "m"), "csv"),
    "n,m\n9007199254740993,1\n",
  );
  const time = pl.Series("at", [new Date("2025-01-31T10:00:00.120Z")], pl.Datetime("ms"));
  strictEqual(
    text(pl.DataFrame([time, pl.Series("n", [1])]), "csv"),
    "at,n\n2025-01-31T10:00:00.120,1\n",
  );
  const list = pl.DataFrame({ x: [1.5, null] }).select(pl.concatList(["x", "x"]).alias("l"));
  strictEqual(text(list, "csv"), 'l\n"[1.5,1.5]"\n"[null,null]"\n');
});

const FRAME = frameOf({
  id: ["Utf8", "007", null],
  fees: ["Float64", 0, null],
  day: ["Date", new Date("2025-01-31"), null],
  live: ["Bool", true, null],
});

Deno.test("NDJSON has a row on each line, and JSON one list, with every column in each row", () => {
  strictEqual(
    text(FRAME, "ndjson"),
    '{"id":"007","fees":0.0,"day":"2025-01-31","live":true}\n' +
      '{"id":null,"fees":null,"day":null,"live":null}\n',
  );
  strictEqual(
    text(FRAME.select("id", "fees"), "json"),
    '[{"id":"007","fees":0.0},{"id":null,"fees":null}]',
  );
  strictEqual(text(frameOf({ id: ["Utf8"] }), "json"), "[]");
  strictEqual(text(frameOf({ id: ["Utf8"] }), "ndjson"), "");
  const time = pl.Series("at", [new Date("2025-01-31T10:00:00.120Z")], pl.Datetime("ms"));
  strictEqual(text(pl.DataFrame([time]), "json"), '[{"at":"2025-01-31T10:00:00.120"}]');
});

Deno.test("text formats refuse NaN and Infinity, which polars would write as null", () => {
  const message = (format: string) =>
    new RangeError(
      `fees: ${format} cannot store NaN or Infinity; write Parquet or Arrow; got Infinity in row 1`,
    );
  const frame = frameOf({ fees: ["Float64", 1, Infinity] });
  throws(() => text(frame, "json"), message("JSON"));
  throws(() => text(frame, "ndjson"), message("JSON"));
  throws(() => text(frame, "csv"), message("CSV"));
  const list = pl.DataFrame({ x: [1, NaN] }).select(pl.concatList(["x", "x"]).alias("l"));
  throws(() => text(list, "csv"), /^RangeError: l: CSV cannot store NaN .* got NaN in row 1$/);
});

Deno.test("Markdown has the texts of a terminal, with numbers at the right and null as an empty cell", () => {
  const frame = frameOf({
    chain_id: ["Utf8", "a|b", "two\r\nlines", "<b>*x*</b> _y_ `z`", null],
    fees_30d_sum: ["Float64", 1234567.891, null, 0, -1],
  });
  strictEqual(
    text(frame, "markdown"),
    "| Chain id | Fees over 30 days |\n| --- | ---: |\n| a\\|b | 1,234,568 |\n| two lines |  |\n" +
      "| &lt;b&gt;\\*x\\*&lt;/b&gt; \\_y\\_ \\`z\\` | 0 |\n|  | -1 |\n",
  );
});
