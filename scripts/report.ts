#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Writes a report on retention, on chains or on a program as one HTML file.
 *
 * @module
 */
import { EVERY } from "../lib/schema/period.ts";
import {
  blockchainComparison,
  type ChartOptions,
  cohortAnalysis,
  type Connection,
  counterfactual,
  type DataFrame,
  eventStudy,
  growthTable,
  md,
  openFrame,
  plotComparison,
  plotCounterfactual,
  plotEventStudy,
  plotGrowth,
  plotRetention,
  plotUserFlows,
  pooledRetention,
  rankBy,
  report,
  retentionCurves,
  retentionSummary,
  save,
  show,
  timeline,
  type TimelineQuery,
  userFlows,
  where,
} from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { keepColors, readColors } from "./cli/colors.ts";
import { declaredFlags } from "./cli/declared_options.ts";
import {
  CHART_OPTIONS,
  chartOptions,
  checkFile,
  ERROR_OPTIONS,
  reportMissing,
} from "./cli/output.ts";
import { ownTable, TABLE_OPTIONS } from "./cli/own_table.ts";
import { optionsFrom } from "./cli/option_values.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import {
  type Arguments,
  flag,
  type Io,
  isMain,
  type Main,
  option,
  runProcess,
  script,
  tell,
  UsageError,
  wordIn,
} from "./cli/script.ts";

const BYS = ["project_id", "market_sector_id"] as const;
const RETENTION_QUERY = ["project-ids", "market-sector-ids"];
const CHAINS_QUERY = ["chain-ids"];
const PROGRAM_QUERY = ["metric-ids", "group-by", ...CHAINS_QUERY, ...RETENTION_QUERY];
const FIELDS = ["ecosystem_fees_30d_sum", "ecosystem_tvl_latest", "active_users_daily_latest"];

/** The content of a report: its title, the frame that was fetched, and the parts of the page. */
interface Made {
  readonly title: string;
  readonly source: DataFrame;
  readonly parts: Parameters<typeof report>[0]["parts"];
}

/** What a report is made from. */
interface Request {
  readonly given: Arguments;
  readonly io: Io;
  readonly connection: Connection;
  readonly chart: ChartOptions;
  /** The table of `--table`. */
  readonly table: DataFrame | undefined;
}

async function retentionReport(request: Request): Promise<Made> {
  const { given, io, connection, chart, table } = request;
  const by = (table === undefined ? given.oneOf("by", BYS) : given.one("by")) ??
    (table === undefined ? "project_id" : "all");
  const source = table ??
    await cohortAnalysis(
      await queryFrom("cohortAnalysis", given, { io }),
      connection,
    );
  if (source.height === 0) throw new Error("there are no cohorts for this query");
  const curves = retentionCurves(source);
  const pooled = pooledRetention(curves, { by });
  const summary = retentionSummary(pooled);
  return {
    title: "Retention",
    source,
    parts: [
      md`The share of new users who are active again in each later month. Months are pooled over
        cohorts.`,
      plotRetention(pooled, chart),
      show(summary),
      md`New, returned and lost users of all projects of this report, month by month.`,
      plotUserFlows(userFlows(curves), chart),
    ],
  };
}

async function chainsReport(request: Request): Promise<Made> {
  const { given, io, connection, chart, table } = request;
  if (table !== undefined) return tableReport(table, request);
  const source = await blockchainComparison(
    await queryFrom("blockchainComparison", given, { io, only: ["chain_ids"] }),
    connection,
  );
  if (source.height === 0) throw new Error("the service has no chains for this query");
  const ranked = rankBy(source, { field: "ecosystem_fees_30d_sum" });
  const growth = growthTable(source, { field: "ecosystem_fees" });
  return {
    title: "Chains",
    source,
    parts: [
      md`Fees of 30 days, value locked and daily active users of each chain, and how they changed.`,
      ...FIELDS.map((field) => plotComparison(source, { ...chart, field })),
      plotGrowth(growth, chart),
      show(ranked.select("rank", "chain_name", ...FIELDS, "share")),
    ],
  };
}

/** Compares the rows of one's own table by `--field`. */
function tableReport(table: DataFrame, { given, chart }: Request): Made {
  const numbers = table.columns.filter((name) => table.getColumn(name).isNumeric());
  if (numbers.length === 0) throw new UsageError("--table: has no column of numbers");
  const field = given.has("field") ? wordIn(numbers, given.one("field")!, "--field") : numbers[0]!;
  return {
    title: "Comparison",
    source: table,
    parts: [plotComparison(table, { ...chart, field }), show(rankBy(table, { field }))],
  };
}

const EVENT_COLUMNS = ["row", "date", "after", "observed", "expected", "gap", "lower", "upper"];
const CITED_COLUMNS = [
  ...["row", "total_percent", "effect_percent", "lower_percent", "upper_percent", "p_value", "fit"],
  ...["rests_on", "reason", "rmse_before", "rmse_held_out"],
];
const STUDY_COLUMNS = [
  ...[
    "row",
    "event_time",
    "wave",
    "effect",
    "effect_percent",
    "lower_percent",
    "upper_percent",
    "p_value",
  ],
  ...["pre_p", "pre_slope_p", "entities", "controls", "missing_treated", "missing_controls"],
];

