import { countOf } from "../text/count_of.ts";
import type { FieldWords } from "../text/field_words.ts";
import type { Entity } from "./entities.ts";

/** Says how many values are missing; nothing when none is. */
export function missingNotes(
  entities: readonly Entity[],
  words: readonly FieldWords[],
  noun: string,
): string[] {
  const missing = words.flatMap(({ title }, index) => {
    const count = entities.filter(({ values }) => values[index] === null).length;
    if (count === 0) return [];
    return [`${words.length > 1 ? `${title}, ` : ""}${count} of ${countOf(entities.length, noun)}`];
  });
  return missing.length === 0 ? [] : [`Without a value, which is not zero: ${missing.join("; ")}.`];
}
