import type { Adds } from "../../schema/dictionary.ts";
import { inWords } from "../../platform/statement.ts";
import { columnIn } from "../track/descriptions.ts";
import type { DataFrame } from "../columns/polars.ts";

/** Units of numbers of persons, and one of each. */
const PERSONS: Readonly<Record<string, string>> = {
  users: "a user",
  addresses: "an address",
  developers: "a developer",
  wallets: "a wallet",
  accounts: "an account",
  people: "a person",
};

/** Units whose values are not added, unless the column states it. */
const NOT_ADDED: ReadonlySet<string> = new Set([
  ...Object.keys(PERSONS),
  ...["fraction", "percent", "%", "percentage points", "change", "retention", "index", "statistic"],
]);

/** Words before a unit of persons, as in `monthly_active_users` and `Active users`. */
const WHICH = /^(?:(?:active|daily|distinct|monthly|new|returning|unique|weekly)[_ ])+/;

/** Returns the unit of `NOT_ADDED` that a text has, such as `users` of `Active users`. Null for other texts. */
function notAddedIn(text: string): string | null {
  const unit = text.trim().toLowerCase().replace(WHICH, "");
  return NOT_ADDED.has(unit) ? unit : null;
}

/** Names of columns that are a unit whose values are not added. */
const NAMED: ReadonlySet<string> = new Set([
  ...Object.keys(PERSONS),
  ...["fraction", "percent", "retention"],
]);

/** Returns the unit of a column: that of its description, or for a column of the user that of its name. */
function unitOf(frame: DataFrame, field: string): string | null {
  const { unit = null, from = null } = columnIn(frame, field) ?? {};
  if (unit !== null) return notAddedIn(unit) ?? unit;
  const named = from === null ? notAddedIn(field) : null;
  return named !== null && NAMED.has(named) ? named : null;
}

/**
 * Returns over what the values of a column of a frame can be added: what the column states, or `"none"` for units such
 * as users and percentages. Undefined if it is not known.
 */
export function adds(frame: DataFrame, field: string): Adds | undefined {
  const { adds = null } = columnIn(frame, field) ?? {};
  const unit = unitOf(frame, field);
  return adds ?? (unit !== null && NOT_ADDED.has(unit) ? "none" : undefined);
}

/** Returns whether a column has numbers of persons, of whom one can be counted at several dates. */
export function countsPersons(frame: DataFrame, field: string): boolean {
  const unit = unitOf(frame, field);
  return unit !== null && Object.hasOwn(PERSONS, unit) && adds(frame, field) !== "both";
}

/** Returns the reason why values of several entities cannot be added. Null if they can, or if nothing is known. */
export function whyNotAdded(frame: DataFrame, field: string): string | null {
  if (adds(frame, field) !== "none") return null;
  const unit = unitOf(frame, field);
  if (unit !== null && Object.hasOwn(PERSONS, unit)) {
    return `${PERSONS[unit]} can be counted in several of them`;
  }
  if (unit === null || !NOT_ADDED.has(unit)) return "its description states that it does not";
  if (!/^[a-z]+$/.test(unit)) return `its unit is ${unit}`;
  return `it is ${/^[aei]/.test(unit) ? "an" : "a"} ${unit}`;
}

/** Throws a RangeError if the values of several entities cannot be added. */
export function refuseUnadded(frame: DataFrame, field: string, fn: string): void {
  const reason = whyNotAdded(frame, field);
  if (reason === null) return;
  const { from = null, meaning = "" } = columnIn(frame, field) ?? {};
  const isOwn = from === null && meaning === "";
  const state = `withSource(frame, { columns: { ${JSON.stringify(field)}: { adds: "groups" } } })`;
  throw new RangeError(
    `${fn}: field: must be a column that adds up over entities; got ${field}: ${reason}` +
      (isOwn ? inWords({ flags: "", code: `; if it adds up, state it: ${state}` }) : ""),
  );
}
