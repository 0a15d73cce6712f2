import { nearest } from "./nearest.ts";
import type { Arguments } from "./read_arguments.ts";
import { UsageError } from "./usage_error.ts";

/** The value of an option that takes one of a closed list of words; undefined when it was not given. */
export function onlyOneOf<Word extends string>(
  given: Arguments,
  option: string,
  words: readonly Word[],
): Word | undefined {
  const value = given.one(option);
  const word = words.find((known) => known === value);
  if (value === undefined || word !== undefined) return word;
  throw new UsageError(
    `--${option}: must be one of ${words.join(", ")} (nearest: ${nearest(value, words)}): ${value}`,
  );
}
