/**
 * The role of a column. `id` and `name` identify a row. `time` is the date of the row. `value` is measured or computed.
 * `note` describes the row.
 */
type ColumnRole = "id" | "name" | "time" | "value" | "note";

/**
 * Unit of a number.
 *
 * - `usd`: US dollars.
 * - `fraction`: part of a whole, or a probability; 0.25 is 25%.
 * - `change`: relative change; 0.25 is 25% more than before.
 * - `retention`: fraction, percent or number of users. The service chooses the unit, and `retentionCurves` detects it.
 * - `index`: 100 in the base period.
 * - `statistic`: number without a unit, such as a test statistic or a parameter.
 */
export type Unit =
  | "usd"
  | "fraction"
  | "change"
  | "retention"
  | "index"
  | "statistic"
  | "users"
  | "addresses"
  | "developers"
  | "transactions"
  | "contracts"
  | "projects"
  | "cohorts"
  | "clusters"
  | "gas"
  | "gas per transaction"
  | "days"
  | "months"
  | "count";

/** A column of a frame. It comes from the API, from a metric, or from an analysis. */
interface Column {
  readonly name: string;
  readonly role: ColumnRole;
  /** The unit of a number. Null for text, and for columns whose rows have different units. */
  readonly unit: Unit | null;
  /** Heading or axis label, such as `Ecosystem fees over 30 days`. */
  readonly title: string;
  /** Whether values of several entities can be added. */
  readonly addsOverGroups: boolean;
  /** Whether values of consecutive periods can be added. */
  readonly addsOverTime: boolean;
  /** The description of the column, or the way in which it is computed. */
  readonly meaning: string;
  /** The trailing window, such as `30d`, or `max` for all days of the data. Null if the column has no window. */
  readonly window: string | null;
  /** Meaning of null in this column. */
  readonly missing: string;
  /** Whether the service sends the column. False for computed columns. */
  readonly served: boolean;
}

/**
 * Reads a table: a line for each name, with cells between bars. Returns the other cells of each name. An empty cell is
 * undefined.
 */
function tableOf(text: string): ReadonlyMap<string, readonly (string | undefined)[]> {
  return new Map(
    text.trim().split("\n").map((line) => {
      const [name, ...cells] = line.split("|").map((cell) => cell.trim() || undefined);
      return [name!, cells];
    }),
  );
}

const ROLES: readonly unknown[] = ["id", "name", "time", "note"] satisfies ColumnRole[];

/**
 * All columns whose names do not follow a pattern. The cells are the name; the role of a text, date or flag, or the unit
 * of a number; the meaning; the meaning of null, unless there is no null; and for numbers, whether they can be added over
 * `groups`, or over groups and periods (`both`).
 */
