// deno-lint-ignore-file no-import-prefix -- scripts are run and installed from anywhere, where no import map applies
/** The scripts' one door to the standard library's text comparison, which comes without types. */
import { closestString } from "npm:deno-std@1.4.0/text/closest_string.js";

/** The known word that is nearest to a word. */
export function nearest(word: string, known: readonly string[]): string {
  return closestString(word, [...known]);
}
