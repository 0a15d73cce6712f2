import { match, ok, throws } from "node:assert/strict";
import { type Cell, CLAIMS, claimsOf } from "./cells.ts";
import { cells as counterfactual } from "./parts/counterfactual.ts";
import { cells as detectable } from "./parts/detectable.ts";
import { cells as events } from "./parts/event_study.ts";
import { cells as forecasts } from "./parts/forecasts.ts";
import { cells as months } from "./parts/months.ts";
import { cells as retention } from "./parts/retention.ts";
import { cells as trends } from "./parts/trends.ts";
import { cells as units } from "./parts/units.ts";

const all: readonly Cell[] = [
  ...[counterfactual, detectable, events, forecasts, months, retention, trends, units],
].flat();

Deno.test("each claim has worlds that vary what it is about, and without them the run fails", () => {
  const table = claimsOf(all);
  for (const claim of Object.keys(CLAIMS)) ok(table.includes(`| ${claim} | `), claim);
  throws(
    () => claimsOf(all.filter((cell) => !cell.varies?.includes("donors"))),
    /^RangeError: simulate: p and bounds of `counterfactual`: no world varies donors$/,
  );
  match(table, /^\| claim \| units \| months \| sizes \| volatility \| births \| donors \|/);
});
