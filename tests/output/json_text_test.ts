import { strictEqual, throws } from "node:assert/strict";
import { jsonText, ndjsonText } from "../../lib/output/frame_bytes.ts";
import { frameOf } from "./frame_of.ts";

const FRAME = frameOf({
  id: ["Utf8", "007", null],
  fees: ["Float64", 0, null],
  day: ["Date", new Date("2025-01-31"), null],
  live: ["Bool", true, null],
});

Deno.test("ndjsonText writes a row on each line, with every column in it", () => {
  strictEqual(
    ndjsonText(FRAME),
    '{"id":"007","fees":0,"day":"2025-01-31","live":true}\n' +
      '{"id":null,"fees":null,"day":null,"live":null}\n',
  );
});

Deno.test("jsonText writes one list", () => {
  strictEqual(
    jsonText(FRAME.select("id", "fees")),
    '[\n{"id":"007","fees":0},\n{"id":null,"fees":null}\n]\n',
  );
  strictEqual(jsonText(frameOf({ id: ["Utf8"] })), "[]\n");
  strictEqual(ndjsonText(frameOf({ id: ["Utf8"] })), "");
});

Deno.test("jsonText refuses what JSON has no number for, instead of writing null", () => {
  throws(
    () => jsonText(frameOf({ fees: ["Float64", 1, Infinity] })),
    new RangeError(
      "fees: JSON has no number for what stands in row 1; write CSV, Parquet or Arrow: inf",
    ),
  );
});
