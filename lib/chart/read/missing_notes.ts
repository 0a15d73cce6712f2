import { countOf } from "../text/count_of.ts";
import type { FieldWords } from "../text/field_words.ts";
import type { Entity } from "./entities.ts";

/** Says how many values are missing; nothing when none is. */
export function missingNotes(
  entities: readonly Entity[],
  words: readonly FieldWords[],
  noun: string,
): string[] {
  const counts = words.map((_, index) =>
    entities.filter(({ values }) => values[index] === null).length
  );
  const of = `of ${countOf(entities.length, noun)}`;
  const [first = 0] = counts;
  const named = counts.every((count) => count === first)
    ? first === 0 ? [] : [`${first} ${of}${words.length > 1 ? " in each panel" : ""}`]
    : words.flatMap(({ title }, index) =>
      counts[index] === 0 ? [] : [`${title}, ${counts[index]} ${of}`]
    );
  return named.length === 0 ? [] : [`Without a value, which is not zero: ${named.join("; ")}.`];
}
