// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import { closestString } from "npm:deno-std@1.4.0/text/closest_string.js";
import { QueryError } from "../http/errors.ts";
import type { Operation } from "../schema/vocabulary.ts";

/** Is called with what would be allowed, and throws the error that says so and shows the value. */
export type Refuse = (allowed: string) => never;

/** Checks the value of one query key, and gives it back in the form that is sent. */
export type Rule<Value> = (value: unknown, refuse: Refuse) => Value;

/** The one door to the standard library's text comparison. */

/** The known word that is nearest to a word; undefined when none is known. */
export function closest(word: string, known: readonly string[]): string | undefined {
  return known.length === 0 ? undefined : closestString(word, [...known]);
}

/** Checks one id: ids travel comma separated, so a comma would make two of one. */
export function id(value: unknown, refuse: Refuse): string {
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) {
    return refuse("an id must be a text that is not empty");
  }
  if (value.includes(",")) return refuse("an id must hold no comma");
  return value;
}

/** Checks a list of ids. Each is sent once. An empty list would select everything, so it is refused. */
export function idList(value: unknown, refuse: Refuse): string[] {
  if (!Array.isArray(value)) return refuse("must be a list of ids");
  if (value.length === 0) return refuse("must hold an id; leave it out to select all");
  return [...new Set(value.map((element) => id(element, refuse)))];
}

/** Makes the rule of a closed list of words. */
export function oneOf<Word extends string>(words: readonly Word[]): Rule<Word> {
  return (value, refuse) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    const nearest = typeof value === "string" && value !== "" ? closest(value, words) : undefined;
    const hint = nearest === undefined ? "" : ` (nearest: ${nearest})`;
    return refuse(`must be one of ${words.join(", ")}${hint}`);
  };
}

/** Checks an ISO 8601 calendar date, `2025-02-28`, and that there is such a day. */
export function calendarDate(value: unknown, refuse: Refuse): string {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) {
    return refuse("must be a date written YYYY-MM-DD");
  }
  const time = Date.parse(`${value}T00:00:00Z`);
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== value) {
    return refuse("must be a day that exists");
  }
  return value;
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

type Rules = Readonly<Record<string, Rule<unknown>>>;

/** A query whose keys and values have been checked; a key that was not given is missing. */
type Checked<Given extends Rules, Required extends keyof Given> =
  & { [Name in Required]: ReturnType<Given[Name]> }
  & { [Name in Exclude<keyof Given, Required>]?: ReturnType<Given[Name]> };

function shown(value: unknown): string {
  const text = Deno.inspect(value, { strAbbreviateSize: 80, iterableLimit: 10 });
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/**
 * Checks a query by one rule per key. A key whose value is undefined counts as not given.
 *
 * @throws {QueryError} that names the key and shows the value, for an unknown key, a missing one of
 * those required, and a value against its rule.
 */
export function checkQuery<Given extends Rules, Required extends keyof Given & string = never>(
  operation: Operation,
  query: object,
  rules: Given,
  required: readonly Required[] = [],
): Checked<Given, Required> {
  const fail = (told: string): never => {
    throw new QueryError(`${operation}: ${told}`, { operation });
  };
  if (typeof query !== "object" || query === null || Array.isArray(query)) {
    return fail(`query: must be an object: ${shown(query)}`);
  }
  const known = Object.keys(rules);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  for (const [name] of given) {
    if (!Object.hasOwn(rules, name)) {
      fail(
        `${name}: is no key of this query (nearest: ${closest(name, known)}); known: ${
          known.join(", ")
        }`,
      );
    }
  }
  for (const name of required) {
    if (!given.some(([key]) => key === name)) fail(`${name}: is required: undefined`);
  }
  const checked = given.map(([name, value]) => [
    name,
    rules[name]!(value, (allowed) => fail(`${name}: ${allowed}: ${shown(value)}`)),
  ]);
  return Object.fromEntries(checked) as Checked<Given, Required>;
}
