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
import { type Declared, declaredOptions, type Schema } from "../cli/declared_options.ts";
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
import { withinSize } from "./sizes.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** The names of public functions whose options are arguments. A list has the only options that are. */
type Calls = Readonly<Record<string, "all" | readonly string[]>>;

/** A tool: its texts, the JSON Schema of each argument, and its function. */
export interface Tool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  run(args: Arguments, connection: Connection): Promise<DataFrame | Chart>;
}

/** A tool as this file states it. Its arguments are the options of the functions that it calls, and its own. */
interface Definition extends Omit<Tool, "properties" | "required"> {
  readonly calls?: Calls;
  readonly own?: Readonly<Record<string, Schema>>;
  /** @default {the required options of the functions} */
  readonly required?: readonly string[];
}

/** Options that no tool passes on. Every tool has its own `limit`, and `settle` is for those who keep an archive. */
const LEFT_OUT = ["limit", "settle"];

/** Returns the options of functions that are arguments of a tool: those that JSON can write. */
function optionsOf(calls: Calls): { readonly fn: string; readonly option: Declared }[] {
  return Object.entries(calls).flatMap(([fn, names]) =>
    declaredOptions(fn).filter(({ name, schema }) =>
      schema !== null && !LEFT_OUT.includes(name) && (names === "all" || names.includes(name))
    ).map((option) => ({ fn, option }))
  );
}

/** Options whose words an earlier tool has. The list of tools has the words of an option of a function once. */
const described = new Set<string>();

