// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
/** The one door to the standard library's text comparison. */
import { closestString } from "npm:deno-std@1.4.0/text/closest_string.js";

/** The known word that is nearest to a word; undefined when none is known. */
export function closest(word: string, known: readonly string[]): string | undefined {
  return known.length === 0 ? undefined : closestString(word, [...known]);
}
