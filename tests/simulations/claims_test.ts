import { deepStrictEqual, match, ok, throws } from "node:assert/strict";
import { type Cell, CLAIMS, claimsOf, ratesIn, ratesText } from "./cells.ts";
import { cells as amounts } from "./parts/amounts.ts";
import { cells as counterfactual } from "./parts/counterfactual.ts";
import { cells as detectable } from "./parts/detectable.ts";
import { cells as events } from "./parts/event_study.ts";
import { cells as forecasts } from "./parts/forecasts.ts";
import { cells as months } from "./parts/months.ts";
import { cells as retention } from "./parts/retention.ts";
import { cells as trends } from "./parts/trends.ts";
import { cells as units } from "./parts/units.ts";

const all: readonly Cell[] = [
  ...[amounts, counterfactual, detectable, events, forecasts, months, retention, trends, units],
].flat();

Deno.test("each claim has worlds that vary what it is about, and without them the run fails", () => {
  const table = claimsOf(all);
  for (const claim of Object.keys(CLAIMS)) ok(table.includes(`| ${claim} | `), claim);
  throws(
    () => claimsOf(all.filter((cell) => !cell.varies?.includes("donors"))),
    /^RangeError: simulate: p and bounds of `counterfactual`: no world varies donors$/,
  );
  match(
    table,
    /^\| claim \| units \| months \| sizes \| volatility \| births \| donors \| within limits \|/,
  );
});

Deno.test("rates are read as they are written, and counted against the limits of their cells", () => {
  const cell = { claim: "`detectable`", varies: ["units", "months"], limits: [0, 0.06] } as const;
  const cells = [["a", 0.05], ['b, "c"', 0.5]].map(([row]) => (
    { ...cell, table: "t: x", row: String(row), column: "y", draw: () => true }
  ));
  const share = { error: 0.01, draws: 1000, isRatio: false };
  const rates = ratesIn(ratesText(cells, [{ ...share, share: 0.05 }, { ...share, share: 0.5 }]));
  deepStrictEqual([...rates.values()], [
    { rate: "5.0", error: "1.0", draws: 1000 },
    { rate: "50.0", error: "1.0", draws: 1000 },
  ]);
  // A rate that is not simulated again stays as it is.
  const kept = ratesText(cells, [undefined, { ...share, share: 0.4 }], rates);
  deepStrictEqual([...ratesIn(kept).values()].map(({ rate }) => rate), ["5.0", "40.0"]);
  const others = all.filter(({ claim }) => claim !== "`detectable`");
  match(claimsOf([...others, ...cells], rates), /^\| `detectable` \| 2 \| 2 \|.*\| 1 of 2 \|$/m);
});

Deno.test("docs/sample.md states the least and the largest rates of the kept file", () => {
  const read = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
  const rates = [...ratesIn(read("tests/simulations/rates/sample.csv"))];
  const range = (wanted: (key: string) => boolean) => {
    const own = rates.flatMap(([key, { rate }]) => wanted(key) ? [Number(rate)] : []);
    return [Math.min(...own), Math.max(...own)].map((rate) => rate.toFixed(1)).join(" to ");
  };
  const isTest = (key: string) => key.includes("p below");
  deepStrictEqual(
    [...read("docs/sample.md").matchAll(/[\d.]+ to\s[\d.]+(?=%)/g)].map(([text]) =>
      text.replace("\n", " ")
    ),
    [
      range((key) => key.includes("the interval")),
      range((key) => isTest(key) && !key.includes("are equal")),
      range((key) => isTest(key) && key.includes("are equal")),
    ],
  );
});
