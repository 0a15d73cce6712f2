import { notStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { metricBreakdown } from "../../../lib/operations/metric_breakdown.ts";
import { project } from "../../../lib/operations/project.ts";
import { frameDigest } from "../../../lib/table/track/frame_digest.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { answering } from "../../operations/answering.ts";
import { frameOf } from "../../output/frame_of.ts";

const itemOf = fc.record({
  product_id: fc.constantFrom("null", "", "a", null, "é\n"),
  metrics: fc.record({
    fees: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    users: fc.option(fc.integer()),
  }),
});

/** Returns the frame of a response. */
async function framed(data: readonly unknown[], space = 0): Promise<DataFrame> {
  const query = { metric_ids: ["fees", "users"], interval: "30d", group_by: "chains" } as const;
  const body = JSON.stringify({ data }, null, space);
  const answer = () => new Response(body);
  const { connection } = answering(answer, { requestsPerMinute: Infinity });
  return await metricBreakdown(query, connection);
}

Deno.test("frameDigest ignores order, white space and new fields, and finds one changed value", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(itemOf, { minLength: 1, maxLength: 8 }),
      fc.nat(),
      async (given, at) => {
        const items = given.map((item, index) => ({ data_id: `c${index}`, ...item }));
        const frame = await framed(items);
        const digest = frameDigest(frame);
        const mixed = items.toReversed().map(({ metrics, ...ids }) => ({
          extra: at,
          metrics: { more: 1, users: metrics.users, fees: metrics.fees },
          ...ids,
        }));
        strictEqual(frameDigest(await framed(mixed, 2), frame.columns), digest);
        const item = items[at % items.length]!;
        if (at % 2) item.product_id = item.product_id === null ? "null" : null;
        else item.metrics.fees = item.metrics.fees ? -item.metrics.fees : 5e-324;
        notStrictEqual(frameDigest(await framed(items)), digest);
      },
    ),
    { numRuns: 500, seed: 45 },
  );
});

Deno.test("frameDigest tells null from texts and dtypes apart, -0 is 0, and structs have no order", async () => {
  const float = (...values: (number | null)[]) =>
    frameDigest(frameOf({ a: ["Float64", ...values] }));
  const text = (value: string | null) => frameDigest(frameOf({ a: ["Utf8", value] }));
  strictEqual(float(-0), float(0));
  strictEqual(float(1, 0.1), float(0.1, 1));
  notStrictEqual(float(0.1 + 0.2), float(0.3));
  strictEqual(
    new Set([text("null"), text(null), text(""), float(null), float(NaN), float(0), text("0")])
      .size,
    7,
  );
  strictEqual(
    new Set(
      [pl.Float32, pl.Int64, pl.Utf8].map((dtype) =>
        frameDigest(pl.DataFrame([pl.Series("a", [1, 2]).cast(dtype)]))
      ),
    ).size,
    3,
  );
  const answered = (link: object) =>
    project({ project_id: "a" }, answering({ data: { name: "A", links: [link] } }).connection);
  strictEqual(
    frameDigest(await answered({ url: "u", summary: "s" })),
    frameDigest(await answered({ summary: "s", url: "u" })),
  );
  // The lines are `[["a","Float64"],["b","String"]]`, `["0.1",null]` and `["2","x"]`.
  strictEqual(
    frameDigest(frameOf({ b: ["Utf8", "x", null], a: ["Float64", 2, 0.1] })),
    "caacd225939a6a8b9ea6829e152d4dcad5f612438f1afeaf7f151ac89394cc52",
  );
});