const COLUMNS = tableOf(`
data_id                          | id        | The id of the project, chain, product or market sector of the row.
chain_id                         | id        | The id of the chain. | all chains
product_id                       | id        | The id of the product. | all products
project_id                       | id        | The id of the project.
market_sector_id                 | id        | The id of the market sector.
metric_id                        | id        | The id of the metric.
chain_name                       | name      | The name of the chain.
project_name                     | name      | The name of the project.
market_sector_name               | name      | The name of the market sector.
metric_aggregation_name          | id        | Window and aggregation: \`30d_sum\`, \`latest\`.
account_address                  | id        | The address of the contract.
account_title                    | name      | The name of the contract. | not known
account_creation_timestamp       | note      | When the contract was created. | not known
most_emitted_event_1d_name       | note      | The most frequent event. | no event
most_emitted_event_1d_signature  | note      | Signature of the event. | no event
most_transferred_asset_1d_symbol | note      | The most transferred asset. | no transfer
cohort                           | time      | Month of first use: \`2025-01\`.
cohort_date                      | time      | The first day of the cohort's month. | \`cohort\` is not a month
date                             | time      | The first day of the period.
until                            | time      | The last day of the period.
complete                         | note      | Whether the period was over, with all its days in the data.
name                             | name      | The name of the project.
symbol                           | name      | The symbol of the project's token. | no token
description                      | note      | JSON text with the members what, how, who. | not known
market_sectors                   | note      | JSON text with the ids of the market sectors. | not known
chains                           | note      | The ids of the project's chains. | not known
links                            | note      | The project's pages: summary and url. | not known
aggregate_by_options             | note      | JSON text with the groupings of each metric. | not known
metric_availability              | note      | JSON text: whether each metric has data. | not known
metric_definitions               | note      | The definition of each metric. | not known
metric_sources                   | note      | The source of each metric. | not known
code                             | id        | The kind of error: \`NOT_FOUND\`, or \`NOT_IN_ANSWER\` for a dataset.
field                            | id        | The parameter that held the unknown entity, or the column that changed.
measure                          | id        | What is measured: \`ecosystem_fees\`, \`transaction_count\`.
statistic                        | id        | \`latest\`, \`change\`, \`sum\` or \`trend\`.
aggregation                      | id        | The aggregation of the metric. | the metric is a plain number
window                           | id        | The trailing window: \`30d\`, \`max\`. | a latest value
other                            | id        | The longer of two compared windows.
group_a                          | id        | The id of the first group.
group_b                          | id        | The id of the second group.
cluster                          | note      | Observations treated as independent by the bounds.
cluster_a                        | note      | Observations treated as independent in the first group.
cluster_b                        | note      | Observations treated as independent in the second group.
span                             | id        | The span of months to which the row belongs.
bounds                           | note      | Method of \`lower\` and \`upper\`, or the reason that they are null.
test                             | note      | The test behind \`p_value\`. | no test
model                            | note      | The fitted model. | no model could be fitted
reason                           | note      | Reason for a missing result. | there is a result
adjusted                         | note      | Whether rising months were pooled before the fit.
left_truncated                   | note      | Whether the cohort contains users from before tracking began.
change                           | note      | \`changed\` for a field, \`new\` or \`gone\` for a row.
before_text                      | note      | The previous text. | none
after_text                       | note      | The new text. | none
when                             | time      | Time of the response with the new value.
retrieved_at                     | time      | Time of the response.
sha256                           | note      | SHA-256 of the response, in hex.
data_through                     | time      | The last day of the data. | not stated by the service
data_since                       | time      | The first day of the data. | not stated by the service
role                             | id        | \`treated\` for the entity of the event, \`placebo\` for its donors.
method                           | note      | Method of the expected values.
scale                            | note      | \`level\` or \`log\`.
event                            | time      | The first day of the event.
wave                             | time      | The start of the entities of a wave. | all waves
row                              | id        | \`time\`, \`wave\` or \`overall\`, or \`time of wave\`.
fit                              | note      | \`poor\` if entity and donors differ before the event.
break_date                       | time      | The last period before the largest change of the mean. | no trend
factor                           | id        | The factor that changed, or \`entry\` or \`exit\` of the entity.
status                           | note      | \`stays\`, \`enters\`, \`leaves\` or \`gap\`. | in neither period
partial                          | note      | Whether the change rests on the first period of the entity.
per                              | note      | \`day\` if values are divided by the days of their periods.
changed                          | note      | Whether the response differs from the previous one. | first version
value                            |           | The value, in the unit of its measure or metric. | not sent
value_number                     |           | \`value\` as a number. | the text is not a number
before                           |           | The previous number. | none
after                            |           | The new number; of a counterfactual, whether the period is after the event. | none
expected                         |           | The value without the event, in the unit of the field.
gap                              |           | Observed minus expected value; of logarithms on scale \`log\`.
weight                           | fraction  | Weight of the donor in the expected values. | the treated entity
rmse_before                      |           | Root mean square of \`gap\` before the event.
rmse_after                       |           | Root mean square of \`gap\` after the event.
effect                           |           | Mean \`gap\` after the event, or the effect of a programme.
event_time                       | count     | Periods since the start; -1 is the last before it. | all times
effect_percent                   | statistic | The effect in percent. | scale \`level\`
lower_all                        |           | Lower bound for all rows of a comparison together. | see \`reason\`
upper_all                        |           | Upper bound for all rows of a comparison together. | see \`reason\`
entities                         | count     | Treated entities that count.
controls                         | count     | Controls that count.
missing_treated                  | count     | Treated entities that lack a value.
missing_controls                 | count     | Controls that lack a value.
effect_lower                     |           | Lower bound of a constant effect. | see \`reason\`
effect_upper                     |           | Upper bound of a constant effect. | see \`reason\`
smallest_p                       | statistic | The smallest p value that the donors allow.
pre_slope                        |           | Change of \`gap\` a year before the event. | a placebo
pre_p                            | statistic | p value of the differences before the start. | not tested
contribution                     | change    | Change of the value divided by the previous total. | no period before
rows                             | count     | The number of rows.
initial_cohort_size              | users     | Users in the cohort. | not sent | groups
month                            | months    | Months after the cohort's first month, which is 0.
months                           | months    | Months that have a retention.
tracked_months                   | months    | Months from the first tracked month to the cohort. | not known
size                             | users     | Users in the cohorts of the row. | not sent | groups
retained                         | users     | Users of the cohorts that are active in the month. | nothing observed | groups
retention                        | fraction  | Fraction of the cohort that is active in the month. | nothing observed
lower                            | fraction  | Lower bound of the estimate. | see \`bounds\`
upper                            | fraction  | Upper bound of the estimate. | see \`bounds\`
confidence                       | fraction  | Confidence of the bounds: 0.95 for 95 %.
cohorts                          | cohorts   | Cohorts that have a value in the month.
left_out                         | count     | Cohorts or entities left out: tracked too shortly, or without a value.
clusters                         | clusters  | Clusters that have a value in the month. | no clusters
clusters_a                       | clusters  | Clusters of the first group. | no clusters
pairs                            | clusters  | Projects in both groups, each compared with itself. | no paired test
unpaired                         | clusters  | Projects in only one of the two groups, left out. | no paired test
clusters_b                       | clusters  | Clusters of the second group. | no clusters
dispersion                       | statistic | Pearson's chi-squared divided by its degrees of freedom. | one cluster
tau2                             | statistic | Variance of the logits between clusters. | see \`reason\`
at_risk                          | users     | Users active the month before, in cohorts that have both. | nothing observed | groups
lost                             | users     | Net loss since the previous month; negative if more users returned. | nothing observed | groups
net_activity                     | fraction  | Product of 1 - \`lost\` / \`at_risk\` up to the month. | nothing observed
net_activity_lower               | fraction  | Lower bound of \`net_activity\`. | users returned
net_activity_upper               | fraction  | Upper bound of \`net_activity\`. | users returned
within                           | fraction  | Retention without changes of the mix. | see \`reason\`
trend                            | fraction  | The fitted line at the date. | see \`reason\`
slope                            | fraction  | Change of retention a year, within projects. | see \`reason\`
slope_pooled                     | fraction  | Change of the pooled retention a year. | see \`reason\`
slope_mix                        | fraction  | Part of \`slope_pooled\` due to the mix of projects. | see \`reason\`
slope_lower                      | fraction  | Lower bound of \`slope\`. | see \`reason\`
slope_upper                      | fraction  | Upper bound of \`slope\`. | see \`reason\`
break_f                          | statistic | F of the largest change of the mean. | see \`reason\`
break_p_value                    | statistic | p value of \`break_f\`, by a bootstrap. | see \`reason\`
break_p_adjusted                 | statistic | \`break_p_value\` adjusted over all groups. | see \`reason\`
active                           | users     | Active users of the cohorts in the calendar month. | nothing observed | groups
older_cohorts                    | count     | Cohorts older than the known months.
new                              | users     | New users of the month. | the month in which tracking began | both
aged_out                         | users     | Active users of cohorts without later values. | not known | both
returned                         | users     | Net gains of cohorts that grew. | the first month | both
power                            | fraction  | Probability that the test finds the difference.
active_months                    | months    | Expected active months up to the horizon. | see \`reason\`
active_months_lower              | months    | Lower bound of \`active_months\`. | see \`reason\`
active_months_upper              | months    | Upper bound of \`active_months\`. | see \`reason\`
value_lower                      |           | Lower bound of the value of a user. | see \`reason\`
value_upper                      |           | Upper bound of the value of a user. | see \`reason\`
tail                             | fraction  | Fraction of the value that comes from the model. | see \`reason\`
payback                          | months    | First month in which the value reaches the cost. | not reached, or no cost
payback_lower                    | months    | Earliest month of \`payback\`, by the bounds. | not reached, or no cost
payback_upper                    | months    | Latest month of \`payback\`, by the bounds. | not reached, or no cost
net_quick_ratio                  | statistic | (\`new\` + \`returned\`) / (\`lost\` + \`aged_out\`). | not known
net_churn                        | fraction  | Net loss of users per month. | no two months in a row
half_life                        | months    | Months until half of the users are active. | not reached
half_life_lower                  | months    | Months until the lower bound is half. | not reached
half_life_upper                  | months    | Months until the upper bound is half. | not reached
observed                         |           | The observed value, in the unit of the field.
predicted                        | fraction  | The curve of the fitted model. | see \`reason\`
q                                | fraction  | Fraction of users who return after their first month. | no fit
alpha                            | statistic | First parameter of the model. | no fit
beta                             | statistic | Second parameter of the model. | no fit
c                                | statistic | Third parameter of the model. | no fit
se_log_alpha                     | statistic | Standard error of the logarithm of \`alpha\`. | none
se_log_beta                      | statistic | Standard error of the logarithm of \`beta\`. | none
se_logit_q                       | statistic | Standard error of the logit of \`q\`. | none
log_likelihood                   | statistic | Logarithm of the likelihood at its maximum. | no fit
aic                              | statistic | Akaike's criterion: 2 (parameters - \`log_likelihood\`). | no fit
retention_a                      | fraction  | Retention of the first group. | nothing observed
retention_b                      | fraction  | Retention of the second group. | nothing observed
difference                       | fraction  | \`retention_a\` - \`retention_b\`, or the difference to find. | nothing observed
detectable                       | fraction  | Smallest difference that is found. | see \`reason\`
detectable_low                   | fraction  | The same at the lower bound of the variance. | see \`reason\`
detectable_high                  | fraction  | The same at the upper bound of the variance. | see \`reason\`
power_low                        | fraction  | \`power\` at the upper bound of the variance. | no difference given
power_high                       | fraction  | \`power\` at the lower bound of the variance. | no difference given
p_value                          | statistic | Probability of a difference this large if both are alike. | no test
p_adjusted                       | statistic | \`p_value\` after Benjamini-Hochberg over all rows. | no test
log_rank                         | statistic | Log-rank statistic of the whole curves. | users returned
log_rank_p_value                 | statistic | p value of \`log_rank\`. | users returned
rank                             | count     | 1 for the first; equal values share the smaller rank. | no value
share                            | fraction  | The value as a fraction of the total. | no value
cumulative_share                 | fraction  | Sum of \`share\` down to this row. | no value
count                            | count     | The number of values; null values are skipped.
total                            |           | The sum of the values; of contributions its relative change. | no value
hhi                              | statistic | Herfindahl-Hirschman index: sum of the squared shares. | no value
hhi_entry                        | statistic | Change of \`hhi\` from entities that enter. | no period before
hhi_exit                         | statistic | Change of \`hhi\` from entities that leave. | no period before
hhi_shift                        | statistic | Change of \`hhi\` among entities that stay. | no period before
gini                             | statistic | Gini coefficient: 0 when all values are equal. | no value
nakamoto                         | count     | Number of the largest that hold more than half. | no value
effective_number                 | statistic | 1 / \`hhi\`: equal parts with the same index. | no value
spearman                         | statistic | Spearman's rho of the two rankings, -1 to 1. | fewer than two values
kendall                          | statistic | Kendall's tau-b of the two rankings, -1 to 1. | fewer than two values
contracts                        | contracts | The number of contracts. | never | groups
inflows_count                    | contracts | Contracts with a value of \`inflows\`. | never | groups
outflows_count                   | contracts | Contracts with a value of \`outflows\`. | never | groups
net_flows_count                  | contracts | Contracts with a value of \`net_flows\`. | never | groups
`);

