import { checkOptions, oneOf, type Refuse, type Rule } from "../platform/check_options.ts";
import { QueryError } from "../http/errors.ts";
import type { Endpoint, Parameter } from "../schema/endpoints.ts";
import { dayOf } from "../schema/period.ts";

/** Checks one id and trims it. Ids are sent as a comma-separated list, so an id with a comma would become two ids. */
function id(value: unknown, refuse: Refuse): string {
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "" || !text.isWellFormed()) return refuse("an id must be a text that is not empty");
  if (text.includes(",")) return refuse("an id must not contain a comma");
  return text;
}

/**
 * Creates the rule for an option that accepts one id or a list of ids. The rule refuses an empty list, because the
 * service would then return everything.
 */
function idsRule(empty: string): Rule<string[]> {
  return (value, refuse) => {
    if (typeof value !== "string" && !Array.isArray(value)) {
      return refuse("must be a list of ids, or one id");
    }
    if (value.length === 0) return refuse(empty);
    const ids: unknown[] = typeof value === "string" ? [value] : value;
    return [...new Set(ids.map((each) => id(each, refuse)))];
  };
}

/** Checks that a value is an ISO 8601 calendar date, such as `2025-02-28`, and that the day exists. */
function date(value: unknown, refuse: Refuse): string {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return refuse("must be a date written YYYY-MM-DD");
  }
  return Number.isNaN(dayOf(value)) ? refuse("must be a day that exists") : value;
}

function count(value: unknown, refuse: Refuse): string {
  if (!Number.isSafeInteger(value) || Number(value) < 1) {
    return refuse("must be a whole number above 0");
  }
  return String(value);
}

/** Checks the name of a response field. The API does not list the allowed names, so any name passes. */
function field(value: unknown, refuse: Refuse): string {
  return typeof value === "string" && value !== "" ? value : refuse("must name a response field");
}

function ruleOf({ kind, required, words = [] }: Parameter): Rule<string | string[]> {
  const hint = required ? "" : "; leave it out to select all";
  const ids = idsRule(`must have at least one id${hint}`);
  return { ids, word: oneOf(words), date, count, field }[kind];
}

/** Returns the rules of an endpoint's parameters, by name. */
export function rulesOf({ parameters }: Pick<Endpoint, "parameters">) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, ruleOf(parameter)]),
  );
}

/** A query with validated parameters. */
export interface CheckedQuery {
  /** A copy of the given query, because the caller can change the original. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The parameters to send. Lists have no duplicates. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
}

/** Returns the ids of a parameter, or an empty list if the parameter is not given. */
export function idsOf({ params }: CheckedQuery, name: string): readonly string[] {
  return [params[name] ?? []].flat();
}

/** Checks that `start`, `end` and `interval` do not contradict each other, because the service does not check this. */
function checkDates(params: Record<string, unknown>, fail: (told: string) => never): void {
  const { start, end, interval } = params;
  if (start === undefined && end === undefined) return;
  if (start !== undefined && end !== undefined && String(start) > String(end)) {
    fail(`start: must not be after end (${end}); got "${start}"`);
  }
  if (interval === undefined && start !== undefined && end !== undefined) params.interval = "max";
  else if (interval !== "max") {
    fail(
      `interval: must be "max" with start or end, or leave the dates out; got ${
        interval === undefined ? "undefined" : `"${interval}"`
      }`,
    );
  }
}

/**
 * Checks a query against the parameters of its endpoint. A key whose value is undefined counts as not given.
 *
 * @throws {QueryError} for an unknown key, a missing key or an invalid value. The error states the key and its value.
 */
export function checkQuery(endpoint: Endpoint, query: object): CheckedQuery {
  const { operation, parameters } = endpoint;
  const error = (message: string) => new QueryError(message, { operation });
  const about = { prefix: `${operation}: `, noun: "query", error };
  const params: Record<string, string | readonly string[]> = checkOptions(
    query,
    rulesOf(endpoint),
    about,
  ) as Record<string, string[]>;
  const fail = (told: string): never => {
    throw error(`${operation}: ${told}`);
  };
  if ("interval" in parameters) checkDates(params, fail);
  for (const [name, { required, default: value }] of Object.entries(parameters)) {
    if (params[name] !== undefined) continue;
    if (required) fail(`${name}: is required; got undefined`);
    if (value !== undefined) params[name] = value;
  }
  // URL parsing removes the path segments `.` and `..`, so a request with such an id would go to another path.
  const dots = [params.project_id ?? []].flat().find((id) => id === "." || id === "..");
  if (dots !== undefined) fail(`project_id: must not be . or ..; got "${dots}"`);
  return { given: structuredClone(query) as CheckedQuery["given"], params };
}
