import { EVERY } from "../../lib/schema/period.ts";
import { GROUP_BYS, INTERVALS } from "../../lib/schema/vocabulary.ts";
import {
  type Chart,
  compareRetention,
  type Connection,
  contributions,
  counterfactual,
  type DataFrame,
  dictionary,
  eventStudy,
  growthRates,
  pl,
  plotComparison,
  plotContributions,
  plotCounterfactual,
  plotEventStudy,
  plotRetention,
  plotRetentionHeatmap,
  plotTimeline,
  plotUserFlows,
  pooledRetention,
  rankBy,
  retentionCurves,
  userFlows,
} from "../../mod.ts";
import {
  blockchainComparison,
  catalogList,
  cohortAnalysis,
  metricAggregations,
  metricBreakdown,
  project,
  projectContracts,
  timeline,
} from "./operations.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** A tool: its texts, the JSON Schema of each argument, and its function. */
export interface Tool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Record<string, unknown>>>;
  readonly required?: readonly string[];
  run(args: Arguments, connection: Connection): Promise<DataFrame | Chart>;
}

const text = (description: string) => ({ type: "string", description });
const texts = (description: string) => ({
  type: "array",
  items: { type: "string" },
  description,
});
const oneOf = (values: readonly unknown[], description: string) => ({
  enum: [...values],
  description,
});
const number = (description: string) => ({ type: "number", description });

const IDS = {
  project_ids: texts("Ids of projects, as catalog lists them"),
  chain_ids: texts("Ids of chains"),
  product_ids: texts("Ids of products"),
  market_sector_ids: texts("Ids of market sectors"),
};
const { project_ids, chain_ids, market_sector_ids } = IDS;
const ORDER = {
  order_by: text("Field by which the rows are sorted"),
  order_direction: oneOf(["asc", "desc"], "Direction of the sort; default asc"),
};
const METRICS = {
  metric_ids: texts("Ids of metrics, such as fees"),
  group_by: oneOf(GROUP_BYS, "Entity of one row"),
  ...IDS,
};
const PERIODS = {
  ...METRICS,
  every: oneOf(EVERY, "Length of a period"),
  from: text("First day, month or year: 2026-01-31, 2026-01 or 2026"),
  to: text("Last day, month or year; default: the last day of the data"),
};
const COHORTS = { project_ids, market_sector_ids };
const GROUPS = {
  by: oneOf(
    ["project_id", "market_sector_id", "cohort", "span", "all"],
    "Groups; default all: one group. span: the groups of time in spans",
  ),
  spans: {
    type: "object",
    additionalProperties: { type: "array", items: { type: "string" }, minItems: 2, maxItems: 2 },
    description: "First and last month of arrival of each span: { before: [2024-01, 2025-06] }",
  },
  washout: number("Cohorts with fewer tracked months are left out; default 3"),
};
const BY = {
  ...GROUPS,
  estimate: oneOf(["weighted", "unweighted"], "Of all users (default), or of the typical project"),
};
const PERIODS_REQUIRED = ["metric_ids", "group_by", "every", "from"];

// The functions check their arguments at run time, with their own messages.
// deno-lint-ignore no-explicit-any -- arguments of agents have no type before that check
type Unchecked = any;

/** Returns the arguments whose names are keys of `names`. */
function pick(args: Arguments, names: Readonly<Record<string, unknown>>): Unchecked {
  return Object.fromEntries(Object.entries(args).filter(([name]) => name in names));
}

async function curvesOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return retentionCurves(await cohortAnalysis(pick(args, COHORTS), connection));
}

async function flowsOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return userFlows(await curvesOf(args, connection), pick(args, GROUPS));
}

async function pooledOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return pooledRetention(await curvesOf(args, connection), pick(args, BY));
}

async function periodsOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return await timeline(pick(args, PERIODS), connection);
}

async function contributionsOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  const options = pick(args, { field: 0, gaps: 0, ...PER });
  return contributions(await periodsOf(args, connection), options);
}

async function counterfactualOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return counterfactual(await periodsOf(args, connection), pick(args, EVENT));
}

async function studyOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return eventStudy(await periodsOf(args, connection), pick(args, PROGRAM));
}

/** The columns that the results of comparisons and pooled curves keep. All other columns are removed. */
const ANSWERS = [
  ...["group_a", "group_b", "project_id", "project_name", "market_sector_id", "market_sector_name"],
  ...[
    "cohort",
    "span",
    "month",
    "cohorts",
    "size",
    "clusters",
    "retention",
    "retention_a",
    "retention_b",
  ],
  ...["difference", "lower", "upper", "bounds", "test", "pairs", "p_value", "p_adjusted"],
  "reason",
];