/** Reads the starts of a program or event: a file of ids and days, with the column `start`. */
async function startsIn(path: string): Promise<DataFrame> {
  return await openFrame(path).catch((cause) => {
    throw new UsageError(
      `--starts: ${(cause as Error).message.replace(/^openFrame: (path: )?/, "")}`,
      { cause },
    );
  });
}

/** Returns the table, or the series of the query, and the starts of `--starts`. */
async function startedSeries({ given, io, connection, table }: Request) {
  const starts = await startsIn(given.required("starts"));
  if (table !== undefined) return { source: table, starts };
  const query = { every: "month", ...await queryFrom("timeline", given, { io }) };
  const source = await timeline(query as unknown as TimelineQuery, connection);
  return { source, starts };
}

async function eventReport(request: Request): Promise<Made> {
  const { given, chart } = request;
  const { source, starts } = await startedSeries(request);
  const result = counterfactual(
    source,
    {
      ...optionsFrom("counterfactual", given, ["field", "scale", "method"]),
      starts,
    } as Parameters<typeof counterfactual>[1],
  );
  const treated = where(result, { role: "treated" });
  return {
    title: "Event",
    source,
    parts: [
      md`The values of the affected entity, and the values that other entities predict without the
        event. The other entities are analyzed in the same way, as placebos.`,
      plotCounterfactual(result, chart),
      show(where(treated, { row: "overall" }), { columns: [...CITED_COLUMNS] }),
      show(where(treated, { row: "date" }), { columns: [...EVENT_COLUMNS] }),
    ],
  };
}

async function programReport(request: Request): Promise<Made> {
  const { given, chart } = request;
  const { source, starts } = await startedSeries(request);
  const study = eventStudy(
    source,
    {
      ...optionsFrom("eventStudy", given, ["field", "controls", "scale", "within", "cluster"]),
      starts,
    } as Parameters<typeof eventStudy>[1],
  );
  return {
    title: "Program",
    source,
    parts: [
      md`The change of each treated entity since the last period before its start, compared with the
        change of entities that did not take part. Participants were chosen, not drawn, so an
        effect can be selection.`,
      plotEventStudy(study, chart),
      show(study, { columns: [...STUDY_COLUMNS] }),
    ],
  };
}

const REPORTS = {
  retention: retentionReport,
  comparison: chainsReport,
  program: programReport,
  event: eventReport,
};
const KINDS = ["retention", "comparison", "program", "event"] as const;

export const main: Main = script({
  name: "report.ts",
  about:
    "Writes a report as one HTML file: texts, charts, tables and their sources. The file needs " +
    "no network and no script, and prints on paper.",
  usage: `KIND --out FILE [options]\n\n  KIND is ${KINDS.join(", ")}`,
  options: [
    {
      title: "Query",
      options: [
        ...queryOptions(...PROGRAM_QUERY),
        option(
          "by",
          "WHAT",
          `The groups of the curves: ${BYS.join(", ")}, or a column of a table.`,
        ),
      ],
    },
    {
      title: "Program and event",
      options: [
        option(
          "starts",
          "FILE",
          "A table of ids and their first days (column start); of an event, one row.",
        ),
        option("field", "FIELD", "The column of values, such as fees_sum."),
        option("every", "PERIOD", `One of ${EVERY.join(", ")} (default: month).`),
        option("from", "WHEN", "A day, month or year: 2025-01-31, 2025-01, 2025."),
        option("to", "WHEN", "In the same form (default: the end of the data)."),
        option("scale", "WORD", "log compares relative changes, total sums (default: level)."),
        option("within", "COLUMN", "Compares inside the strata of a column."),
        option("cluster", "COLUMN", "The clusters that are independent (default: entities)."),
        option("controls", "WORD", "never or not-yet treated (default: never)."),
        ...declaredFlags("counterfactual", "method"),
      ],
    },
    {
      title: "Output",
      options: [
        option("out", "FILE", "The HTML file."),
        flag("force", "Replaces existing files."),
        ...ERROR_OPTIONS,
      ],
    },
    TABLE_OPTIONS,
    CHART_OPTIONS,
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["retention --by market_sector_id --out retention.html", "Retention of every market sector"],
    [
      "comparison --chain-ids @chains.csv --out chains.html --force",
      "Chains of a list, every night",
    ],
    [
      "program --metric-ids fees --group-by projects --from 2024-07 --field fees_sum " +
      "--scale total --starts starts.csv --out program.html",
      "The effect of a program",
    ],
    [
      "event --metric-ids tvl --group-by chains --every week --from 2025-04 --field tvl_avg " +
      "--scale log --starts start.csv --out event.html",
      "What an event changed, against what other entities predict",
    ],
  ],
  async run(given, io) {
    const kind = given.operandOf("KIND", KINDS);
    const path = given.required("out");
    await checkFile("out", given, [".html"]);
    await readColors(given);
    const table = await ownTable(given, [...PROGRAM_QUERY, "from", "to", "every"], io.signal);
    const connection = await connectionOf(given, io.signal);
    const { title: heading, ...chart } = chartOptions(given);
    const { title, source, parts } = await REPORTS[kind]({ given, io, connection, chart, table });
    await reportMissing(source, given, io);
    const page = report({ title: heading ?? title, parts });
    await save(page, path, { force: given.has("force") });
    await keepColors(given);
    tell(io, `written: ${path}`);
  },
});

if (isMain(import.meta)) await runProcess(main);
