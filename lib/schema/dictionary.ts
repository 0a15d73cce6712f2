/**
 * The role of a column. `id` and `name` identify a row. `time` is the date of the row. `value` is measured or computed.
 * `note` describes the row.
 */
export type ColumnRole = "id" | "name" | "time" | "value" | "note";

/**
 * Unit of a number.
 *
 * - `usd`: US dollars.
 * - `fraction`: part of a whole, or a probability; 0.25 is 25%.
 * - `percent`: 25 is 25%.
 * - `change`: relative change; 0.25 is 25% more than before.
 * - `retention`: fraction, percent or number of users. The service chooses the unit, and `retentionCurves` detects it.
 * - `index`: 100 in the base period.
 * - `statistic`: number without a unit, such as a test statistic or a parameter.
 */
export type Unit =
  | "usd"
  | "fraction"
  | "percent"
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

/** Over what the values of a column can be added: over entities and periods, over entities only, or not at all. */
export type Adds = "both" | "groups" | "none";

/** A column that another column was made of, as it was then. */
export interface ColumnPart {
  readonly name: string;
  readonly title: string;
  readonly unit: string | null;
}

/** The description of a column of a frame. The column comes from the API, from a metric, or from an analysis. */
export interface Column {
  readonly role: ColumnRole;
  /**
   * The unit of a number: a {@linkcode Unit}, or a text of the user. Null for text, for plain numbers, and for columns
   * whose rows have different units.
   */
  readonly unit: Unit | string & Record<never, never> | null;
  /** Heading or axis label, such as `Ecosystem fees over 30 days`. */
  readonly title: string;
  /** Null if it is not known over what the values can be added. */
  readonly adds: Adds | null;
  /** The description of the column, or the way in which it is computed. Empty if the function `from` documents it. */
  readonly meaning: string;
  /** Meaning of null in this column. */
  readonly missing: string;
  /** The trailing window, such as `30d`, or `max` for all days of the data. Null if the column has no window. */
  readonly window: string | null;
  /** The function that computed the column. Null for columns of the service, and empty until the function is known. */
  readonly from: string | null;
  /** The columns that a computed column was made of, as they were then. */
  readonly of?: readonly ColumnPart[];
  /**
   * Whether values were divided by the days of their periods before a column was computed of them, if periods of
   * different length are compared.
   */
  readonly per?: "day" | "period";
  /** Present if each value is a sum over days: the name of the sum when it was made, which `counts` has, too. */
  readonly summed?: string;
  /** Present if the column has the number of days with a value of a sum: `summed` of this sum. */
  readonly counts?: string;
  /** The place of the column among those that a display shows first, if it is one of them. */
  readonly first?: number;
  /**
   * Present if the column is the date (role `time`), or names the entities of the frame alone or with others: the user
   * stated it, or a function found it.
   */
  readonly key?: "stated" | "found";
  /** The number of entities that `topN` combined in the row `(other)` or left out, if the column names entities. */
  readonly rest?: number;
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
value                            |           | The value, in the unit of its measure or metric. | not sent
value_number                     |           | \`value\` as a number. | the text is not a number
initial_cohort_size              | users     | Users in the cohort. | not sent | groups
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

/**
 * Ids of metrics that vendors use beside those above. The cells are a pattern of the id; the kind; the unit; and the title,
 * if it is not made from the id. `$1` is the variant: the first group of the pattern.
 */
const VENDOR_METRICS: readonly (readonly [RegExp, Kind, Unit, string?])[] = [
  [/^market_cap(?:_(fully_diluted|circulating))?$/, "level", "usd", "Market cap, $1"],
  [/^(?:price|ath|atl)$/, "users", "usd"],
  [/^(?:\w+_)?fees(?:_(?:total|supply_side|protocol))?$/, "flow", "usd"],
  [/^(?:\w+_)?(?:trading|transfer)_volume$/, "flow", "usd"],
  [
    /^(?:revenue(?:_(?:total|supply_side|protocol))?|earnings|expenses|token_incentives)$/,
    "flow",
    "usd",
  ],
  [/^(?:treasury(?:_net)?|(?:total_|net_)deposits|gmv)$/, "level", "usd"],
  [/^pf(?:_(fully_diluted|circulating))?$/, "users", "statistic", "Price-to-fees ratio, $1"],
  [/^ps(?:_(fully_diluted|circulating))?$/, "users", "statistic", "Price-to-sales ratio, $1"],
  [/^pe(?:_(fully_diluted|circulating))?$/, "users", "statistic", "Price-to-earnings ratio, $1"],
  [
    /^volmc(?:_(fully_diluted|circulating))?$/,
    "users",
    "statistic",
    "Trading volume to market cap, $1",
  ],
  [/^take_rate$/, "users", "fraction"],
  [/^user_dau$/, "users", "users", "Daily active users"],
  [/^user_wau$/, "users", "users", "Weekly active users"],
  [/^user_mau$/, "users", "users", "Monthly active users"],
  [/^active_users_(?:weekly|monthly)$/, "users", "users"],
  [/^active_addresses_(?:daily|weekly|monthly)$/, "users", "addresses"],
  [/^active_developers$/, "users", "developers"],
  [/^tokenholders$/, "users", "addresses", "Token holders"],
];

/** The words of a variant in the id of a metric. Other variants are written as they are. */
const VARIANTS: Readonly<Record<string, string>> = {
  fd: "fully diluted",
  circ: "circulating",
  circulating: "circulating",
};

/** Returns the kind, the unit and the title of a metric of a vendor. The title is undefined if the id has it. */
function vendorMetric(id: string): readonly [Kind, Unit, string | undefined] | undefined {
  for (const [pattern, kind, unit, title] of VENDOR_METRICS) {
    const match = pattern.exec(id);
    if (match === null) continue;
    const variant = match[1] && (VARIANTS[match[1]] ?? match[1].replaceAll("_", " "));
    return [kind, unit, title?.replace(/, \$1$/, variant ? `, ${variant}` : "")];
  }
  return undefined;
}

const BASE_TITLES: Readonly<Record<string, string>> = {
  market_cap_fd: "Market cap, fully diluted",
  market_cap_circ: "Market cap, circulating",
  active_users_daily: "Daily active users",
  p_value: "p value",
  p_adjusted: "Adjusted p value",
  hhi: "Herfindahl-Hirschman index",
  initial_cohort_size: "Cohort size",
};

const ABBREVIATIONS: Readonly<Record<string, string>> = { tvl: "TVL", dex: "DEX", nft: "NFT" };

function sentence(name: string): string {
  const known = BASE_TITLES[name] ?? vendorMetric(name)?.[2];
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

const CURRENCY = /_(usd|eur|gbp|chf|jpy|cny|krw|btc|eth)(?=_|$)/;

/** Returns the currency that the name of a column ends with, as a unit. Null if it has no currency. */
export function currencyOf(name: string): string | null {
  const [, code] = CURRENCY.exec(name) ?? [];
  if (code === undefined || !name.endsWith(code)) return null;
  return code === "usd" ? code : code.toUpperCase();
}

/** Returns a title that is made from the name of a column without its currency, for a heading or an axis. */
export function columnTitle(name: string): string {
  return COLUMNS.has(name) ? sentence(name) : titleOf(partsOf(name.replace(CURRENCY, "")));
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
      adds: own === undefined && kind !== "users" ? "groups" : "none",
      meaning: filled(meaning, parts, about),
      missing: filled(missing, parts),
    };
  }
  const isBare = window === null && statistic === null;
  const meaning = kind === "flow" && !isBare ? "MEANING, sum over SPAN." : "MEANING.";
  return {
    unit,
    adds: kind === "users" ? "none" : kind === "flow" && window === null ? "both" : "groups",
    meaning: filled(meaning, parts, about) + (isBare ? ` ${BEHAVIOR[kind]}` : ""),
    missing: "no value yet",
  };
}

/** Descriptions of the aggregations of unknown metrics. */
const UNKNOWN_METRIC: Readonly<Record<string, string>> = {
  sum: "Sum of the metric over the window. Its unit is not known.",
  avg: "Average of the metric over the window. Its unit is not known.",
  latest: "The metric on the last day. Its unit is not known.",
  days: "Days in the average of the metric.",
  change: "Relative change of the metric, where the service sends a fraction.",
  trend: "Relative change of the metric's sum, where the service sends a fraction.",
};

/** Makes the description of a column. By default, the title is made from the name. */
export function describedColumn(
  name: string,
  { unit = null, ...rest }: Partial<Column> & Pick<Column, "role">,
): Column {
  return {
    unit,
    title: columnTitle(name),
    adds: unit === null ? null : "none",
    meaning: "",
    missing: "never",
    window: null,
    from: null,
    ...rest,
  };
}

function exact(name: string): Column | undefined {
  const cells = COLUMNS.get(name);
  if (cells === undefined) return undefined;
  const [kind, meaning = "", missing = "never", adds = "none"] = cells;
  const isNumber = !ROLES.includes(kind);
  const unit = isNumber ? kind as Unit ?? null : null;
  return describedColumn(name, {
    role: isNumber ? "value" : kind as ColumnRole,
    unit,
    meaning,
    missing,
    ...unit !== null && { adds: adds as Adds },
  });
}

function measured(name: string): Column | undefined {
  const parts = partsOf(name);
  const base = parts.base.replace(/^ecosystem_/, "");
  const measure = MEASURES.get(base) as Parameters<typeof statementOf>[0] | undefined;
  const vendor = vendorMetric(base);
  if (measure !== undefined || vendor !== undefined) {
    const statement = statementOf(measure ?? [vendor![0], vendor![1], sentence(base)], parts);
    return describedColumn(name, { role: "value", window: parts.window, ...statement });
  }
  const meaning = parts.window === null ? UNKNOWN_METRIC[parts.statistic ?? ""] : undefined;
  if (meaning === undefined) return undefined;
  const isChange = parts.statistic === "change" || parts.statistic === "trend";
  return describedColumn(name, { role: "value", meaning, unit: isChange ? "change" : null });
}

function patterned(name: string): Column | undefined {
  const [, month] = /^month_(\d+)$/.exec(name) ?? [];
  if (month !== undefined) {
    return describedColumn(name, {
      role: "value",
      unit: "retention",
      meaning: `The part of the cohort that is active ${month} months after its first month.`,
      missing: "the month is not over, or not sent",
    });
  }
  if (name.endsWith("_id")) return describedColumn(name, { role: "id", meaning: "An id." });
  return name.endsWith("_name")
    ? describedColumn(name, { role: "name", meaning: "A name." })
    : undefined;
}

const known = new Map<string, Column | undefined>();

/**
 * Returns the description of a field of the service. Searches exact names first, and then patterns such as
 * `<metric>_sum` and `<measure>_30d_change`. Returns undefined for unknown names. The columns of a frame can have other
 * meanings: `columnIn` of `lib/table` describes them.
 */
export function fieldNamed(name: string): Column | undefined {
  if (known.has(name)) return known.get(name);
  const found = exact(name) ?? patterned(name) ?? measured(name);
  // Frames can have any column names, so the number of stored names is limited.
  if (known.size < 10_000) known.set(name, found);
  return found;
}

/** Returns the names of the fields that do not follow a pattern. */
export function fieldNames(): string[] {
  return [...COLUMNS.keys()];
}

/** Returns the names of the measured quantities, which are also the ids of metrics. */
export function measureNames(): string[] {
  return [...MEASURES.keys()];
}