function answer(frame: DataFrame): DataFrame {
  return frame.select(...frame.columns.filter((name) => ANSWERS.includes(name)));
}

/** Removes the rows of the first period, which have no growth. */
function sinceSecond(frame: DataFrame): DataFrame {
  const first = frame.getColumn("date").min() as unknown as Date;
  return frame.filter(pl.col("date").gt(pl.lit(first)));
}

/** Ranks chains by a field. Returns their rank, value and share, and the change of the field over its window. */
async function compareChains(args: Arguments, connection: Connection): Promise<DataFrame> {
  const chains = await blockchainComparison(pick(args, { chain_ids }), connection);
  const field = String(args.field);
  const ranked = rankBy(chains, { field: field as Unchecked });
  const change = [
    field.replace(/_sum$/, "_trend"),
    `${field}_trend`,
    field.replace(/_latest$/, "_30d_change"),
  ]
    .find((name) => name !== field && chains.columns.includes(name));
  const columns = ["rank", "chain_id", "chain_name", field, "share", change]
    .filter((name) => name !== undefined && ranked.columns.includes(name));
  return ranked.select(...columns);
}

const EVENT = {
  field: text("Column of values, such as fees_sum"),
  treated: text("Id of the entity that had the event"),
  event: text("Day of the event: 2026-01-05"),
  method: oneOf(["did", "synthetic", "sdid"], "Default synthetic"),
  scale: oneOf(["level", "log"], "Default level"),
};

const PROGRAM = {
  field: EVENT.field,
  starts: {
    type: "object",
    additionalProperties: { type: "string" },
    description: "First day of each treated entity by its id: { tidewater: 2025-10 }",
  },
  controls: oneOf(["never", "not-yet"], "Default never"),
  base: number("Time with which others are compared; default -1, the last period before"),
  scale: EVENT.scale,
  zeros: oneOf(["refuse", "skip"], "Values of 0 on scale log; default refuse"),
  detail: oneOf(["times of waves"], "Adds a row for each time of each wave"),
};

const PER = { per: oneOf(["day", "period"], "Months per day (default), or as they are") };

const AS = { as: oneOf(["value", "index", "rank"], "Form of a timeline; default value") };

const CHARTS: Readonly<
  Record<string, (args: Arguments, connection: Connection) => Promise<Chart>>
> = {
  retention: async (args, connection) => plotRetention(await pooledOf(args, connection)),
  retention_heatmap: async (args, connection) =>
    plotRetentionHeatmap(await curvesOf(args, connection)),
  comparison: async (args, connection) => {
    const { field = "ecosystem_fees_30d_sum" } = pick(args, { field: 0 });
    return plotComparison(await blockchainComparison(pick(args, { chain_ids }), connection), {
      field,
    });
  },
  timeline: async (args, connection) =>
    plotTimeline(await periodsOf(args, connection), pick(args, { field: 0, ...AS })),
  contributions: async (args, connection) =>
    plotContributions(await contributionsOf(args, connection)),
  counterfactual: async (args, connection) =>
    plotCounterfactual(await counterfactualOf(args, connection)),
  event_study: async (args, connection) => plotEventStudy(await studyOf(args, connection)),
  user_flows: async (args, connection) => plotUserFlows(await flowsOf(args, connection)),
};

