#!/usr/bin/env -S deno run --no-prompt --allow-ffi --allow-sys=cpus,networkInterfaces,hostname -R -W -N --allow-env=CHAINFRAME_BASE_URL,CHAINFRAME_TOKEN,CHAINFRAME_CACHE,HTTP_PROXY,http_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy
/**
 * Writes a report on retention or on chains as one HTML file.
 *
 * @module
 */
import {
  blockchainComparison,
  cohortAnalysis,
  type Connection,
  type DataFrame,
  growthTable,
  md,
  plotComparison,
  plotGrowth,
  plotRetention,
  pooledRetention,
  rankBy,
  report,
  retentionCurves,
  retentionSummary,
  save,
  show,
} from "../mod.ts";
import { CONNECTION_OPTIONS, connectionOf } from "./cli/connection.ts";
import { checkFile, ERROR_OPTIONS, reportMissing } from "./cli/output.ts";
import { queryFrom, queryOptions } from "./cli/query.ts";
import {
  type Arguments,
  flag,
  type Io,
  type Main,
  option,
  runProcess,
  script,
  tell,
} from "./cli/script.ts";

const BYS = ["project_id", "market_sector_id"] as const;
const RETENTION_QUERY = ["project-ids", "market-sector-ids"];
const CHAINS_QUERY = ["chain-ids"];
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
  const pooled = pooledRetention(retentionCurves(source), { by });
  const summary = retentionSummary(pooled);
  return {
    title: "Retention",
    source,
    parts: [
      md`The share of new users who are active again in each later month. Months are pooled over
        cohorts.`,
      plotRetention(pooled),
      show(summary),
    ],
  };
}

async function chainsReport(given: Arguments, io: Io, connection: Connection): Promise<Made> {
  const source = await blockchainComparison(await queryFrom(CHAINS_QUERY, given, io), connection);
  if (source.height === 0) throw new Error("the service has no chains for this query");
  const ranked = rankBy(source, "ecosystem_fees_30d_sum");
  const growth = growthTable(source, "ecosystem_fees");
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

const REPORTS = { retention: retentionReport, comparison: chainsReport };
const KINDS = ["retention", "comparison"] as const;

export const main: Main = script({
  name: "report.ts",
  about:
    "Writes a report as one HTML file: texts, charts, tables and their sources. The file needs " +
    "no network and no script, and prints on paper.",
  usage: `KIND --out FILE [options]\n\n  KIND is ${KINDS.join(" or ")}`,
  options: [
    {
      title: "Query",
      options: [
        ...queryOptions(...RETENTION_QUERY, ...CHAINS_QUERY),
        option("by", "WHAT", `The groups of the curves, one of ${BYS.join(", ")}.`),
        option("title", "TEXT", "The title of the page."),
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
    CONNECTION_OPTIONS,
  ],
  examples: [
    ["retention --by market_sector_id --out retention.html", "Retention of every market sector"],
    [
      "comparison --chain-ids @chains.csv --out chains.html --force",
      "Chains of a list, every night",
    ],
  ],
  async run(given, io) {
    const kind = given.operandOf("KIND", KINDS);
    const path = given.required("out");
    await checkFile("out", given, [".html"]);
    const make = REPORTS[kind];
    const { title, source, parts } = await make(given, io, await connectionOf(given, io.signal));
    await reportMissing(source, given, io);
    const page = report({ title: given.one("title") ?? title, parts });
    await save(page, path, { force: given.has("force") });
    tell(io, `written: ${path}`);
  },
});

if (import.meta.main) await runProcess(main);
