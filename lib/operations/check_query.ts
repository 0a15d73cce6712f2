import {
  checkOptions,
  hintOf,
  oneOf,
  type Refuse,
  required,
  type Rule,
} from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import { QueryError } from "../http/errors.ts";
import type { Endpoint, Parameter } from "../schema/endpoints.ts";
import { dayOf } from "../schema/period.ts";

/** Checks one id. In a URL, ids are a comma-separated list, so an id with a comma would become two ids. */
function id(value: unknown, inUrl: boolean, refuse: Refuse): string {
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) {
    return refuse("an id must be a text that is not empty");
  }
  if (value.trim() !== value) return refuse("an id must not begin or end with blanks");
  return inUrl && value.includes(",") ? refuse("an id must not contain a comma") : value;
}

/**
 * Creates the rule for an option that accepts one id or a list of ids. The rule refuses an empty list, because the
 * service would then return everything.
 */
function idsRule(empty: string, inUrl: boolean): Rule<string[]> {
  return (value, refuse) => {
    if (typeof value !== "string" && !Array.isArray(value)) {
      return refuse("must be a list of ids, or one id");
    }
    if (value.length === 0) return refuse(empty);
    const ids: unknown[] = typeof value === "string" ? [value] : value;
    return [...new Set(ids.map((each) => id(each, inUrl, refuse)))];
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
  return typeof value === "string" && value !== "" && value.isWellFormed()
    ? value
    : refuse("must name a response field");
}

/** Accepts any word. The service decides whether it knows words that the API does not list. */
const anyWord: Rule<string> = (value, refuse) =>
  typeof value === "string" && value !== "" ? value : refuse("must be a word");

function ruleOf(
  { kind, required: isRequired = false, words = [] }: Parameter,
  { method, live }: { readonly method: Endpoint["method"]; readonly live: boolean },
): Rule<string | string[]> {
  const hint = isRequired ? "" : "; leave it out to select all";
  const ids = idsRule(`must have at least one id${hint}`, method === "GET");
  const word = live ? anyWord : oneOf(words);
  const rule: Rule<string | string[]> = { ids, word, direction: oneOf(words), date, count, field }[
    kind
  ];
  return isRequired ? required(rule) : rule;
}

/** Returns the rules of an endpoint's parameters, by name. A live service may know words that the API does not list. */
export function rulesOf(
  { parameters, method }: Pick<Endpoint, "parameters" | "method">,
  live: boolean,
) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      ruleOf(parameter, { method, live }),
    ]),
  );
}

/** Returns a warning for each word that the API does not list. */
export function newWords(
  { parameters }: Pick<Endpoint, "parameters">,
  params: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(parameters).flatMap(([name, { kind, words = [] }]) => {
    const value = params[name];
    if (kind !== "word" || value === undefined || words.some((word) => word === value)) return [];
    const near = hintOf(String(value), words);
    const hint = near === "" ? "" : `; did you mean ${near}?`;
    return [`${name}: ${shown(value)} is sent, but the API does not list it${hint}`];
  });
}

/** A query with validated parameters. */
export interface CheckedQuery {
  /** A copy of the given query, because the caller can change the original. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The parameters to send. Lists have no duplicates. */
  readonly params: Readonly<Record<string, string | readonly string[]>>;
  /** Warnings about values that the service may refuse, or read in another way. */
  readonly warnings: readonly string[];
}

/** Returns the ids of a parameter, or an empty list if the parameter is not given. */
export function idsOf({ params }: CheckedQuery, name: string): readonly string[] {
  return [params[name] ?? []].flat();
}

/** Checks `start`, `end` and `interval`. Returns a warning if the service may read them in two ways. */
function checkDates(
  { start, end, interval }: Readonly<Record<string, unknown>>,
  fail: (told: string) => never,
): string[] {
  if (start === undefined && end === undefined) return [];
  if (start !== undefined && end !== undefined && String(start) > String(end)) {
    fail(`start: must not be after end (${end}); got "${start}"`);
  }
  const side = start === undefined ? "end" : "start";
  return interval === "max" ? [] : [`interval and ${side}: either may overrule the other`];
}

/** Adds the interval `max` to a query with dates and without an interval. */
function withInterval(query: object): object {
  const { start, end, interval } = (query ?? {}) as Readonly<Record<string, unknown>>;
  const isDated = interval === undefined && (start !== undefined || end !== undefined);
  return isDated ? { ...query, interval: "max" } : query;
}

/**
 * Checks a query against the parameters of its endpoint. A key whose value is undefined counts as not given. A `live`
 * service may know words that the API does not list: these are sent, with a warning.
 *
 * @throws {QueryError} for an unknown key, a missing key or an invalid value. The error states the key and its value.
 */
export function checkQuery(endpoint: Endpoint, query: object, live: boolean): CheckedQuery {
  const { operation, parameters } = endpoint;
  const error = (message: string) => new QueryError(message, { operation });
  const about = { prefix: `${operation}: `, noun: "query", error };
  const params: Record<string, string | readonly string[]> = checkOptions(
    "interval" in parameters ? withInterval(query) : query,
    rulesOf(endpoint, live),
    about,
  ) as Record<string, string[]>;
  const fail = (told: string): never => {
    throw error(`${operation}: ${told}`);
  };
  const warnings = newWords(endpoint, params);
  if ("interval" in parameters) warnings.push(...checkDates(params, fail));
  for (const [name, { default: value }] of Object.entries(parameters)) {
    if (params[name] === undefined && value !== undefined) params[name] = value;
  }
  // URL parsing removes the path segments `.` and `..`, so a request with such an id would go to another path.
  const dots = [params.project_id ?? []].flat().find((id) => id === "." || id === "..");
  if (dots !== undefined) fail(`project_id: must not be . or ..; got "${dots}"`);
  return {
    given: structuredClone(query) as CheckedQuery["given"],
    params,
    warnings: warnings.map((warning) => `${operation}: ${warning}`),
  };
}
