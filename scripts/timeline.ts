#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Shows metrics over time: one row per period, with growth and ranks.
 *
 * @module
 */
import { dateColumnOf } from "../lib/output/date_column.ts";
import { mustBeOneOf } from "../lib/platform/check_options.ts";
import { EVERY } from "../lib/schema/period.ts";
import {
  type Chart,
  type DataFrame,
  figure,
  growthRates,
  indexed,
  pl,
  plotTimeline,
  resample,
  rollingMean,
  timeline,
  type TimelineQuery,
  where,
} from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { declaredFlags } from "./cli/declared_options.ts";
import {
  ANALYSIS_OUTPUT,
  CHART_OPTIONS,
  chartOptions,
  checkOutput,
  giveOut,
  reportMissing,
} from "./cli/output.ts";
import { ownTable, TABLE_OPTIONS } from "./cli/own_table.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
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

async function queryOf(given: Arguments, io: Io): Promise<TimelineQuery> {
  for (const name of ["metric-ids", "group-by", "from"]) given.required(name);
  const settle = given.whole("settle", 0);
  const query = {
    every: given.oneOf("every", EVERY) ?? "month",
    ...await queryFrom([...QUERY, "from", "to"], given, io),
    ...settle === undefined ? {} : { settle },
  };
  // The query has no static type. `timeline` checks the query at run time.
  return query as unknown as TimelineQuery;
}

/** Returns the rows of a table within `--from` and `--to`, by `--every`. */
function seriesOf(table: DataFrame, given: Arguments): DataFrame {
  const bounds = Object.fromEntries(
    ["from", "to"].flatMap((name) => given.has(name) ? [[name, given.one(name)!]] : []),
  );
  const every = given.oneOf("every", EVERY);
  const series = every === undefined ? table : resample(table, { ...given.options("how"), every });
  if (Object.keys(bounds).length === 0) return series;
  return where(series, { [dateColumnOf(series, "timeline")]: bounds } as never);
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

/** The forms of the field: the suffix of the column that a form adds, and the function that adds the column. */
const FORMS = {
  value: null,
  index: { suffix: "_index", options: ["base", "per"], add: indexed },
  growth: { suffix: "_growth", options: ["periods", "per"], add: growthRates },
  mean: { suffix: "_mean", options: ["periods"], add: rollingMean },
  rank: null,
} as const;
type Form = keyof typeof FORMS;

function formsOf(given: Arguments): Form[] {
  const words = given.all("as").flatMap((list) => list.split(",").map((word) => word.trim()));
  const forms = Object.keys(FORMS) as Form[];
  return words.length === 0 ? ["value"] : words.map((word) => wordIn(forms, word, "--as"));
}

/** Returns a frame with the columns of all forms, and a function that draws a chart of each form. */
function drawn(source: DataFrame, field: string, given: Arguments) {
  let frame = source;
  const columns = [field];
  const charts: { readonly field: string; readonly as: "rank" | "value" }[] = [];
  for (const form of formsOf(given)) {
    const derived = FORMS[form];
    if (derived !== null) {
      const options = { ...given.options(...derived.options), field };
      frame = derived.add(frame, options as Parameters<typeof rollingMean>[1] & { per?: "period" });
      columns.push(`${field}${derived.suffix}`);
    }
    const column = derived === null ? field : columns.at(-1)!;
    charts.push({ field: column, as: form === "rank" ? "rank" : "value" });
  }
  const chart = (): Chart => {
    const [first, ...others] = charts.map((options) =>
      plotTimeline(frame, { ...chartOptions(given), ...options })
    );
    return others.length === 0 ? first! : figure([first!, ...others], { columns: 1 });
  };
  return { frame, columns, chart };
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
      '--table fees.csv --cite "Own node" --column-unit fees=usd --every month --how sum --out fees.svg',
      "Daily values of a table, by month",
    ],
    [
      "--metric-ids fees --group-by chains --from 2025 --as rank --cache answers --out ranks.png",
      "Ranks over time; every night, requesting only periods that may have changed",
    ],
  ],
  async run(given, io) {
    const table = await ownTable(given, [...QUERY, "settle"], io.signal);
    const query = table === undefined ? await queryOf(given, io) : undefined;
    await checkOutput(given, "analysis");
    const source = table === undefined
      ? await timeline(query!, await connectionOf(given, io.signal))
      : seriesOf(table, given);
    await reportMissing(source, given, io);
    if (source.height === 0) throw new Error("there is no data for this query");
    const field = fieldOf(source, given);
    const { frame, columns, chart } = drawn(source, field, given);
    const names = table?.columns.filter((name) => !table.getColumn(name).isNumeric()) ??
      ["date", "complete", "data_id"];
    const shown = [...new Set([...names, ...columns])];
    const summary = frame.select(...shown.map((name) => pl.col(name)));
    await giveOut({ frame, summary, chart, source }, given, io);
  },
});

if (isMain(import.meta)) await runProcess(main);
