import { columnOf, columnTitle, type Unit as ColumnUnit } from "../schema/columns.ts";
import type { Unit } from "./format.ts";

/** What the name of a numeric field says. */
export interface FieldWords {
  /** For a heading: `Ecosystem fees over 30 days`. */
  readonly title: string;
  readonly unit: Unit;
  /** For an axis: `US$`, `users`, `%`. */
  readonly axis: string;
  /** Whether the values of several entities may be added up. */
  readonly additive: boolean;
}

const STYLES: Partial<Record<ColumnUnit, Pick<FieldWords, "unit" | "axis">>> = {
  usd: { unit: "usd", axis: "US$" },
  fraction: { unit: "share", axis: "%" },
  change: { unit: "change", axis: "change, %" },
  "gas per transaction": { unit: "count", axis: "gas" },
  count: { unit: "count", axis: "" },
  statistic: { unit: "count", axis: "" },
  retention: { unit: "count", axis: "" },
};

/**
 * Reads the name of a field. What it counts is known of the fields of the interface and of our analysis only:
 * `fees_eur` is a plain number.
 */
export function fieldWords(field: string): FieldWords {
  const column = columnOf(field);
  const unit = column?.unit ?? "count";
  // What is not known to add up is never added up.
  const additive = column?.addsOverGroups ?? false;
  const style = STYLES[unit] ?? { unit: "count", axis: unit };
  return { title: columnTitle(field), additive, ...style };
}

const UNITS: Readonly<Record<string, Pick<FieldWords, "unit" | "axis">>> = {
  usd: { unit: "usd", axis: "US$" },
  share: { unit: "share", axis: "%" },
  change: { unit: "change", axis: "change, %" },
  count: { unit: "count", axis: "" },
};

/** What a field is, where the user says what its values are: one of our units, or a text for the axis. */
export function wordsFor(field: string, unit: string | undefined): FieldWords {
  const words = fieldWords(field);
  return unit === undefined ? words : { ...words, ...UNITS[unit] ?? { unit: "count", axis: unit } };
}
