#!/usr/bin/env -S deno run --no-prompt --allow-ffi -S=cpus,networkInterfaces,hostname -R -W -N -E=CHAINFRAME_*,HOME,XDG_CACHE_HOME,LOCALAPPDATA,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Writes a report on retention, on chains or on a program as one HTML file.
 *
 * @module
 */
import { EVERY } from "../lib/schema/period.ts";
import {
  blockchainComparison,
  cohortAnalysis,
  type Connection,
  type DataFrame,
  eventStudy,
  growthTable,
  md,
  openFrame,
  plotComparison,
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
} from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { COLORS_OPTION, keepColors, readColors } from "./cli/colors.ts";
import { checkFile, ERROR_OPTIONS, reportMissing } from "./cli/output.ts";
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

async function retentionReport(given: Arguments, io: Io, connection: Connection): Promise<Made> {
  const by = given.oneOf("by", BYS) ?? "project_id";
  const source = await cohortAnalysis(await queryFrom(RETENTION_QUERY, given, io), connection);
  if (source.height === 0) throw new Error("the service has no cohorts for this query");
  const curves = retentionCurves(source);
  const pooled = pooledRetention(curves, { by });
  const summary = retentionSummary(pooled);
  return {
    title: "Retention",
    source,
    parts: [
      md`The share of new users who are active again in each later month. Months are pooled over
        cohorts.`,
      plotRetention(pooled),
      show(summary),
      md`New, returned and lost users of all projects of this report, month by month.`,
      plotUserFlows(userFlows(curves)),
    ],
  };
}

async function chainsReport(given: Arguments, io: Io, connection: Connection): Promise<Made> {
  const source = await blockchainComparison(await queryFrom(CHAINS_QUERY, given, io), connection);
  if (source.height === 0) throw new Error("the service has no chains for this query");
  const ranked = rankBy(source, { field: "ecosystem_fees_30d_sum" });
  const growth = growthTable(source, { field: "ecosystem_fees" });
  return {
    title: "Chains",
    source,
    parts: [
      md`Fees of 30 days, value locked and daily active users of each chain, and how they changed.`,
      ...FIELDS.map((field) => plotComparison(source, { field })),
      plotGrowth(growth),
      show(ranked.select("rank", "chain_name", ...FIELDS, "share")),
    ],
  };
}

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

/** Reads the starts of a program: a file whose first column holds ids, with the column `start`. */
async function startsIn(path: string): Promise<DataFrame> {
  const starts = await openFrame(path).catch((cause) => {
    throw new UsageError(
      `--starts: ${(cause as Error).message.replace(/^openFrame: (path: )?/, "")}`,
      { cause },
    );
  });
  return starts.rename({ [starts.columns[0]!]: "data_id" });
}

async function programReport(given: Arguments, io: Io, connection: Connection): Promise<Made> {
  const starts = await startsIn(given.required("starts"));
  const query = await queryFrom([...PROGRAM_QUERY, "from", "to"], given, io);
  const every = given.oneOf("every", EVERY) ?? "month";
  const source = await timeline({ ...query, every } as unknown as TimelineQuery, connection);
  const study = eventStudy(
    source,
    {
      ...given.options("field", "controls", "scale", "within", "cluster"),
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
      plotEventStudy(study),
      show(study, { columns: [...STUDY_COLUMNS] }),
    ],
  };
}

const REPORTS = {
  retention: retentionReport,
  comparison: chainsReport,
  program: programReport,
};
const KINDS = ["retention", "comparison", "program"] as const;

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
        option("by", "WHAT", `The groups of the curves, one of ${BYS.join(", ")}.`),
        option("title", "TEXT", "The title of the page."),
      ],
    },
    {
      title: "Program",
      options: [
        option("starts", "FILE", "A table of ids (first column) and their first days (start)."),
        option("field", "FIELD", "The column of values, such as fees_sum."),
        option("every", "PERIOD", `One of ${EVERY.join(", ")} (default: month).`),
        option("from", "WHEN", "A day, month or year: 2025-01-31, 2025-01, 2025."),
        option("to", "WHEN", "In the same form (default: the end of the data)."),
        option("scale", "WORD", "log compares relative changes, total sums (default: level)."),
        option("within", "COLUMN", "Compares inside the strata of a column."),
        option("cluster", "COLUMN", "The clusters that are independent (default: entities)."),
        option("controls", "WORD", "never or not-yet treated (default: never)."),
      ],
    },
    {
      title: "Output",
      options: [
        option("out", "FILE", "The HTML file."),
        flag("force", "Replaces existing files."),
        ...ERROR_OPTIONS,
        COLORS_OPTION,
      ],
    },
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
  ],
  async run(given, io) {
    const kind = given.operandOf("KIND", KINDS);
    const path = given.required("out");
    await checkFile("out", given, [".html"]);
    await readColors(given);
    const make = REPORTS[kind];
    const { title, source, parts } = await make(given, io, await connectionOf(given, io.signal));
    await reportMissing(source, given, io);
    const page = report({ title: given.one("title") ?? title, parts });
    await save(page, path, { force: given.has("force") });
    await keepColors(given);
    tell(io, `written: ${path}`);
  },
});

if (isMain(import.meta)) await runProcess(main);
