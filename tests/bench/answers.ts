import {
  BLOCKCHAIN_COMPARISON_RECORD,
  COHORT_ANALYSIS_RECORD,
  type Field,
  PROJECT_CONTRACTS_RECORD,
} from "../../lib/schema/records.ts";
import { seededRandom } from "../service/seeded_random.ts";

/** What kind of answer to make. */
export interface AnswerShape {
  readonly dataset:
    | "project_contracts"
    | "cohort_analysis"
    | "blockchain_comparison";
  readonly rows: number;
  /** The share of values that are null. */
  readonly nulls?: number;
  /** How many fields each row has that the interface does not name. */
  readonly extra?: number;
}

const RECORDS: Readonly<Record<AnswerShape["dataset"], readonly Field[]>> = {
  project_contracts: PROJECT_CONTRACTS_RECORD,
  cohort_analysis: COHORT_ANALYSIS_RECORD,
  blockchain_comparison: BLOCKCHAIN_COMPARISON_RECORD,
};

// As often as in the world: an address names one contract, a chain names thousands of rows.
const DISTINCT: Readonly<Record<string, number>> = {
  account_address: Infinity,
  account_title: Infinity,
  account_creation_timestamp: Infinity,
  project_id: 1_000,
  project_name: 1_000,
  most_emitted_event_1d_signature: 300,
  most_transferred_asset_1d_symbol: 300,
  cohort: 60,
};

/** The bytes of an answer of the service, the same for the same shape. */
export function answerBytes(
  { dataset, rows, nulls = 0, extra = 0 }: AnswerShape,
): Uint8Array {
  const random = seededRandom(rows);
  const fields = [
    ...RECORDS[dataset],
    ...Array.from({ length: extra }, (_, index): Field => ({
      name: `unnamed_${index}`,
      dtype: index % 2 === 0 ? "Float64" : "String",
    })),
  ];
  const data = Array.from(
    { length: rows },
    (_, row) =>
      Object.fromEntries(fields.map(({ name, dtype }) => {
        if (random() < nulls) return [name, null];
        if (dtype === "Float64") {
          return [name, Math.round(random() * 1e12) / 1e6];
        }
        const distinct = Math.min(DISTINCT[name] ?? 30, rows);
        const number = distinct < rows ? Math.floor(random() * distinct) : row;
        return [
          name,
          `${name.slice(0, 14)}-${String(number).padStart(26, "0")}`,
        ];
      })),
  );
  return new TextEncoder().encode(JSON.stringify({ data }));
}
