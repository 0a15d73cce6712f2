import { type Chart, type Connection, type DataFrame, dictionary, pl } from "../../mod.ts";
import type { RecipeStep } from "../../lib/output/recipe.ts";
import { isObject } from "../../lib/platform/check_options.ts";
import { shown } from "../../lib/platform/terminal.ts";
import { COMPARISON_FIELDS } from "../../lib/schema/comparison_fields.ts";
import { OPERATIONS } from "../../lib/schema/vocabulary.ts";
import { type Declared, declaredOptions, type Schema } from "../cli/declared_options.ts";
import { camelName } from "../cli/script.ts";
import { createRunner, SOURCES } from "../recipe/run_recipe.ts";
import { STEPS } from "../recipe/steps.ts";
import { catalogList, received } from "./operations.ts";
import { withinSize } from "./sizes.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** A tool: its texts, the JSON Schema of each argument, and its function. */
export interface Tool {
  readonly description: string;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Schemas to which properties refer. */
  readonly defs?: Readonly<Record<string, Schema>>;
  run(args: Arguments, connection: Connection): Promise<DataFrame | Chart>;
}

/** Options that no tool passes on. Every tool has its own `limit`, and `settle` is for those who keep an archive. */
const LEFT_OUT = ["limit", "settle"];

/** Options whose words an earlier tool has. The list of tools has the same words once. */
const described = new Set<string>();

