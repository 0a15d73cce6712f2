import type { Operation } from "../../lib/schema/vocabulary.ts";

/** Texts that are easily written wrongly: quotes, commas, every newline, unicode, formulas, texts that look like numbers. */
const TEXTS = [
  "",
  "007",
  "1e5",
  'say "hi", twice',
  "two\nlines",
  "carriage\rreturn",
  "line\r\nbreaks\r\n",
  "naïve 🦕 東京 \u00a0",
  "=1+1",
  "-",
  "NA",
  "null",
  " spaces ",
  "2025-01-31",
  "true",
  "0x1F",
  "'",
  "\\|*_",
] as const;

/** Numbers that a writer could change, and the two that must never be taken for each other. */
const NUMBERS = [0, null, 0.1, 1e21, 1.7976931348623157e308, 5e-324, -2.5, 9007199254740991];

const text = (index: number) => TEXTS[index % TEXTS.length]!;
const number = (index: number) => NUMBERS[index % NUMBERS.length]!;

/** As many rows as there are texts, each field of them another text or number, one text in each row null. */
function rows(texts: readonly string[], numbers: readonly string[]): Record<string, unknown>[] {
  return TEXTS.map((_, row) => ({
    ...Object.fromEntries(
      texts.map((name, column) => [name, (3 * row + column) % 7 === 6 ? null : text(row + column)]),
    ),
    ...Object.fromEntries(numbers.map((name, column) => [name, number(row + column)])),
  }));
}

const projects = {
  name: text(3),
  project_id: "007",
  symbol: null,
  description: { what: text(4), how: null },
  market_sectors: ["a,b", text(3)],
  chains: [text(1), text(5), ""],
  links: [{ summary: text(3), url: "https://example.invalid/?a=1,2" }, {
    summary: null,
    url: text(6),
  }],
  aggregate_by_options: { chains: true },
  metric_availability: text(4),
  metric_definitions: [],
  metric_sources: null,
};

/** A response of each operation with values that are easily written wrongly. */
export const SIX_ANSWERS: Readonly<Record<Operation, unknown>> = {
  metric_breakdown: {
    data: rows(["data_id", "chain_id", "product_id"], []).map((row, index) => ({
      ...row,
      metrics: { fees: { sum: number(index), trend: number(index + 1) }, users: number(index + 2) },
    })),
    errors: [{ code: "NOT_FOUND", field: "chain_ids", value: 'no "where"\n' }],
  },
  metric_aggregations: {
    data: rows(
      ["project_name", "project_id", "metric_id", "metric_aggregation_name", "value"],
      [],
    ),
  },
  blockchain_comparison: {
    data: rows(["chain_id", "chain_name"], [
      "market_cap_fd_latest",
      "transaction_count_max",
      "ecosystem_fees_30d_sum",
      "ecosystem_project_count_latest",
    ]),
  },
  project_contracts: {
    data: rows(["project_id", "account_address", "account_creation_timestamp"], [
      "gas_used_1d_sum",
      "outfows_1d_sum_trend",
    ]),
  },
  cohort_analysis: {
    data: rows(["project_id", "cohort"], ["initial_cohort_size", "month_0", "month_11"]),
  },
  project: { data: projects },
};
