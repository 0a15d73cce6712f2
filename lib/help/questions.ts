/** What leads a question to its answer: functions, options of functions, and an example where no function answers. */
export interface Answer {
  /** The words by which people ask, in lower case and in the singular. */
  readonly words: readonly string[];
  readonly about: string;
  /** The public names that the page lists. */
  readonly see?: readonly string[];
  readonly code?: string;
}

/** Questions whose words are no names of this package. */
const ANSWERS: readonly Answer[] = [
  {
    words: ["heat map", "heatmap", "plot heatmap", "triangle", "cohort table"],
    about: "`plotRetentionHeatmap` draws a row for each cohort and a cell for each month.",
    see: ["retentionCurves", "plotRetentionHeatmap"],
  },
  {
    words: [
      "net retention",
      "revenue retention",
      "value retention",
      "dollar retention",
      "net revenue retention",
      "nrr",
      "expansion",
    ],
    about: "If the column of sizes has a unit of amounts, such as `usd`, `retentionCurves` and " +
      "`pooledRetention` compute the net retention of value, which can exceed 100%. " +
      "`withSource` states the unit.",
    see: ["withSource", "retentionCurves", "pooledRetention", "compareRetention"],
    code:
      `import { pl, pooledRetention, retentionCurves, withSource } from "@chainframe/chainframe";

const rows = ["a", "b", "c"].flatMap((customer, at) =>
  [100, 110, 95 + 5 * at].map((retained, month) => (
    { customer, cohort: "2025-01", month, size: 100, retained }
  ))
);
const revenue = withSource(pl.DataFrame(rows), {
  citation: "our billing",
  columns: { size: { unit: "usd" }, retained: { unit: "usd" } },
});
console.log(pooledRetention(retentionCurves(revenue)).toString());`,
  },
  {
    words: ["how long", "lifetime", "active month", "duration", "stay"],
    about: "The column `cumulative` of `pooledRetention` is the mean number of active months, or " +
      "the amount of all months for each unit of month 0. `retentionSummary` has it at a month, " +
      'and `compareRetention` with `estimate: "cumulative"` compares it.',
    see: ["pooledRetention", "retentionSummary", "compareRetention"],
  },
  {
    words: ["goal", "target", "target line", "reference line", "threshold line", "benchmark"],
    about: "The option `reference` of `plotRetention`, `plotTimeline`, `plotCohortTrend` and " +
      '`plotComparison` draws a line: a number, or `{ value: .25, label: "goal" }` in the unit ' +
      "of the axis.",
    see: ["plotRetention", "plotTimeline", "plotCohortTrend", "plotComparison"],
  },
  {
    words: ["own color", "brand color", "palette"],
    about: "The option `colors` of every chart gives an id its color, also one for each theme. " +
      "`setColors` does so for all charts that follow.",
    see: ["colors", "setColors"],
    code: `import { blockchainComparison, plotComparison } from "@chainframe/chainframe";

const colors = { chain_id: { alder: "#0052ff", basalt: "#7a3cff" } };
console.log(plotComparison(await blockchainComparison(), { colors }).title);`,
  },
  {
    words: ["dark", "dark mode"],
    about: 'The option `theme` of every chart is `"auto"`, `"light"` or `"dark"`. Files with ' +
      '`"auto"` follow the system of the reader.',
    see: ["plotTimeline", "figure", "report"],
  },
  {
    words: ["phone", "mobile", "narrow", "slide"],
    about: "The option `width` of every chart, and of `svg` and `pdf` of a chart, lays it out " +
      "again: 360 for a phone. HTML files have the chart at several widths.",
    see: ["plotTimeline", "save", "report"],
  },
  {
    words: ["german", "french", "language", "translation", "decimal comma"],
    about: "The option `locale` of charts, `cell`, `show` and `report` writes numbers and dates " +
      'as a language does: `"de"` gives `4.693.920 $`. Texts stay English. `openFrame` reads ' +
      "numbers such as `1.234,5` by its option `numbers`.",
    see: ["cell", "show", "report", "openFrame"],
  },
  {
    words: ["market share", "plot market share", "share of total", "percent of total"],
    about: "`shares` divides each value by the total of its period. `plotTimeline` draws the " +
      "result as a stack. `concentration` says in one number how unequal shares are.",
    see: ["shares", "concentration", "rankBy", "plotTimeline"],
  },
  {
    words: ["unfinished month", "running month", "current month", "incomplete", "partial month"],
    about: "A period is over if its last day is not after the last full day of the data: the day " +
      "that the service states, `through`, or the day before `retrievedAt` of `withSource`. " +
      "`resample` adds `complete`. Charts do not draw a line to a period that is not over.",
    see: ["resample", "withSource", "openFrame"],
  },
  {
    words: ["drawdown", "peak", "all time high", "ath"],
    about: "Divide each value by the largest one so far, by methods of polars.",
    code: `import { pl, timeline } from "@chainframe/chainframe";

const fees = await timeline({ metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026-01" });
const peak = pl.col("fees_sum").cumMax().over("chain_id");
console.log(fees.withColumn(pl.col("fees_sum").div(peak).minus(1).alias("drawdown")));`,
    see: ["indexed", "plotTimeline"],
  },
  {
    words: ["index", "rebase", "base 100"],
    about: "`indexed` sets the value of a base period to 100.",
    see: ["indexed", "plotTimeline"],
  },
  {
    words: ["top", "largest", "top ten", "leader", "ranking"],
    about: "`topN` keeps the largest entities and adds up the others, `rankBy` ranks the rows of " +
      "a table. In charts, the option `limit` is the number that is drawn.",
    see: ["topN", "rankBy", "plotComparison"],
  },
  {
    words: ["rename", "column name"],
    about: '`frame.rename({ old: "new" })`, a method of polars. Sources, units and the stated ' +
      "entity follow. Names do not matter: `withSource` and `openFrame` state who the rows are " +
      "by their options `entity` and `date`.",
    see: ["withSource", "openFrame"],
    code: `import { blockchainComparison } from "@chainframe/chainframe";

const chains = await blockchainComparison();
console.log(chains.rename({ chain_id: "network" }).columns[0]); // network`,
  },
];

/** Returns the answer to a question, such as `heat map`, `plotHeatmap` or `market shares`. */
export function answerTo(subject: string): Answer | undefined {
  const words = subject.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]/g, " ")
    .toLowerCase().trim().replace(/(?<=[a-z]{2}[^s])s$/, "");
  return ANSWERS.find((answer) => answer.words.includes(words));
}