function propertyOf({ name, schema, about, default: value }: Declared): Schema {
  const key = `${name}: ${about}`;
  // The function checks words that an earlier tool lists.
  if (described.has(key)) return schema!.enum === undefined ? schema! : { type: "string" };
  described.add(key);
  const isShort = value !== null && value !== "none" && value.length <= 30;
  const description = `${about}${isShort ? `; default ${value}` : ""}`.replaceAll(/[`"]/g, "");
  return { ...schema, description };
}

/** Functions, and those of their options that are arguments of a tool. */
type Calls = Readonly<Record<string, "all" | readonly string[]>>;

/** Returns the properties of a tool. If functions share an option, the words of the first function stand. */
function propertiesOf(calls: Calls): Record<string, Schema> {
  const properties: Record<string, Schema> = {};
  for (const [fn, names] of Object.entries(calls)) {
    for (const option of declaredOptions(fn)) {
      const { name, schema } = option;
      const isArgument = names === "all" ? !LEFT_OUT.includes(name) : names.includes(name);
      if (schema === null || !isArgument) continue;
      properties[name] ??= propertyOf(option);
    }
  }
  return properties;
}

function requiredOf(calls: Calls): string[] {
  return Object.entries(calls).flatMap(([fn, names]) =>
    declaredOptions(fn).filter(({ name, required }) =>
      required && (names === "all" || names.includes(name))
    )
      .map(({ name }) => name)
  );
}

/** The name of an analysis in the table of sizes, and the columns of its entities. */
const SIZED: Readonly<
  Record<string, (options: Arguments) => readonly [analysis: string, columns: readonly string[]]>
> = {
  pooledRetention: () => ["pooledRetention", ["project_id"]],
  compareRetention: ({ by }) => ["compareRetention", [by].flat().map(String)],
  counterfactual: ({ method, entity }) => [
    method === "sdid" ? "counterfactual by sdid" : "counterfactual",
    [entity ?? "project_id"].flat().map(String),
  ],
  eventStudy: ({ entity }) => ["eventStudy", [entity ?? "project_id"].flat().map(String)],
};

/** Runs an operation and steps. The texts of the response are safe before anything is computed or drawn from them. */
function run(
  operation: string,
  query: unknown,
  steps: readonly RecipeStep[],
  connection: Connection,
): Promise<DataFrame | Chart> {
  const runner = createRunner({
    connection: () => connection,
    tables: null,
    received: (frame, of) => received(frame, of, connection),
    before: ([name, options = {}], frame) => {
      const sized = SIZED[name]?.(options as Arguments);
      if (sized !== undefined) withinSize(sized[0], frame, sized[1]);
    },
  });
  return runner({ source: { operation, query }, steps });
}

function pick(args: Arguments, names: readonly string[]): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
}

/** The operations and `timeline`, which take their queries. */
function operationTool(operation: string, description: string): Tool {
  const calls = { [camelName(operation)]: "all" } as const;
  return {
    description,
    properties: propertiesOf(calls),
    // Days in place of an interval are rare.
    required: [...requiredOf(calls), ...operation === "metric_breakdown" ? ["interval"] : []],
    run: (query, connection) => run(operation, query, [], connection),
  };
}

/** A question: a short recipe whose options are the arguments. */
interface Question {
  readonly description: string;
  /** The options of the source and of the steps that are arguments. */
  readonly calls: Calls;
  /** Functions of `calls` that are no steps for these arguments. */
  readonly without?: (args: Arguments) => readonly string[];
  readonly own?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** Further steps. */
  readonly more?: (args: Arguments) => readonly RecipeStep[];
  /** Chooses what is shown of the result. */
  readonly answer?: (frame: DataFrame) => DataFrame;
}

function questionTool(
  { description, calls, without = () => [], own = {}, more = () => [], ...rest }: Question,
): Tool {
  const { answer = (frame) => frame, required = requiredOf(calls) } = rest;
  return {
    description,
    properties: { ...propertiesOf(calls), ...own },
    required,
    run: async (args, connection) => {
      const functions = Object.entries(calls).filter(([fn]) => !without(args).includes(fn));
      const of = (fn: string, names: "all" | readonly string[]) =>
        pick(args, names === "all" ? declaredOptions(fn).map(({ name }) => name) : names);
      const [source, ...steps] = functions.map(([fn, names]) => [fn, of(fn, names)] as const);
      const operation = SOURCES.find((name) => camelName(name) === source![0])!;
      const frame = await run(operation, source![1], [...steps, ...more(args)], connection);
      return answer(frame as DataFrame);
    },
  };
}

/** The columns that the results of comparisons and pooled curves keep. All other columns are removed. */
const ANSWERS = [
  ...["group_a", "group_b", "project_id", "project_name", "market_sector_id", "market_sector_name"],
  ...["cohort", "month", "cohorts", "size", "clusters", "retention", "retention_a", "retention_b"],
  ...["difference", "lower", "upper", "bounds", "test", "pairs", "p_value", "p_adjusted", "reason"],
];

function shortAnswer(frame: DataFrame): DataFrame {
  return frame.select(...frame.columns.filter((name) => ANSWERS.includes(name)));
}

/** The columns of a comparison of chains by a field: the field, and its change over its window. */
function comparedColumns({ field }: Arguments): string[] {
  const name = String(field);
  const change = [
    name.replace(/_sum$/, "_trend"),
    `${name}_trend`,
    name.replace(/_latest$/, "_30d_change"),
  ].find((each) => each !== name && COMPARISON_FIELDS.some((known) => known.name === each));
  return ["rank", "chain_id", "chain_name", name, "share", ...change === undefined ? [] : [change]];
}

const COHORTS = ["project_ids", "market_sector_ids"];
const PERIODS = ["metric_ids", "group_by", "every", "from", "to", "chain_ids", "project_ids"];
const PERIODS_REQUIRED = ["metric_ids", "group_by", "every", "from"];
const text = (description: string): Schema => ({ type: "string", description });
const oneOf = (values: readonly unknown[], description: string): Schema => ({
  enum: values,
  description,
});

/** Returns the functions that a study has in addition to the other kind: of retention with a month, else of metrics. */
function otherPanel({ month, metric_ids }: Arguments): string[] {
  if (month === undefined) return ["cohortAnalysis", "retentionCurves"];
  if (metric_ids === undefined) return ["timeline"];
  throw new RangeError("month: is a month of retention, which takes no metric_ids");
}

const STUDY: Calls = {
  timeline: PERIODS.filter((name) => name !== "chain_ids"),
  cohortAnalysis: ["market_sector_ids"],
  retentionCurves: [],
};

const QUESTIONS: Readonly<Record<string, Question>> = {
  retention: {
    description:
      "Share of new users active in each later month, pooled by group with 95% intervals",
    calls: {
      cohortAnalysis: COHORTS,
      retentionCurves: [],
      pooledRetention: ["by"],
    },
    own: { month: { type: "number", description: "Only this month after the first" } },
    more: ({ month }) => month === undefined ? [] : [["where", { month }]],
    answer: shortAnswer,
  },
  compare_retention: {
    description:
      "Differences of retention between groups, pair by pair, with intervals and p values",
    calls: {
      cohortAnalysis: COHORTS,
      retentionCurves: [],
      compareRetention: ["by", "groups", "month"],
    },
    required: ["by"],
    answer: shortAnswer,
  },
  compare_chains: {
    description: "Rank, value, share and growth of chains by one field of blockchain_comparison",
    calls: { blockchainComparison: ["chain_ids"], rankBy: ["field", "descending"] },
    required: ["field"],
    more: (args) => [["select", ...comparedColumns(args)]],
  },
  growth_rates: {
    description: "Growth of a metric from period to period",
    calls: { timeline: PERIODS, growthRates: ["field", "periods", "per"] },
    required: [...PERIODS_REQUIRED, "field"],
  },
  contributions: {
    description:
      "Contribution of each entity to the growth of the total, period by period, per day of months",
    calls: { timeline: PERIODS.slice(0, 5), contributions: ["field", "per"] },
    // The first period has no growth.
    more: () => [["where", { status: { not: null } }]],
  },
  counterfactual: {
    description:
      "Effect of an event on one entity, against the others, with placebo tests. Poor fit, or pre_p below .05: do not interpret. With month: retention in this month, without metric_ids",
    calls: {
      ...STUDY,
      counterfactual: ["field", "starts", "month", "method", "scale"],
    },
    without: otherPanel,
    required: ["starts"],
  },
  event_study: {
    description:
      "Effect of a program on the entities that took part, against the others, by time since the start. They were chosen, not drawn: it can be selection. pre_p or pre_slope_p below .05: they differed before. With month: as in counterfactual",
    calls: {
      ...STUDY,
      eventStudy: ["field", "starts", "month", "controls", "scale"],
    },
    without: otherPanel,
    required: ["starts"],
  },
  user_flows: {
    description: "New, returned, lost and aged out users of each month, and their sum",
    calls: { cohortAnalysis: COHORTS, retentionCurves: [], userFlows: ["by", "washout"] },
  },
};

const NAMES: Schema = { type: "array", items: { type: "string" } };

/** Methods of frames that are steps of the tool `pipe`, and the schemas of their arguments. */
const METHODS: Readonly<Record<string, Schema>> = {
  select: { $ref: "#/$defs/names" },
  drop: { $ref: "#/$defs/names" },
  rename: { type: "object", additionalProperties: { type: "string" } },
  sort: {
    type: "object",
    properties: {
      by: { $ref: "#/$defs/names" },
      descending: { type: "boolean" },
    },
  },
  head: { type: "integer" },
  tail: { type: "integer" },
};

/** Groups of options that several functions share, with the words of the functions. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  chart: [
    ...["title", "subtitle", "caption", "note", "width", "height", "unit", "label", "limit"],
    ...["highlight", "colors", "theme", "locale"],
  ],
  pooling: ["by", "cluster", "washout", "confidence"],
  panel: ["entity", "date"],
};

/** Schemas of at least this many characters are written once, if several options have them. */
const LONG = 36;

/** Returns a function that writes a schema that several options have as a reference. The first option names it. */
function sharing(options: readonly Declared[], defs: Record<string, Schema>) {
  const by = Map.groupBy(
    options.filter(({ schema }) => schema !== null),
    ({ schema }) => JSON.stringify(schema),
  );
  return (schema: Schema): Schema => {
    const text = JSON.stringify(schema);
    const [first, ...others] = by.get(text)!;
    if (text.length < LONG || others.length === 0) return schema;
    const name = text === JSON.stringify(NAMES) ? "names" : first!.name;
    defs[name] ??= schema;
    return JSON.stringify(defs[name]) === text ? { $ref: `#/$defs/${name}` } : schema;
  };
}

/** Returns the schema of the options of each step. Groups of options, and long schemas, are written once. */
function stepSchemas(steps: readonly string[]) {
  const defs: Record<string, Schema> = { names: NAMES };
  const declaredOf = (name: string) => name === "where" ? [] : declaredOptions(name);
  const short = sharing(steps.flatMap(declaredOf), defs);
  const schemaOf = (name: string): Schema => {
    const all = new Map(
      declaredOf(name).flatMap(({ name: option, schema }) =>
        schema === null ? [] : [[option, short(schema)] as const]
      ),
    );
    const form = Object.entries(GROUPS).find(([group, options]) => {
      if (!options.every((option) => all.has(option))) return false;
      const properties = Object.fromEntries(options.map((option) => [option, all.get(option)!]));
      defs[group] ??= { type: "object", properties };
      return JSON.stringify(defs[group].properties) === JSON.stringify(properties);
    });
    for (const option of form?.[1] ?? []) all.delete(option);
    return {
      ...form === undefined ? { type: "object" } : { $ref: `#/$defs/${form[0]}` },
      ...all.size === 0 ? {} : { properties: Object.fromEntries(all) },
    };
  };
  return { properties: Object.fromEntries(steps.map((name) => [name, schemaOf(name)])), defs };
}

/** Returns the tool that runs any operation, analysis and chart. */
function pipeTool(): Tool {
  const steps = [...STEPS].filter((name) => name !== "withSource");
  const { properties: functions, defs } = stepSchemas(steps);
  const properties: Readonly<Record<string, Schema>> = { ...METHODS, ...functions };
  return {
    description:
      "Runs an operation, then analyses, then maybe a chart. A step is its name with its options: " +
      '{"shares":{"field":"fees_sum"}}; where takes {"column": value, [values] or {from,to,not}}. ' +
      "chainframe://help/NAME explains a step",
    properties: {
      source: {
        type: "object",
        properties: {
          operation: { enum: SOURCES },
          query: { type: "object", description: "The arguments of the tool of this name" },
        },
        required: ["operation", "query"],
      },
      steps: {
        type: "array",
        items: { type: "object", properties, maxProperties: 1, additionalProperties: false },
      },
    },
    required: ["source"],
    defs,
    run: ({ source, steps = [] }, connection) => {
      const { operation, query, ...others } = isObject(source) ? source : {};
      if (
        !SOURCES.includes(operation as string) || !isObject(query) || Object.keys(others).length > 0
      ) {
        throw new RangeError(`pipe: source: must be { operation, query }; got ${shown(source)}`);
      }
      if (!Array.isArray(steps)) {
        throw new RangeError(`pipe: steps: must be a list; got ${shown(steps)}`);
      }
      return run(
        operation as string,
        query,
        steps.map((step) => stepOf(step, properties)),
        connection,
      );
    },
  };
}

/** Returns whether a value has a frame or an expression, which the tools do not take. */
function hasInner(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasInner);
  if (!isObject(value)) return false;
  return ["recipe", "expr"].some((name) => Object.hasOwn(value, name)) ||
    Object.values(value).some(hasInner);
}

