import { closest } from "./closest.ts";
import type { Rule } from "./rule.ts";

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
