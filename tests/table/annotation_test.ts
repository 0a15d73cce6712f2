import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { annotate } from "../../lib/table/provenance.ts";
import { withProvenance } from "../../lib/table/show.ts";
import { errorsOf } from "../../lib/table/provenance.ts";
import { pl } from "../../lib/table/polars.ts";
import { provenanceOf } from "../../lib/table/provenance.ts";
import { response } from "./response.ts";

const provenance = response({ operation: "project", query: { project_id: "a" } });

Deno.test("provenanceOf and errorsOf return what annotate attached", () => {
  const errors = pl.DataFrame({ code: ["NOT_FOUND"] });
  const frame = annotate(pl.DataFrame({ a: [1, 2] }), { provenance, errors });
  strictEqual(provenanceOf(frame), provenance);
  strictEqual(errorsOf(frame), errors);
});

Deno.test("provenanceOf and errorsOf refuse a frame of another origin", () => {
  const frame = annotate(pl.DataFrame({ a: [1, 2] }), { provenance, errors: pl.DataFrame() });
  const filtered = frame.filter(pl.col("a").gt(1));
  throws(() => errorsOf(filtered), {
    name: "RangeError",
    message: /^errorsOf: provenance unknown/,
  });
  throws(() => provenanceOf(filtered), {
    name: "RangeError",
    message: /^provenanceOf: provenance unknown/,
  });
});

Deno.test("withProvenance copies both, and nothing from a frame without them", () => {
  const errors = pl.DataFrame();
  const from = annotate(pl.DataFrame({ a: [1] }), { provenance, errors });
  const made = withProvenance(from, pl.DataFrame({ b: [2] }), { fn: "rankBy" });
  deepStrictEqual(provenanceOf(made), { ...provenance, steps: ["rankBy"] });
  strictEqual(errorsOf(made), errors);
  throws(
    () => errorsOf(withProvenance(pl.DataFrame(), pl.DataFrame(), { fn: "rankBy" })),
    RangeError,
  );
});