/** Returns a step of the tool `pipe` as a recipe has it. */
function stepOf(step: unknown, known: Readonly<Record<string, Schema>>): RecipeStep {
  const pairs = Array.isArray(step) ? [step] : isObject(step) ? Object.entries(step) : [];
  const [name, options = {}] = pairs[0] ?? [];
  if (pairs.length !== 1 || typeof name !== "string" || !Object.hasOwn(known, name)) {
    throw new RangeError(
      `pipe: steps: a step has the name of one function and its options; got ${shown(step)}`,
    );
  }
  if (name !== "where" && hasInner(options)) {
    throw new RangeError(`pipe: steps: ${name}: frames and expressions are not taken`);
  }
  return name === "select" || name === "drop" ? [name, ...[options].flat()] : [name, options];
}

const OPERATION_TEXTS: Readonly<Record<string, string>> = {
  metric_breakdown: "Metrics over one window, by chain, project, product or market sector",
  metric_aggregations: "All aggregations of metrics of projects, a row for each",
  blockchain_comparison:
    "One row per chain with 97 columns: fees, users, value locked, and their changes",
  project_contracts: "Contracts of projects: gas, transactions, addresses, and flows of one day",
  cohort_analysis:
    "Monthly cohorts of new users by project, with the share active in months 0 to 11",
  project: "Description, chains, links and available metrics of projects",
  timeline: "Metrics over time: one row per period and entity",
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
    required: [],
    run: async ({ contains = "" }) => {
      const all = await dictionary();
      const names = all.getColumn("name").toArray() as string[];
      return all.filter(pl.Series(names.map((name) => name.includes(String(contains)))));
    },
  },
  ...Object.fromEntries(
    [...OPERATIONS, "timeline"].map((name) => [name, operationTool(name, OPERATION_TEXTS[name]!)]),
  ),
  ...Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, question]) => [name, questionTool(question)]),
  ),
  pipe: pipeTool(),
};
