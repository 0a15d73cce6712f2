import { columnIn } from "../track/descriptions.ts";

/** Words for persons. */
const PERSON =
  "addresses|address|accounts?|buyers?|clients?|contributors?|customers?|developers?|holders?|" +
  "individuals?|members?|participants?|people|persons?|players?|subscribers?|traders?|uniques?|" +
  "users?|visitors?|wallets?";
const PERSONS = new RegExp(`^(count|(active |new |unique |daily |monthly )*(${PERSON}))$`, "i");

/**
 * Returns the unit of the amounts that a column counts, such as `usd`. Null if it counts persons: it has no unit, or its
 * unit is `count`, `users`, `addresses` or a word like these.
 */
export function amountUnit(frame: object, name: string): string | null {
  const unit = columnIn(frame, name)?.unit ?? null;
  return unit === null || PERSONS.test(unit.trim()) ? null : unit;
}

/** How to state that columns are amounts. */
export const STATE_AMOUNTS = "for amounts state the unit: withSource(frame, { columns: { size: " +
  '{ unit: "usd" }, retained: { unit: "usd" } } })';