function propertyOf(fn: string, { name, schema, about, default: value }: Declared): Schema {
  const key = `${fn}.${name}`;
  if (described.has(key)) return schema!;
  described.add(key);
  const isShort = value !== null && value !== "none" && value.length <= 30;
  const description = `${about}${isShort ? `; default ${value}` : ""}`.replaceAll(/[`"]/g, "");
  return { ...schema, description };
}

function toolOf({ calls = {}, own = {}, ...definition }: Definition): Tool {
  const options = optionsOf(calls);
  const properties: Record<string, Schema> = {};
  // If functions share an option, the words of the first function stand.
  for (const { fn, option } of options) {
    if (own[option.name] === undefined) properties[option.name] ??= propertyOf(fn, option);
  }
  const required = options.filter(({ option }) => option.required).map(({ option }) => option.name);
  return { required, ...definition, properties: { ...properties, ...own } };
}

// The functions check their arguments at run time, with their own messages.
// deno-lint-ignore no-explicit-any -- arguments of agents have no type before that check
type Unchecked = any;

function pick(args: Arguments, names: readonly string[]): Unchecked {
  return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
}

/** Returns the arguments that are options of a function. */
function of(args: Arguments, fn: string): Unchecked {
  return pick(args, declaredOptions(fn).map(({ name }) => name));
}

const COHORTS = ["project_ids", "market_sector_ids"];
const CURVES: Calls = { cohortAnalysis: COHORTS, retentionCurves: "all" };
const PERIODS: Calls = { timeline: "all" };
const PERIODS_REQUIRED = ["metric_ids", "group_by", "every", "from"];

async function curvesOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  const cohorts = await cohortAnalysis(pick(args, COHORTS), connection);
  return retentionCurves(cohorts, of(args, "retentionCurves"));
}

async function flowsOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return userFlows(await curvesOf(args, connection), of(args, "userFlows"));
}

async function pooledOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  const curves = withinSize("pooledRetention", await curvesOf(args, connection), "project_id");
  return pooledRetention(curves, of(args, "pooledRetention"));
}

async function periodsOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return await timeline(of(args, "timeline"), connection);
}

/** Returns what is compared over time: retention if a month of it is given, else metrics. */
async function panelOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  if (args.month === undefined) return await periodsOf(args, connection);
  if (args.metric_ids === undefined) return await curvesOf(args, connection);
  throw new RangeError("month: is a month of retention, which takes no metric_ids");
}

async function contributionsOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  return contributions(await periodsOf(args, connection), of(args, "contributions"));
}

async function counterfactualOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  const analysis = args.method === "sdid" ? "counterfactual by sdid" : "counterfactual";
  const panel = withinSize(analysis, await panelOf(args, connection), "project_id");
  return counterfactual(panel, of(args, "counterfactual"));
}

async function studyOf(args: Arguments, connection: Connection): Promise<DataFrame> {
  const panel = withinSize("eventStudy", await panelOf(args, connection), "project_id");
  return eventStudy(panel, of(args, "eventStudy"));
}

/** The columns that the results of comparisons and pooled curves keep. All other columns are removed. */
const ANSWERS = [
  ...["group_a", "group_b", "project_id", "project_name", "market_sector_id", "market_sector_name"],
  ...[
    "cohort",
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
  const chains = await blockchainComparison(of(args, "blockchainComparison"), connection);
  const field = String(args.field);
  const ranked = rankBy(chains, of(args, "rankBy"));
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

interface DrawnKind {
  readonly calls: Calls;
  draw(args: Arguments, connection: Connection): Promise<Chart>;
}

const POOLED: Calls = { ...CURVES, pooledRetention: "all" };
const FLOWS: Calls = { ...CURVES, userFlows: "all" };

const CHARTS: Readonly<Record<string, DrawnKind>> = {
  retention: {
    calls: POOLED,
    draw: async (args, connection) => plotRetention(await pooledOf(args, connection)),
  },
  retention_heatmap: {
    calls: CURVES,
    draw: async (args, connection) => plotRetentionHeatmap(await curvesOf(args, connection)),
  },
  comparison: {
    calls: { blockchainComparison: ["chain_ids"], plotComparison: ["field"] },
    draw: async ({ field = "ecosystem_fees_30d_sum", ...query }, connection) =>
      plotComparison(await blockchainComparison(query as Unchecked, connection), {
        field: field as Unchecked,
      }),
  },
  timeline: {
    calls: { ...PERIODS, plotTimeline: ["field", "as"] },
    draw: async (args, connection) =>
      plotTimeline(await periodsOf(args, connection), pick(args, ["field", "as"])),
  },
  contributions: {
    calls: { ...PERIODS, contributions: "all" },
    draw: async (args, connection) => plotContributions(await contributionsOf(args, connection)),
  },
  counterfactual: {
    calls: { ...PERIODS, counterfactual: "all" },
    draw: async (args, connection) => plotCounterfactual(await counterfactualOf(args, connection)),
  },
  event_study: {
    calls: { ...PERIODS, eventStudy: "all" },
    draw: async (args, connection) => plotEventStudy(await studyOf(args, connection)),
  },
  user_flows: {
    calls: FLOWS,
    draw: async (args, connection) => plotUserFlows(await flowsOf(args, connection)),
  },
};

/** Draws a chart. Throws for an argument that this kind of chart does not use. */
function chartOf({ kind, ...args }: Arguments, connection: Connection): Promise<Chart> {
  const { calls, draw } = CHARTS[String(kind)]!;
  const names = optionsOf(calls).map(({ option }) => option.name);
  const other = Object.keys(args).find((name) => !names.includes(name));
  if (other === undefined) return draw(args, connection);
  throw new RangeError(`chart: ${other}: is not an argument of kind ${kind}`);
}

const text = (description: string): Schema => ({ type: "string", description });
const oneOf = (values: readonly unknown[], description: string): Schema => ({
  enum: values,
  description,
});

const DEFINITIONS: Readonly<Record<string, Definition>> = {
  catalog: {
    description: "Lists the ids and names of projects, chains, market sectors and metrics",
    own: { kind: oneOf(["projects", "chains", "market_sectors", "metrics"], "Which list") },
    required: ["kind"],
    run: ({ kind }, connection) => catalogList(String(kind), connection),
  },
  dictionary: {
    description: "Explains fields and metrics: unit, meaning, and what null means",
    own: { contains: text("Part of a name, such as fees") },
    run: async ({ contains = "" }) => {
      const all = await dictionary();
      const names = all.getColumn("name").toArray() as string[];
      return all.filter(pl.Series(names.map((name) => name.includes(String(contains)))));
    },
  },
  metric_breakdown: {
    description: "Metrics over one window, by chain, project, product or market sector",
    calls: { metricBreakdown: "all" },
    required: ["metric_ids", "interval", "group_by"],
    run: (args, connection) => metricBreakdown(args as Unchecked, connection),
  },
  metric_aggregations: {
    description: "All aggregations of metrics of projects, a row for each",
    calls: { metricAggregations: "all" },
    run: (args, connection) => metricAggregations(args as Unchecked, connection),
  },
  blockchain_comparison: {
    description: "One row per chain with 97 columns: fees, users, value locked, and their changes",
    calls: { blockchainComparison: "all" },
    run: (args, connection) => blockchainComparison(args as Unchecked, connection),
  },
  project_contracts: {
    description: "Contracts of projects: gas, transactions, addresses, and flows of one day",
    calls: { projectContracts: "all" },
    run: (args, connection) => projectContracts(args as Unchecked, connection),
  },
  cohort_analysis: {
    description: "Monthly cohorts of new users by project, with the share active in months 0 to 11",
    calls: { cohortAnalysis: "all" },
    run: (args, connection) => cohortAnalysis(args as Unchecked, connection),
  },
  project: {
    description: "Description, chains, links and available metrics of projects",
    calls: { project: "all" },
    run: (args, connection) => project(args as Unchecked, connection),
  },
  timeline: {
    description: "Metrics over time: one row per period and entity",
    calls: PERIODS,
    run: periodsOf,
  },
  retention: {
    description:
      "Share of new users active in each later month: curves of cohorts, or pooled by group with 95% intervals",
    calls: POOLED,
    own: {
      as: oneOf(["pooled", "curves"], "Default pooled"),
      month: { type: "number", description: "Only this month after the first" },
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
    calls: { ...CURVES, compareRetention: "all" },
    required: ["by"],
    run: async (args, connection) => {
      const curves = withinSize(
        "compareRetention",
        await curvesOf(args, connection),
        String(args.by),
      );
      return answer(compareRetention(curves, of(args, "compareRetention")));
    },
  },
  compare_chains: {
    description: "Rank, value, share and growth of chains by one field of blockchain_comparison",
    calls: { blockchainComparison: ["chain_ids"], rankBy: ["field", "descending"] },
    run: compareChains,
  },
  growth_rates: {
    description: "Growth of a metric from period to period",
    calls: { ...PERIODS, growthRates: "all" },
    required: [...PERIODS_REQUIRED, "field"],
    run: async (args, connection) =>
      growthRates(await periodsOf(args, connection), of(args, "growthRates")),
  },
  contributions: {
    description:
      "Contribution of each entity to the growth of the total, period by period, per day of months",
    calls: { ...PERIODS, contributions: "all" },
    run: async (args, connection) => sinceSecond(await contributionsOf(args, connection)),
  },
  counterfactual: {
    description:
      "Estimated effect of an event on one entity, against the others, with placebo tests. Poor fit, or pre_p below .05: do not interpret. With month: effect on retention in this month, without metric_ids",
    calls: { ...PERIODS, counterfactual: "all" },
    required: ["starts"],
    run: counterfactualOf,
  },
  event_study: {
    description:
      "Effect of a program on the entities that took part, against the others, by time since the start. Participants were chosen, not drawn: an effect can be selection. Below .05, pre_p or pre_slope_p says that they already differed before. With month: effect on retention in this month, without metric_ids",
    calls: { ...PERIODS, eventStudy: "all" },
    required: ["starts"],
    run: studyOf,
  },
  user_flows: {
    description: "New, returned, lost and aged out users of each month, and their sum",
    calls: FLOWS,
    run: flowsOf,
  },
  chart: {
    description:
      "Draws a chart as a PNG image with its caption. Its arguments are those of the tool with the name of its kind; a timeline also has field and as (value, index, rank, stack)",
    calls: Object.assign({}, ...Object.values(CHARTS).map(({ calls }) => calls)),
    own: { kind: oneOf(Object.keys(CHARTS), "Which chart") },
    required: ["kind"],
    run: chartOf,
  },
};

/** All tools, by name. Agents get the tools in this order. */
export const TOOLS: Readonly<Record<string, Tool>> = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([name, definition]) => [name, toolOf(definition)]),
);
