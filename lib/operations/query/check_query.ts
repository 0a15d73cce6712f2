import { QueryError } from "../../http/errors/query_error.ts";
import type { Operation } from "../../schema/operation.ts";
import { closest } from "./closest.ts";
import type { Rule } from "./rule.ts";

type Rules = Readonly<Record<string, Rule<unknown>>>;

/** A query whose keys and values have been checked; a key that was not given is missing. */
export type Checked<Given extends Rules> = { [Name in keyof Given]?: ReturnType<Given[Name]> };

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
export function checkQuery<Given extends Rules>(
  operation: Operation,
  query: object,
  rules: Given,
  required: readonly (keyof Given & string)[] = [],
): Checked<Given> {
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
  return Object.fromEntries(checked) as Checked<Given>;
}