/** Values of a `flow` can be added over days. A `level` is measured once a day. Values of `users` cannot be added. */
type Kind = "flow" | "level" | "users";

/**
 * All measured quantities. The cells are the name, without the prefix `ecosystem_`, the window and the statistic; the
 * kind; the unit; and the meaning.
 */
const MEASURES = tableOf(`
market_cap_fd      | level | usd | Token price times all tokens that can exist
market_cap_circ    | level | usd | Token price times circulating tokens
active_users       | users | users | Distinct addresses that used the contracts on a day
active_users_daily | users | users | Distinct addresses that used the chain on a day
active_addresses   | users | addresses | Distinct addresses that used the contract
core_developers    | users | developers | Developers who work on the core
tvl                | level | usd | Deposited value
active_loans       | level | usd | Value lent out
transaction_count  | flow  | transactions | Transactions
fees               | flow  | usd | Fees paid by users
revenue            | flow  | usd | Part of the fees that projects keep
dex_trading_volume | flow  | usd | Value of trades on exchanges
project_count      | users | projects | Projects with a transaction within the last 30 days
gas_used           | flow  | gas | Gas used by transactions
transaction_gas    | users | gas per transaction | Gas divided by transactions
gas_market_share   | users | fraction | Gas of the contract divided by the gas of its chain
inflows            | flow  | usd | Value that moved into the contracts
outflows           | flow  | usd | Value that moved out of the contracts
net_flows          | flow  | usd | Inflows minus outflows
`);

