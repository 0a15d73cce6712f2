import { COMPARISON_FIELDS, type ComparisonField } from "./comparison_fields.ts";
import {
  BLOCKCHAIN_COMPARISON_RECORD,
  COHORT_ANALYSIS_RECORD,
  ERROR_RECORD,
  type Field,
  METRIC_AGGREGATIONS_RECORD,
  METRIC_BREAKDOWN_RECORD,
  PROJECT_CONTRACTS_RECORD,
  PROJECT_RECORD,
} from "./records.ts";
import type { Operation } from "./vocabulary.ts";

/** What a value of a field is: `fraction` is 0.25 for 25 %, `usd` US dollars, the rest is counted. */
type Unit =
  | "id"
  | "text"
  | "usd"
  | "fraction"
  | "addresses"
  | "developers"
  | "transactions"
  | "projects"
  | "gas"
  | "gas per transaction"
  | "fraction, percent or count";

/** What a field of a record means, by our reading of the interface (docs/definitions.md). */
export interface Meaning {
  /** The operation whose frame has the field; `errors` for that of `errorsOf`. */
  readonly record: Operation | "errors";
  /** The name of the field, which is its name as a column. */
  readonly field: string;
  /** The polars dtype of the column. */
  readonly dtype: string;
  readonly unit: Unit;
  /** The trailing window, `max` for all of the data; null without a window. */
  readonly window: string | null;
  /** Meaning of the value, or how it is computed. */
  readonly about: string;
  /** What null means there. */
  readonly null: string;
}

type Told = Pick<Meaning, "unit" | "window" | "about" | "null">;

function text(about: string, none = "never"): Told {
  return { unit: "text", window: null, about, null: none };
}

function id(about: string, none = "never"): Told {
  return { unit: "id", window: null, about, null: none };
}

const UNIT_OF_MEASURE: Readonly<Record<string, Unit>> = {
  active_users_daily: "addresses",
  core_developers: "developers",
  transaction_count: "transactions",
  ecosystem_project_count: "projects",
};

const MEASURE: Readonly<Record<string, string>> = {
  market_cap_fd: "Price of the chain's token times all tokens there can be",
  market_cap_circ: "Price of the chain's token times circulating tokens",
  active_users_daily: "Distinct addresses that used the chain on a day",
  core_developers: "Developers who work on the core of the chain",
  ecosystem_tvl: "Value deposited on the chain at the end of a day",
  ecosystem_active_loans: "Value lent out on the chain at the end of a day",
  transaction_count: "Transactions on the chain",
  ecosystem_fees: "What users of the chain paid",
  ecosystem_revenue: "The part of the fees that the projects keep",
  ecosystem_dex_trading_volume: "Value of the trades on the chain's exchanges",
  ecosystem_project_count: "Projects with a transaction on the chain within the last 30 days",
};

function comparison({ measure, statistic, window }: ComparisonField): Told {
  const about = MEASURE[measure]!;
  const counted = UNIT_OF_MEASURE[measure] ?? "usd";
  switch (statistic) {
    case "latest":
      return {
        unit: counted,
        window,
        about: measure === "ecosystem_project_count" ? `${about}.` : `${about}: on the last day.`,
        null: measure === "ecosystem_project_count" ? "never" : "no fact on the last day",
      };
    case "sum": {
      const over = window === "max" ? "from the first day on" : `over ${window}`;
      return { unit: counted, window, about: `${about}: sum ${over}.`, null: "no fact yet" };
    }
    case "change":
      return {
        unit: "fraction",
        window,
        about: `${about}: (last day - ${window} before) / abs(${window} before).`,
        null: `no fact on one of the two days, or 0 ${window} before`,
      };
    case "trend":
      return {
        unit: "fraction",
        window,
        about: `${about}: sum over ${window} against the ${window} before.`,
        null: "no history back to the window before, or 0 there",
      };
  }
}

const CONTRACT: Readonly<Record<string, readonly [Unit, string, string]>> = {
  gas_used_1d_sum: ["gas", "Gas used by transactions with the contract", "never used so far"],
  transaction_count_1d_sum: ["transactions", "Transactions with the contract", "never used so far"],
  active_addresses_1d_distinct_count: ["addresses", "Distinct addresses", "never used so far"],
  transaction_gas_1d_avg: [
    "gas per transaction",
    "Gas by transactions",
    "no transaction, or gas unknown",
  ],
  gas_market_share_1d_avg: [
    "fraction",
    "Gas of the contract by the gas of all contracts of its chain",
    "no use on the day, or no gas on the chain",
  ],
  inflows_1d_sum: ["usd", "Value that moved into the contract", "no such fact so far"],
  outflows_1d_sum: ["usd", "Value that moved out of the contract", "no such fact so far"],
  net_flows_1d_sum: ["usd", "Inflows less outflows", "no such fact so far"],
};

