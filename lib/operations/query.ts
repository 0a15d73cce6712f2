import {
  type Checked,
  checkOptions,
  type Refuse,
  type Rule,
  type Rules,
} from "../platform/check_options.ts";
import { QueryError } from "../http/errors.ts";
import { dayOf } from "../schema/period.ts";
import type { Operation } from "../schema/vocabulary.ts";

/**
 * Checks one id, and cuts blanks off its ends. Ids travel comma separated, so a comma would make two of one.
 */
function id(value: unknown, refuse: Refuse): string {
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "" || !text.isWellFormed()) return refuse("an id must be a text that is not empty");
  if (text.includes(",")) return refuse("an id must hold no comma");
  return text;
}

/** Makes the rule of a list of ids, which may be a single one. Each is sent once. */
function listRule(empty: string): Rule<string[]> {
  return (value, refuse) => {
    if (typeof value !== "string" && !Array.isArray(value)) {
      return refuse("must be a list of ids, or one id");
    }
    if (value.length === 0) return refuse(empty);
    const ids: unknown[] = typeof value === "string" ? [value] : value;
    return [...new Set(ids.map((each) => id(each, refuse)))];
  };
}

/** Checks a list of ids that may be left out. An empty one would select everything, so it is refused. */
export const idList: Rule<string[]> = listRule("must hold an id; leave it out to select all");

/** Checks a list of ids that must be there. */
export const neededIdList: Rule<string[]> = listRule("must hold an id at least");

/** Checks an ISO 8601 calendar date, `2025-02-28`, and that there is such a day. */
export function calendarDate(value: unknown, refuse: Refuse): string {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return refuse("must be a date written YYYY-MM-DD");
  }
  return Number.isNaN(dayOf(value)) ? refuse("must be a day that exists") : value;
}

/** Checks a whole number above zero. */
export function positiveInteger(value: unknown, refuse: Refuse): string {
  if (!Number.isSafeInteger(value) || Number(value) < 1) {
    return refuse("must be a whole number above 0");
  }
  return String(value);
}

/** Checks the name of a response field. The interface lists no allowed values, so any name passes. */
export function fieldName(value: unknown, refuse: Refuse): string {
  return typeof value === "string" && value !== "" ? value : refuse("must name a response field");
}

/**
 * Checks a query by one rule per key. A key whose value is undefined counts as not given.
 *
 * @throws {QueryError} that names the key and shows the value, for an unknown key, a missing one of
 * those required, and a value against its rule.
 */
export function checkQuery<Given extends Rules, Needed extends keyof Given & string = never>(
  operation: Operation,
  query: object,
  rules: Given,
  required: readonly Needed[] = [],
): Checked<Given> & Required<Pick<Checked<Given>, Needed>> {
  const error = (message: string) => new QueryError(message, { operation });
  const checked = checkOptions(query, rules, { prefix: `${operation}: `, noun: "query", error });
  for (const name of required) {
    if (checked[name] === undefined) throw error(`${operation}: ${name}: is required: undefined`);
  }
  return checked as ReturnType<typeof checkQuery<Given, Needed>>;
}

/**
 * What asks the questions of a query and makes a frame of the answers: opened with the first query, so that
 * importing what could ask costs little.
 */
export function answering(): Promise<typeof import("./answered_frame.ts")> {
  return import(new URL("./answered_frame.ts", import.meta.url).href);
}
