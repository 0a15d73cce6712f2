import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { columnIn, type ColumnKind } from "../../lib/table/track/descriptions.ts";
import type { DataFrame, Frame } from "../../lib/table/columns/polars.ts";
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

/**
 * An analysis, the columns that it prints with `%`, a chart of its result, and the unit that the chart draws: that of the
 * field, `%`, or none.
 */
type Case = [
  name: string,
  run: (frame: DataFrame) => DataFrame,
  percent: string[],
  chart: (frame: DataFrame) => chainframe.PlotChart,
  drawn: "field" | "%" | "none",
];
const last = (frame: DataFrame) => chainframe.where(frame, { date: "2026-02" });
const WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"];
const comparison = await chainframe.blockchainComparison();
const timelineOf = (frame: DataFrame) => plotTimeline(frame, FIELD);
const CASES: Case[] = [
  [
    "rankBy",
    (f) => chainframe.rankBy(last(f), FIELD),
    ["share", "cumulative_share"],
    timelineOf,
    "field",
  ],
  [
    "ratio",
    (f) => chainframe.ratio(f, { numerator: "power", denominator: "half" }),
    [],
    (f) => plotTimeline(f, { field: "power_per_half" }),
    "none",
  ],
  [
    "concentration",
    (f) => chainframe.concentration(last(f), FIELD),
    ["top_1_share", "top_3_share"],
    (f) => chainframe.plotComparison(f, { field: "hhi" }),
    "none",
  ],
  [
    "growthTable",
    (f) => {
      const unit = columnIn(f, "power")!.unit!;
      const own = described(comparison, [unit as ColumnKind, "ecosystem_fees_30d_sum"]);
      return chainframe.growthTable(own, { field: "ecosystem_fees" });
    },
    WINDOWS,
    (f) => chainframe.plotGrowth(f),
    "%",
  ],
  [
    "growthRates",
    (f) => chainframe.growthRates(f, FIELD),
    ["power_growth"],
    (f) => plotTimeline(f, { field: "power_growth" }),
    "%",
  ],
  [
    "indexed",
    (f) => chainframe.indexed(f, FIELD),
    [],
    (f) => plotTimeline(f, { field: "power_index" }),
    "none",
  ],
  [
    "rollingMean",
    (f) => chainframe.rollingMean(f, { ...FIELD, periods: 3 }),
    [],
    (f) => plotTimeline(f, { field: "power_mean" }),
    "field",
  ],
  [
    "contributions",
    (f) => chainframe.contributions(f, FIELD),
    ["contribution", "total"],
    (f) => chainframe.plotContributions(f),
    "%",
  ],
  [
    "shares",
    (f) => chainframe.shares(f, FIELD),
    ["share"],
    (f) => plotTimeline(f, { field: "share", as: "stack" }),
    "%",
  ],
  [
    "decompose",
    (f) => chainframe.decompose(f, { product: "power", factors: ["half", "two"] }),
    [],
    (f) =>
      plotTimeline(f.filter(chainframe.pl.col("factor").eq(chainframe.pl.lit("half"))), {
        field: "change",
      }),
    "field",
  ],
  [
    "counterfactual",
    (f) => chainframe.counterfactual(f, { ...FIELD, starts: { elm: "2026-01" } }),
    [
      ...["total_percent", "effect_percent", "lower_percent", "upper_percent", "weight"],
      "confidence",
    ],
    (f) => plotCounterfactual(f),
    "field",
  ],
  ["topN", (f) => chainframe.topN(f, { ...FIELD, limit: 3 }), [], timelineOf, "field"],
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
    for (const [name, run, percent, chart, drawn] of CASES) {
      const result = run(timelineIn(unit));
      deepStrictEqual(percentColumns(result), percent, `${name} in ${unit}`);
      const first = result.columns.filter((name) => columnIn(result, name)?.first !== undefined);
      ok(first.length >= 1 && first.length <= 8, `${name}: ${first}`);
      const svg = await chart(result).svg();
      // Captions state the confidence of intervals, and the level of a test.
      const texts = svg.replace(/<style[^]*?<\/style>|<[^>]*>/g, "\n").replace(/9\d% | 5% /g, "");
      const message = `${name} in ${unit}: ${texts}`;
      strictEqual(/\d%/.test(texts), drawn === "%", message);
      strictEqual(/\$\d/.test(texts), drawn === "field" && unit === "usd", message);
      ok(drawn !== "field" || unit === "usd" || new RegExp(unit).test(texts), message);
    }
  }
});