const BASE_TITLES: Readonly<Record<string, string>> = {
  market_cap_fd: "Market cap, fully diluted",
  market_cap_circ: "Market cap, circulating",
  active_users_daily: "Daily active users",
  p_value: "p value",
  p_adjusted: "Adjusted p value",
  hhi: "Herfindahl-Hirschman index",
  aic: "AIC",
  initial_cohort_size: "Cohort size",
};

const ABBREVIATIONS: Readonly<Record<string, string>> = { tvl: "TVL", dex: "DEX", nft: "NFT" };

function sentence(name: string): string {
  const known = BASE_TITLES[name];
  if (known !== undefined) return known;
  const words = name.split("_").map((word) => ABBREVIATIONS[word] ?? word).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The parts of a column name. `ecosystem_fees_30d_sum` has the parts `ecosystem_fees`, `30d` and `sum`. */
interface Parts {
  readonly base: string;
  readonly window: string | null;
  /** The statistic. The name of a contract's trend, such as `gas_used_1d_sum_trend`, has the statistic `day_trend`. */
  readonly statistic: string | null;
}

const NAME =
  /^(.+?)(?:_(1d|7d|30d|90d|180d|365d|max))?(?:_(latest|change|sum|trend|avg|days|distinct_count))?(_trend)?$/;

function partsOf(name: string): Parts {
  // The API misspells the name of the field `outfows_1d_sum_trend`.
  const [, base = name, window = null, statistic = null, trend] =
    NAME.exec(name.replace(/^outfows_/, "outflows_")) ?? [];
  return { base, window, statistic: trend === undefined ? statistic : "day_trend" };
}

function wordsFor(window: string): string {
  return window === "1d" ? "1 day" : `${window.slice(0, -1)} days`;
}

const TREND = "NAME OVER against the BEFORE";

/**
 * For each statistic: its title, its meaning, the meaning of null, and the unit unless it is the unit of the measure.
 *
 * In these texts, NAME is replaced by the title of the measure, MEANING by the meaning of the measure, OVER and SPAN by
 * the window, and BEFORE by the time before the window.
 */
const STATISTICS: Readonly<Record<string, readonly [string, string, string, Unit?]>> = {
  change: [
    "NAME, change OVER",
    "MEANING: (last day - SPAN before) / abs(SPAN before).",
    "no value on one of the two days, or 0 SPAN before",
    "change",
  ],
  trend: [
    TREND,
    "MEANING: sum over SPAN against the sum over SPAN before.",
    "no history back to the window before, or 0 there",
    "change",
  ],
  day_trend: [
    TREND,
    "MEANING: (last day - day before) / abs(day before).",
    "0 or unknown on the day before",
    "change",
  ],
  latest: ["NAME, latest", "MEANING, on the last day.", "no value on the last day"],
  avg: ["NAME, average OVER", "MEANING, average over SPAN.", "no value"],
  days: ["NAME, days of the average", "Days in the average: MEANING.", "no value", "days"],
};

function filled(text: string, { base, window }: Parts, meaning = ""): string {
  const days = window === null || window === "max" ? null : wordsFor(window);
  const over = window === null ? "" : days === null ? " over all time" : ` over ${days}`;
  const span = window === null ? "the window" : window === "max" ? "all days" : window;
  const before = window === null ? "window before" : `${wordsFor(window)} before`;
  const words = {
    NAME: sentence(base),
    MEANING: meaning,
    " OVER": over,
    SPAN: span,
    BEFORE: before,
  };
  return text.replace(
    /NAME|MEANING| OVER|SPAN|BEFORE/g,
    (word) => words[word as keyof typeof words],
  );
}

function titleOf(parts: Parts): string {
  const { window, statistic } = parts;
  const sum = statistic === "sum" && window === null ? "NAME, sum" : "NAME OVER";
  return filled(STATISTICS[statistic ?? ""]?.[0] ?? sum, parts);
}

/** Returns the title of a column, for a heading or an axis. The title of an unknown column is made from its name. */
export function columnTitle(name: string): string {
  return columnOf(name)?.title ?? titleOf(partsOf(name));
}

const BEHAVIOR: Readonly<Record<Kind, string>> = {
  flow: "Adds up over days.",
  level: "Read once a day; does not add up over days.",
  users: "Does not add up over days.",
};

/** Returns the description of a column that has a statistic of a measure. */
function statementOf(
  [kind, unit, about]: readonly [Kind, Unit, string],
  parts: Parts,
): Partial<Column> & Pick<Column, "meaning"> {
  const { window, statistic } = parts;
  const known = STATISTICS[statistic ?? ""];
  if (known !== undefined) {
    const [, meaning, missing, own] = known;
    return {
      unit: own ?? unit,
      addsOverGroups: own === undefined && kind !== "users",
      meaning: filled(meaning, parts, about),
      missing: filled(missing, parts),
    };
  }
  const isBare = window === null && statistic === null;
  const meaning = kind === "flow" && !isBare ? "MEANING, sum over SPAN." : "MEANING.";
  return {
    unit,
    addsOverGroups: kind !== "users",
    addsOverTime: kind === "flow",
    meaning: filled(meaning, parts, about) + (isBare ? ` ${BEHAVIOR[kind]}` : ""),
    missing: "no value yet",
  };
}

/** Descriptions of the aggregations of unknown metrics. */
const UNKNOWN_METRIC: Readonly<Record<string, string>> = {
  sum: "Sum of the metric over the window.",
  avg: "Average of the metric over the window.",
  latest: "The metric on the last day.",
  days: "Days in the average of the metric.",
  change: "Relative change of the metric, where the service sends a fraction.",
  trend: "Relative change of the metric's sum, where the service sends a fraction.",
};

function column(name: string, rest: Partial<Column> & Pick<Column, "role" | "meaning">): Column {
  return {
    name,
    unit: null,
    title: titleOf(partsOf(name)),
    addsOverGroups: false,
    addsOverTime: false,
    window: null,
    missing: "never",
    served: false,
    ...rest,
  };
}

function exact(name: string): Column | undefined {
  const cells = COLUMNS.get(name);
  if (cells === undefined) return undefined;
  const [kind, meaning = "", missing = "never", adds] = cells;
  const isNumber = !ROLES.includes(kind);
  return column(name, {
    role: isNumber ? name === "month" ? "time" : "value" : kind as ColumnRole,
    unit: isNumber ? kind as Unit ?? null : null,
    meaning,
    missing,
    title: sentence(name),
    addsOverGroups: adds !== undefined,
    addsOverTime: adds === "both",
  });
}

function measured(name: string): Column | undefined {
  const parts = partsOf(name);
  const base = parts.base.replace(/^ecosystem_/, "");
  const measure = MEASURES.get(base) as Parameters<typeof statementOf>[0] | undefined;
  if (measure !== undefined) {
    const statement = statementOf(measure, parts);
    return column(name, { role: "value", window: parts.window, served: true, ...statement });
  }
  const meaning = parts.window === null ? UNKNOWN_METRIC[parts.statistic ?? ""] : undefined;
  return meaning === undefined ? undefined : column(name, { role: "value", meaning, served: true });
}

type Pattern = readonly [RegExp, (name: string, match: readonly string[]) => Column | undefined];

/**
 * Returns a function that describes derived columns. The name of a derived column contains the name of its base column.
 * By default, it has the unit of the base column. The function returns undefined if the base column is unknown.
 */
function derived(suffix: string, about: (title: string) => string, unit?: Unit) {
  return (name: string, [, base = ""]: readonly string[]): Column | undefined => {
    const of = columnOf(base);
    return of && column(name, {
      role: "value",
      unit: unit ?? of.unit,
      title: `${of.title}, ${suffix}`,
      meaning: about(`\`${base}\``),
      missing: "a period is missing or incomplete",
    });
  };
}

/** Columns whose names follow a pattern. The first match is used. */
const PATTERNS: readonly Pattern[] = [
  [/^month_(\d+)$/, (name, [, month]) =>
    column(name, {
      role: "value",
      unit: "retention",
      served: true,
      title: `Month ${month}`,
      meaning: `The part of the cohort that is active ${month} months after its first month.`,
      missing: "the month is not over, or not sent",
    })],
  [/^(\d+)d$/, (name) =>
    column(name, {
      role: "value",
      unit: "change",
      title: `Growth over ${wordsFor(name)}`,
      meaning: `Relative change over ${name}, or against the ${name} before.`,
      window: name,
      missing: "not sent",
    })],
  [/^top_(\d+)_share$/, (name, [, count]) =>
    column(name, {
      role: "value",
      unit: "fraction",
      title: count === "1" ? "Share of the largest" : `Share of the ${count} largest`,
      meaning: `Share of the ${count} largest values.`,
      missing: "no value",
    })],
  [
    /^(.+)_growth$/,
    derived("growth", (of) => `Relative change of ${of}; sums of months per day.`, "change"),
  ],
  [
    /^(.+)_index$/,
    derived(
      "index",
      (of) => `${of} as an index, 100 in the base period; sums of months per day.`,
      "index",
    ),
  ],
  [/^(.+)_real$/, (name, [, base = ""]) => {
    const of = columnOf(base);
    const meaning = `\`${base}\` at the prices of the first period.`;
    return of && { ...of, name, meaning, title: `${of.title}, constant prices`, served: false };
  }],
  [/^(.+)_mean$/, derived("rolling mean", (of) => `Mean of ${of} over the last periods.`)],
  [/^(.+)_per_(.+)$/, (name, [, over, under]) =>
    columnOf(over!) && column(name, {
      role: "value",
      title: `${columnTitle(over!)} per ${columnTitle(under!).toLowerCase()}`,
      meaning: `\`${over}\` divided by \`${under}\`.`,
      missing: "a value is missing, or the divisor is 0",
    })],
  [/_id$/, (name) => column(name, { role: "id", meaning: "An id." })],
  [/_name$/, (name) => column(name, { role: "name", meaning: "A name." })],
];

const known = new Map<string, Column | undefined>();

/**
 * Returns the description of a column. Searches exact names first, and then patterns such as `<metric>_sum`,
 * `<measure>_30d_change` and `<column>_growth`. Returns undefined for unknown columns.
 */
export function columnOf(name: string): Column | undefined {
  if (known.has(name)) return known.get(name);
  let found = exact(name);
  for (const [pattern, make] of PATTERNS) {
    if (found !== undefined) break;
    const match = pattern.exec(name);
    if (match !== null) found = make(name, match);
  }
  found ??= measured(name);
  // Frames can have any column names, so the number of stored names is limited.
  if (known.size < 10_000) known.set(name, found);
  return found;
}

/** Returns the names of the columns that do not follow a pattern. */
export function columnNames(): string[] {
  return [...COLUMNS.keys()];
}
