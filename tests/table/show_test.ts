import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { annotate } from "../../lib/table/provenance.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import type { Provenance } from "../../lib/table/provenance.ts";
import type { MimeBundle } from "../../lib/table/show.ts";
import { show } from "../../lib/table/show.ts";

const provenance: Provenance = {
  operation: "blockchain_comparison",
  source: "sample",
  url: "https://sample.invalid/v2/datasets/blockchain_comparison",
  query: {},
  retrieved_at: new Date(0),
  requests: 1,
  renamed: [],
  sha256: "00",
  data_through: null,
  data_since: null,
  notes: [],
  steps: [],
  inputs: [],
};

function bundle(frame: DataFrame): MimeBundle {
  return (frame as unknown as Record<symbol, () => MimeBundle>)[Symbol.for("Jupyter.display")]!();
}

function numbered(height: number): DataFrame {
  const rows = Array.from({ length: height }, (_, row) => row);
  return pl.DataFrame({ n: pl.Series("n", rows, pl.Float64) });
}

Deno.test("show gives text/html and text/plain and nothing else", () => {
  deepStrictEqual(Object.keys(bundle(show(numbered(1)))), ["text/html", "text/plain"]);
});

Deno.test("show prints shape, dtypes, readable numbers, nulls, the source and the errors", () => {
  const frame = pl.DataFrame({
    chain_id: pl.Series("chain_id", ["alder", null] as string[], pl.Utf8),
    fees: pl.Series("fees", [1234567.891, 0], pl.Float64),
    trend: pl.Series("trend", [0.123456, null] as number[], pl.Float64),
  });
  annotate(frame, { provenance, errors: pl.DataFrame({ code: ["NOT_FOUND", "NOT_FOUND"] }) });
  strictEqual(
    Deno.inspect(show(frame)),
    [
      "2 rows × 3 columns",
      "chain_id          fees    trend",
      "String         Float64  Float64",
      "alder     1,234,567.89   0.1235",
      "null                 0     null",
      "blockchain_comparison · SAMPLE DATA · 1970-01-01T00:00:00Z · 2 entity errors: see errorsOf(frame)",
    ].join("\n"),
  );
});

Deno.test("show says through which day the data goes where the service stated it", () => {
  const stated = { ...provenance, data_through: new Date("2026-06-17") };
  const frame = annotate(pl.DataFrame({ a: [1] }), { provenance: stated, errors: pl.DataFrame() });
  strictEqual(
    Deno.inspect(show(frame)).split("\n").at(-1),
    "blockchain_comparison · SAMPLE DATA · data through 17 Jun 2026",
  );
});

Deno.test("show prints the first and the last rows of a long frame", () => {
  const lines = Deno.inspect(show(numbered(12_000))).split("\n").map((line) => line.trim());
  deepStrictEqual(lines, [
    "12,000 rows × 1 column",
    "n",
    "Float64",
    "0",
    "1",
    "2",
    "3",
    "4",
    "…",
    "11,995",
    "11,996",
    "11,997",
    "11,998",
    "11,999",
  ]);
});

Deno.test("show prints the first and the last columns of a wide frame, in 100 places", () => {
  const columns = Array.from(
    { length: 97 },
    (_, index) => pl.Series(`a_rather_long_name_${index}`, [1], pl.Float64),
  );
  const lines = Deno.inspect(show(pl.DataFrame(columns))).split("\n");
  match(lines[1]!, /^a_rather_long_name_0 .* … .* a_rather_long_name_96$/);
  strictEqual(lines.every((line) => line.length <= 100), true);
});

Deno.test("show escapes every text in HTML", () => {
  const name = `<img src=x onerror="alert('1')">&`;
  const frame = pl.DataFrame([pl.Series(name, [name], pl.Utf8)]);
  const html = String(bundle(show(frame))["text/html"]);
  strictEqual(html.includes("<img"), false);
  strictEqual(
    html.split("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;").length,
    3,
  );
});

Deno.test("show shows a frame without rows and columns", () => {
  strictEqual(Deno.inspect(show(pl.DataFrame())), "0 rows × 0 columns");
  match(String(bundle(show(numbered(0)))["text/html"]), /0 rows × 1 column.*<tbody><\/tbody>/);
});
