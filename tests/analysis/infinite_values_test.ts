import { throws } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { type DataFrame, pl, withSource } from "../../mod.ts";

/** Monthly fees of four protocols, with one wild value. */
function monthly(wild: number): DataFrame {
  const rows = ["a", "b", "c", "d"].flatMap((protocol, at) =>
    Array.from({ length: 8 }, (_, month) => ({
      protocol,
      date: new Date(Date.UTC(2025, month)),
      fees: protocol === "b" && month === 3 ? wild : 100 + 10 * at + month,
      one: 1,
    }))
  );
  return withSource(pl.DataFrame(rows), {
    citation: "own data",
    columns: { fees: { unit: "usd", adds: "both" } },
  });
}

const field = "fees";
const starts = { a: "2025-05" };
const analyses: Readonly<Record<string, (frame: DataFrame) => unknown>> = {
  eventStudy: (frame) => chainframe.eventStudy(frame, { field, starts }),
  counterfactual: (frame) => chainframe.counterfactual(frame, { field, starts }),
  topN: (frame) => chainframe.topN(frame, { field, limit: 2 }),
  rankBy: (frame) => chainframe.rankBy(frame.rename({ date: "day" }), { field }),
  concentration: (frame) => chainframe.concentration(frame, { field }),
  growthRates: (frame) => chainframe.growthRates(frame, { field }),
  indexed: (frame) => chainframe.indexed(frame, { field }),
  rollingMean: (frame) => chainframe.rollingMean(frame, { field, periods: 2 }),
  shares: (frame) => chainframe.shares(frame, { field }),
  contributions: (frame) => chainframe.contributions(frame, { field }),
  decompose: (frame) => chainframe.decompose(frame, { product: field, factors: ["fees", "one"] }),
  resample: (frame) => chainframe.resample(frame.drop("one"), { every: "quarter" }),
};

for (const [name, analyze] of Object.entries(analyses)) {
  Deno.test(`${name} names the row of a value that is infinite or larger than 1e300`, () => {
    for (const wild of [Infinity, -Infinity, 1e308]) {
      throws(() => analyze(monthly(wild)), {
        name: "RangeError",
        message: `${name}: fees: must be a number of at most 1e300; got ${wild} in row 11 ` +
          "(b, 2025-04-01)",
      });
    }
  });
}
