import { PROJECT_CONTRACTS_RECORD } from "../../lib/schema/records.ts";
import { seededRandom } from "../service/seeded_random.ts";

/** The shape of the values of a response. */
export interface AnswerShape {
  readonly rows: number;
  /** How many digits a number has. */
  readonly digits?: 12 | 17;
  /** The share of values that are null. */
  readonly nulls?: number;
  /** How long a text is. */
  readonly length?: number;
}

// As in real data: an address has one contract, a chain has thousands of rows.
const DISTINCT: Readonly<Record<string, number>> = {
  account_address: Infinity,
  account_title: Infinity,
  account_creation_timestamp: Infinity,
  project_id: 1_000,
  project_name: 1_000,
  most_emitted_event_1d_signature: 300,
  most_transferred_asset_1d_symbol: 300,
};

/** The bytes of a response about contracts, the same for the same shape. */
export function answerBytes(
  { rows, digits = 12, nulls = 0, length = 41 }: AnswerShape,
): Uint8Array<ArrayBuffer> {
  const random = seededRandom(rows);
  const data = Array.from(
    { length: rows },
    (_, row) =>
      Object.fromEntries(PROJECT_CONTRACTS_RECORD.map(({ name, dtype }) => {
        if (random() < nulls) return [name, null];
        if (dtype === "Float64") {
          const value = random() * 1e6;
          return [name, digits === 17 ? value : Math.round(value * 1e6) / 1e6];
        }
        const distinct = Math.min(DISTINCT[name] ?? 30, rows);
        const number = distinct < rows ? Math.floor(random() * distinct) : row;
        const start = name.slice(0, 14);
        return [name, `${start}-${String(number).padStart(length - start.length - 1, "0")}`];
      })),
  );
  return new TextEncoder().encode(JSON.stringify({ data }));
}