function contract(name: string): Told | undefined {
  const base = name.replace("outfows_", "outflows_").replace(/_trend$/, "");
  const known = CONTRACT[base];
  if (known === undefined) return undefined;
  const [unit, about, none] = known;
  return name === base ? { unit, window: "1d", about: `${about}, on the last day.`, null: none } : {
    unit: "fraction",
    window: "1d",
    about: `${about}: (last day - day before) / abs(day before).`,
    null: "0 or unknown on the day before",
  };
}

const TEXTS: Readonly<Record<string, Told>> = {
  data_id: id("What the row stands for: project, chain, product or market sector."),
  chain_id: id("The chain."),
  chain_name: text("Its name."),
  product_id: id("The product.", "the row stands for all products"),
  project_id: id("The project."),
  project_name: text("Its name."),
  market_sector_id: id("The market sector of the project."),
  market_sector_name: text("Its name."),
  metric_id: id("The metric."),
  metric_aggregation_name: id("Window and aggregation: 30d_sum, latest."),
  value: text("The value, as the service wrote it; value_number is it as a number.", "not sent"),
  account_address: id("The address of the contract."),
  account_title: text("What the contract is called.", "not known"),
  account_creation_timestamp: text("When it was created: YYYY-MM-DDTHH:MM:SS.000Z.", "not known"),
  most_emitted_event_1d_name: text("The most frequent event.", "no event on the last day"),
  most_emitted_event_1d_signature: text("Its signature.", "no event on the last day"),
  most_transferred_asset_1d_symbol: text("The asset moved most.", "no transfer on the last day"),
  cohort: text("The month in which its users came first: YYYY-MM."),
  code: id("What is wrong: NOT_FOUND, or NOT_IN_ANSWER for a dataset that left it out."),
  field: id("The key of the query that held the entity."),
  name: text("The name of the project."),
  symbol: text("The symbol of its token.", "it has none"),
  description: text("JSON text: what, how, who.", "not known"),
  market_sectors: text("JSON text: the ids of its market sectors.", "not known"),
  chains: text("The ids of the chains that it is on.", "not known"),
  links: text("Its pages: summary and url.", "not known"),
  aggregate_by_options: text("JSON text: the groupings of each metric.", "not known"),
  metric_availability: text("JSON text: whether each metric has a fact.", "not known"),
  metric_definitions: text("What each metric means.", "not known"),
  metric_sources: text("Where each metric comes from.", "not known"),
};

/** What a name means in one record only. */
const IN_RECORD: Readonly<Record<string, Told>> = {
  "errors.value": id("The entity, as it was asked for."),
  "metric_breakdown.chain_id": id("The chain.", "the row stands for all chains"),
};

function cohort(name: string): Told | undefined {
  if (name === "initial_cohort_size") {
    return { unit: "addresses", window: null, about: "Addresses in the cohort.", null: "not sent" };
  }
  const month = /^month_(\d+)$/.exec(name)?.[1];
  if (month === undefined) return undefined;
  return {
    unit: "fraction, percent or count",
    window: null,
    about: `The part of the cohort active in month ${month} after its first.`,
    null: "the month is not over, or not sent",
  };
}

const COMPARISON = new Map<string, ComparisonField>(
  COMPARISON_FIELDS.map((field) => [field.name, field]),
);

function told(name: string): Told {
  const compared = COMPARISON.get(name);
  const known = compared === undefined
    ? contract(name) ?? cohort(name) ?? TEXTS[name]
    : comparison(compared);
  if (known === undefined) throw new RangeError(`the field has no meaning yet: ${name}`);
  return known;
}

const DTYPES: Readonly<Record<string, string>> = { Json: "String", TextOrJson: "String" };

function dtypeOf({ dtype }: Field): string {
  if (typeof dtype === "object") return `List(Struct(${dtype.struct.join(", ")}))`;
  return DTYPES[dtype] ?? dtype;
}

const RECORDS: readonly (readonly [Meaning["record"], readonly Field[]])[] = [
  ["metric_breakdown", METRIC_BREAKDOWN_RECORD],
  ["metric_aggregations", METRIC_AGGREGATIONS_RECORD],
  ["blockchain_comparison", BLOCKCHAIN_COMPARISON_RECORD],
  ["project_contracts", PROJECT_CONTRACTS_RECORD],
  ["cohort_analysis", COHORT_ANALYSIS_RECORD],
  ["project", PROJECT_RECORD],
  ["errors", ERROR_RECORD],
];

/** What every field of every record means, in the order of the records. */
export function meanings(): Meaning[] {
  return RECORDS.flatMap(([record, fields]) =>
    fields.map((field) => ({
      record,
      field: field.name,
      dtype: dtypeOf(field),
      ...(IN_RECORD[`${record}.${field.name}`] ?? told(field.name)),
    }))
  );
}
