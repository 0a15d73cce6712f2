#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Shows metrics over time: one row per period, with growth and ranks.
 *
 * @module
 */
import { dateColumnOf } from "../lib/output/date_column.ts";
import { mustBeOneOf } from "../lib/platform/check_options.ts";
import { EVERY } from "../lib/schema/period.ts";
import type { RecipeStep } from "../lib/output/recipe.ts";
import { type DataFrame, figure, pl } from "../mod.ts";
import { CONNECTION_OPTIONS } from "./cli/connection.ts";
import { declaredFlags } from "./cli/declared_options.ts";
import {
  ANALYSIS_OUTPUT,
  CHART_OPTIONS,
  chartOptions,
  checkOutput,
  giveOut,
  reportMissing,
} from "./cli/output.ts";
import { TABLE_OPTIONS } from "./cli/own_table.ts";
import { optionsFrom } from "./cli/option_values.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import { type Opened, openSource } from "./cli/source.ts";
import {
  type Arguments,
  type Io,
  isMain,
  type Main,
  option,
  runProcess,
  script,
  several,
  UsageError,
  wordIn,
} from "./cli/script.ts";

const QUERY = [
  "metric-ids",
  "group-by",
  "chain-ids",
  "project-ids",
  "product-ids",
  "market-sector-ids",
];

async function queryOf(given: Arguments, io: Io) {
  for (const name of ["metric-ids", "group-by", "from"]) given.required(name);
  return { every: "month", ...await queryFrom("timeline", given, { io }) };
}

/** Returns the steps to the rows of a table within `--from` and `--to`, by `--every`. */
async function seriesSteps({ frame }: Opened, given: Arguments): Promise<RecipeStep[]> {
  const resampled = optionsFrom("resample", given, ["every", "how"]);
  const steps: RecipeStep[] = given.has("every") ? [["resample", resampled]] : [];
  const bounds = Object.fromEntries(
    ["from", "to"].flatMap((name) => given.has(name) ? [[name, given.one(name)!]] : []),
  );
  if (Object.keys(bounds).length === 0) return steps;
  const date = dateColumnOf(await frame(...steps), "timeline");
  return [...steps, ["where", { [date]: bounds }]];
}

/** Returns the column that `--field` names. By default, returns the first numeric column that has a value. */
function fieldOf(frame: DataFrame, given: Arguments): string {
  const numbers = frame.columns.filter((name) => frame.getColumn(name).isNumeric());
  const field = given.one("field") ??
    numbers.find((name) => frame.getColumn(name).nullCount() < frame.height) ?? numbers[0];
  if (field !== undefined && numbers.includes(field)) return field;
  const rule = numbers.length === 0
    ? "the frame has no column of numbers"
    : mustBeOneOf(numbers, field);
  throw new UsageError(`--field: ${rule}${field === undefined ? "" : `; got "${field}"`}`);
}

/** The forms of the field: the suffix of the column that a form adds, and the step that adds the column. */
const FORMS = {
  value: null,
  index: { suffix: "_index", options: ["base", "per"], step: "indexed" },
  growth: { suffix: "_growth", options: ["periods", "per"], step: "growthRates" },
  mean: { suffix: "_mean", options: ["periods"], step: "rollingMean" },
  rank: null,
} as const;
type Form = keyof typeof FORMS;

function formsOf(given: Arguments): Form[] {
  const words = given.all("as").flatMap((list) => list.split(",").map((word) => word.trim()));
  const forms = Object.keys(FORMS) as Form[];
  return words.length === 0 ? ["value"] : words.map((word) => wordIn(forms, word, "--as"));
}

/** Returns the steps to the columns of all forms, the columns, and the step that draws each form. */
function formSteps(field: string, given: Arguments) {
  const steps: RecipeStep[] = [];
  const columns = [field];
  const charts: RecipeStep[] = [];
  for (const form of formsOf(given)) {
    const derived = FORMS[form];
    if (derived !== null) {
      steps.push([derived.step, { ...optionsFrom(derived.step, given, derived.options), field }]);
      columns.push(`${field}${derived.suffix}`);
    }
    const column = derived === null ? field : columns.at(-1)!;
    const as = form === "rank" ? "rank" : "value";
    charts.push(["plotTimeline", { ...chartOptions(given), field: column, as }]);
  }
  return { steps, columns, charts };
}

export const main: Main = script({
  name: "timeline.ts",
  about: "Breaks metrics down by day, week, month, quarter or year. A terminal shows one column; " +
    "files and pipes get all of them.",
  usage:
    "--metric-ids IDS --group-by WORD --from WHEN [options]\n  timeline.ts --table FILE [options]",
  options: [
    {
      title: "Query",
      options: [
        ...queryOptions(...QUERY),
        option(
          "every",
          "PERIOD",
          `One of ${EVERY.join(", ")} (default: month; of a table, its own periods).`,
        ),
        ...declaredFlags("timeline", "from", "to", "settle"),
        ...declaredFlags("resample", "how"),
      ],
    },
    {
      title: "Column",
      options: [
        option("field", "FIELD", "The column (default: the first that has a value)."),
        several(
          "as",
          "FORM",
          `One of ${Object.keys(FORMS).join(", ")} (default: value). Each form has a chart.`,
        ),
        ...declaredFlags("indexed", "base"),
        ...declaredFlags("growthRates", "periods", "per"),
      ],
    },
    TABLE_OPTIONS,
    ANALYSIS_OUTPUT,
    CHART_OPTIONS,
    CONNECTION_OPTIONS,
  ],
  examples: [
    [
      "--metric-ids fees --group-by chains --from 2025 --out fees.svg --out fees.parquet",
      "Fees of chains by month, as a chart and as Parquet",
    ],
    [
      "--metric-ids active_users --group-by projects --every week --from 2026-01 --as growth",
      "Growth of the users of projects from week to week",
    ],
    [
      '--table fees.csv --citation "Own node" --column-unit fees=usd --every month --how sum --out fees.svg',
      "Daily values of a table, by month",
    ],
    [
      "--metric-ids fees --group-by chains --from 2025 --as rank --cache answers --out ranks.png",
      "Ranks over time; every night, requesting only periods that may have changed",
    ],
  ],
  async run(given, io) {
    const opened = await openSource(given, io, {
      query: [...QUERY, "settle"],
      response: async () => ({ operation: "timeline", query: await queryOf(given, io) }),
    });
    await checkOutput(given, "analysis");
    const before = opened.isTable ? await seriesSteps(opened, given) : [];
    const source = await opened.frame(...before);
    await reportMissing(source, given, io);
    if (source.height === 0) throw new Error("there is no data for this query");
    const field = fieldOf(source, given);
    const { steps, columns, charts } = formSteps(field, given);
    const all = [...before, ...steps];
    const frame = await opened.frame(...all);
    const chart = async () => {
      const drawn = await Promise.all(charts.map((step) => opened.chart(...all, step)));
      return drawn.length === 1
        ? drawn[0]!
        : figure([drawn[0]!, ...drawn.slice(1)], { columns: 1 });
    };
    const table = opened.isTable ? await opened.frame() : undefined;
    const names = table?.columns.filter((name) => !table.getColumn(name).isNumeric()) ??
      ["date", "complete", "data_id"];
    // Periods of events have no column that names rows.
    const shown = [...new Set([...names, ...columns])].filter((name) =>
      frame.columns.includes(name)
    );
    const summary = frame.select(...shown.map((name) => pl.col(name)));
    await giveOut({ frame, summary, chart, source }, given, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
