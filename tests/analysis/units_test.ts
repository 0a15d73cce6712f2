import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import type { ColumnKind } from "../../lib/table/frame_columns.ts";
import type { DataFrame, Frame } from "../../lib/table/polars.ts";
import { described } from "../table/described.ts";
import { timelineFrame, type TimelineRow } from "./timeline_frame.ts";

const ENTITIES = ["alder", "birch", "cedar", "dogwood", "elm", "fir", "gum"];
const MONTHS = Array.from(
  { length: 14 },
  (_, at) => `20${25 + Math.floor(at / 12)}-${String(at % 12 + 1).padStart(2, "0")}-01`,
);
const ROWS = MONTHS.flatMap((day, at) =>
  ENTITIES.map((
    id,
    entity,
  ): TimelineRow => [day, id, 1e5 * (entity + 1) + 900 * ((at * (entity + 3)) % 7)])
);

/** A timeline whose column `power`, the name of a fraction of another analysis, has the given unit. */
function timelineIn(unit: string): Frame {
  const frame = timelineFrame("month", ROWS).rename({ fees_sum: "power" })
    .withColumns(
      chainframe.pl.col("power").div(2).alias("half"),
      chainframe.pl.lit(2).alias("two"),
    );
  return described(frame, [`${unit} over groups` as ColumnKind, "power"], ["users", "half"]);
}

const FIELD = { field: "power" } as const;
const { plotTimeline, plotCounterfactual } = chainframe;
const last = (frame: DataFrame) => chainframe.where(frame, { date: "2026-02" });

/** An analysis, the columns that it prints with `%`, and a chart of its result in the unit of the field. */
type Case = [
  name: string,
  run: (frame: DataFrame) => DataFrame,
  percent: string[],
  chart?: (frame: DataFrame) => chainframe.PlotChart,
];
const timelineOf = (frame: DataFrame) => plotTimeline(frame, FIELD);
const CASES: Case[] = [
  [
    "rankBy",
    (f) => chainframe.rankBy(f, { ...FIELD, by: "date" }),
    ["share", "cumulative_share"],
    timelineOf,
  ],
  [
    "ratio",
    (f) => chainframe.ratio(f, { numerator: "power", denominator: "half" }),
    [],
    timelineOf,
  ],
  ["concentration", (f) => chainframe.concentration(last(f), FIELD), [
    "top_1_share",
    "top_3_share",
  ]],
  ["growthRates", (f) => chainframe.growthRates(f, FIELD), ["power_growth"], timelineOf],
  ["indexed", (f) => chainframe.indexed(f, FIELD), [], timelineOf],
  [
    "rollingMean",
    (f) => chainframe.rollingMean(f, { ...FIELD, periods: 3 }),
    [],
    (f) => plotTimeline(f, { field: "power_mean" }),
  ],
  ["contributions", (f) => chainframe.contributions(f, FIELD), ["contribution", "total"]],
  ["shares", (f) => chainframe.shares(f, FIELD), ["share"]],
  ["decompose", (f) => chainframe.decompose(f, { product: "power", factors: ["half", "two"] }), []],
  [
    "counterfactual",
    (f) => chainframe.counterfactual(f, { ...FIELD, treated: "elm", event: "2026-01" }),
    ["weight", "confidence"],
    (f) => plotCounterfactual(f),
  ],
  ["topN", (f) => chainframe.topN(f, { ...FIELD, limit: 3 }), [], timelineOf],
];

/** The columns whose printed cells have `%`. */
function percentColumns(frame: DataFrame): string[] {
  return frame.columns.filter((name) => frame.getColumn(name).isNumeric()).filter((name) => {
    const [, ...cells] = Deno.inspect(chainframe.show(frame.select(name))).split("\n");
    return cells.slice(0, -1).some((cell) => cell.includes("%"));
  });
}

Deno.test("every analysis of a field prints and draws the unit of the field, and % only where it belongs", async () => {
  for (const unit of ["usd", "users", "ETH"]) {
    for (const [name, run, percent, chart] of CASES) {
      const result = run(timelineIn(unit));
      deepStrictEqual(percentColumns(result), percent, `${name} in ${unit}`);
      if (chart === undefined) continue;
      const drawn = chart(result);
      const texts = (await drawn.svg()).replace(/<style[^]*?<\/style>|<[^>]*>/g, "\n");
      // Captions state the confidence of intervals.
      ok(!/\d%/.test(texts.replace(/9\d% /g, "")), `${name} in ${unit}: ${texts}`);
      strictEqual(/\$\d/.test(texts), unit === "usd", `${name} in ${unit}: ${texts}`);
    }
  }
});