/** All tools, by name. Agents get the tools in this order. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  catalog: {
    description: "Lists the ids and names of projects, chains, market sectors and metrics",
    properties: { kind: oneOf(["projects", "chains", "market_sectors", "metrics"], "Which list") },
    required: ["kind"],
    run: ({ kind }, connection) => catalogList(String(kind), connection),
  },
  dictionary: {
    description: "Explains fields and metrics: unit, meaning, and what null means",
    properties: { contains: text("Part of a name, such as fees") },
    run: async ({ contains = "" }) => {
      const all = await dictionary();
      const names = all.getColumn("name").toArray() as string[];
      return all.filter(pl.Series(names.map((name) => name.includes(String(contains)))));
    },
  },
  metric_breakdown: {
    description: "Metrics over one window, by chain, project, product or market sector",
    properties: {
      ...METRICS,
      interval: oneOf(INTERVALS, "Window that ends with the last day of the data"),
      start: text("First day instead of interval: 2026-01-01"),
      end: text("Last day instead of interval: 2026-01-31"),
    },
    required: ["metric_ids", "interval", "group_by"],
    run: (args, connection) => metricBreakdown(args as Unchecked, connection),
  },
  metric_aggregations: {
    description: "All aggregations of metrics of projects, a row for each",
    properties: { project_ids, metric_ids: METRICS.metric_ids },
    run: (args, connection) => metricAggregations(args as Unchecked, connection),
  },
  blockchain_comparison: {
    description: "One row per chain with 97 columns: fees, users, value locked, and their changes",
    properties: { chain_ids, ...ORDER },
    run: (args, connection) => blockchainComparison(args as Unchecked, connection),
  },
  project_contracts: {
    description: "Contracts of projects: gas, transactions, addresses, and flows of one day",
    properties: { project_ids, chain_ids, market_sector_ids, ...ORDER },
    run: (args, connection) => projectContracts(args as Unchecked, connection),
  },
  cohort_analysis: {
    description: "Monthly cohorts of new users by project, with the share active in months 0 to 11",
    properties: { ...COHORTS, ...ORDER },
    run: (args, connection) => cohortAnalysis(args as Unchecked, connection),
  },
  project: {
    description: "Description, chains, links and available metrics of projects",
    properties: { project_id: texts("Ids of the projects") },
    required: ["project_id"],
    run: (args, connection) => project(args as Unchecked, connection),
  },
  timeline: {
    description: "Metrics over time: one row per period and entity",
    properties: PERIODS,
    required: PERIODS_REQUIRED,
    run: periodsOf,
  },
  retention: {
    description:
      "Share of new users active in each later month: curves of cohorts, or pooled by group with 95% intervals",
    properties: {
      ...COHORTS,
      ...BY,
      as: oneOf(["pooled", "curves"], "Default pooled"),
      month: number("Only this month after the first"),
    },
    run: async (args, connection) => {
      const frame = args.as === "curves"
        ? await curvesOf(args, connection)
        : answer(await pooledOf(args, connection));
      return args.month === undefined
        ? frame
        : frame.filter(pl.col("month").eq(pl.lit(Number(args.month))));
    },
  },
  compare_retention: {
    description:
      "Differences of retention between groups, pair by pair, with intervals and p values",
    properties: {
      ...COHORTS,
      ...BY,
      groups: texts("Two or more values of by; default: all"),
      month: number("Month after the first; default 1"),
    },
    required: ["by"],
    run: async (args, connection) =>
      answer(compareRetention(
        await curvesOf(args, connection),
        pick(args, { ...BY, groups: 0, month: 0 }),
      )),
  },
  compare_chains: {
    description: "Rank, value, share and growth of chains by one field of blockchain_comparison",
    properties: { chain_ids, field: text("Such as ecosystem_fees_30d_sum") },
    required: ["field"],
    run: compareChains,
  },
  growth_rates: {
    description: "Growth of a metric from period to period",
    properties: {
      ...PERIODS,
      field: EVENT.field,
      periods: { description: "Number of periods, or year; default 1" },
      ...PER,
    },
    required: [...PERIODS_REQUIRED, "field"],
    run: async (args, connection) =>
      growthRates(
        await periodsOf(args, connection),
        pick(args, { field: 0, periods: 0, ...PER }),
      ),
  },
  contributions: {
    description:
      "Contribution of each entity to the growth of the total, period by period, per day of months",
    properties: {
      ...PERIODS,
      ...PER,
      field: EVENT.field,
      gaps: oneOf(["null", "skip"], "Default null"),
    },
    required: [...PERIODS_REQUIRED, "field"],
    run: async (args, connection) => sinceSecond(await contributionsOf(args, connection)),
  },
  counterfactual: {
    description:
      "Estimated effect of an event on one entity, against the others, with placebo tests. Poor fit, or pre_p below .05: do not interpret",
    properties: { ...PERIODS, ...EVENT },
    required: [...PERIODS_REQUIRED, "field", "treated", "event"],
    run: counterfactualOf,
  },
  event_study: {
    description:
      "Effect of a program on the entities that took part, against the others, by time since the start. Participants were chosen, not drawn: an effect can be selection. Below .05, pre_p says that they already differed before",
    properties: { ...PERIODS, ...PROGRAM },
    required: [...PERIODS_REQUIRED, "field", "starts"],
    run: studyOf,
  },
  user_flows: {
    description: "New, returned, lost and aged out users of each month, and their sum",
    properties: { ...COHORTS, ...GROUPS },
    run: flowsOf,
  },
  chart: {
    description: "Draws a chart as a PNG image with its caption",
    properties: {
      kind: oneOf(Object.keys(CHARTS), "Which chart"),
      ...PERIODS,
      ...BY,
      ...AS,
      ...EVENT,
      ...PROGRAM,
    },
    required: ["kind"],
    run: (args, connection) => CHARTS[String(args.kind)]!(args, connection),
  },
};
