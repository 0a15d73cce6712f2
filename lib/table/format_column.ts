import { COMPARISON_FIELDS } from "../schema/comparison_fields.ts";
import { PROJECT_CONTRACTS_FIELDS } from "../schema/records.ts";
import { type Window, WINDOWS } from "../schema/vocabulary.ts";

let schemaFractions: ReadonlySet<string> | undefined;

/** What the analysis functions call fractions; the schema says it of its own fields. */
const FRACTIONS = new Set([
  "retention",
  "observed",
  "predicted",
  "lower",
  "upper",
  "churn",
  "share",
  "cumulative_share",
  "top_1_share",
  "top_3_share",
]);

/** A column, and what stands beside it. */
interface Named {
  readonly name: string;
  readonly dtype: string;
  /** The names of all columns of the frame. */
  readonly beside: readonly string[];
}

/** Whether a column holds fractions, which are read as per cent: 0.25 is 25 %. */
function isFraction({ name, beside }: Named): boolean {
  schemaFractions ??= new Set([
    ...COMPARISON_FIELDS.filter(({ statistic }) => /^(change|trend)$/.test(statistic))
      .map(({ name }) => name),
    ...PROJECT_CONTRACTS_FIELDS.filter((field) => /_trend$|_share_/.test(field)),
  ]);
  if (FRACTIONS.has(name) || schemaFractions.has(name)) return true;
  // The metrics of a breakdown, and the windows of a growth table.
  return (/_(change|trend)$/.test(name) && beside.includes("data_id")) ||
    (WINDOWS.includes(name as Window) && beside.includes("statistic"));
}

/** A number with its thousands apart: `12,000`. Intl would cost more than the rest of a display. */
export function grouped(digits: string): string {
  const [whole = "", rest] = digits.split(".");
  const apart = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? apart : `${apart}.${rest}`;
}

const MOST_DECIMALS = 6;
const LARGEST = 1e15;

/** The fewest decimals that keep each number to a thousandth of itself; null where six do not do. */
function decimalsFor(numbers: readonly number[]): number | null {
  const sizes = numbers.map(Math.abs);
  if (sizes.some((size) => size >= LARGEST)) return null;
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
    const unit = 10 ** decimals;
    if (sizes.every((size) => Math.abs(Math.round(size * unit) / unit - size) <= size / 1_000)) {
      return decimals;
    }
  }
  return null;
}

function fixed(value: number, decimals: number): string {
  return grouped(value.toFixed(decimals));
}

/** One decimal does for per cents, two where one is small, and more only where all are. */
function percentDecimals(numbers: readonly number[]): number | null {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0);
  if (sizes.some((size) => size >= LARGEST)) return null;
  if (sizes.every((size) => size >= 0.1)) return 1;
  if (sizes.some((size) => size >= 0.1)) return 2;
  return decimalsFor(sizes.map((size) => Number(size.toPrecision(2))));
}

function numberTexts(values: readonly (number | bigint | null)[], percent: boolean): string[] {
  const scale = percent ? 100 : 1;
  const finite = values.filter((value) => typeof value === "number" && Number.isFinite(value))
    .map((value) => Number(value) * scale);
  const decimals = percent ? percentDecimals(finite) : decimalsFor(finite);
  return values.map((value) => {
    if (value === null || value === undefined) return "null";
    if (typeof value === "bigint") return grouped(String(value));
    if (!Number.isFinite(value)) return String(value);
    const text = decimals === null
      ? (value * scale).toExponential(3)
      : fixed(value * scale, decimals);
    return percent ? `${text}%` : text;
  });
}

function dateTexts(values: readonly (Date | null)[]): string[] {
  const texts = values.map((value) => value?.toISOString() ?? null);
  const days = texts.every((text) => text === null || text.endsWith("T00:00:00.000Z"));
  const whole = texts.every((text) => text === null || text.endsWith(".000Z"));
  return texts.map((text) =>
    text?.slice(0, days ? 10 : whole ? 19 : 23).replace("T", " ") ?? "null"
  );
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replace(/\s+/gu, " ");
}

/** Whether a column of this dtype holds numbers, which stand to the right. */
export function isNumeric(dtype: string): boolean {
  return /^(U?Int|Float|Decimal)/.test(dtype);
}

/**
 * The cells of a column for reading: its numbers to one precision, grouped, so that decimals line up;
 * fractions as per cent; dates without a time that says nothing; each text on one line; null as `null`.
 */
export function columnTexts(column: Named, values: readonly unknown[]): string[] {
  const { dtype } = column;
  if (isNumeric(dtype)) {
    const percent = dtype.startsWith("Float") && isFraction(column);
    return numberTexts(values as (number | bigint | null)[], percent);
  }
  if (dtype.startsWith("Date")) return dateTexts(values as (Date | null)[]);
  return values.map(cellText);
}
