// deno-lint-ignore-file no-import-prefix -- scripts are run and installed from anywhere, where no import map applies
/** The scripts' one door to the standard library's text comparison, which comes without types. */
import { closestString } from "npm:deno-std@1.4.0/text/closest_string.js";

/** The known word that is nearest to a word: one that begins with it, that holds it, or that looks like it. */
export function nearest(word: string, known: readonly string[]): string {
  const begins = known.find((each) => each.startsWith(word));
  const holds = word.length > 2 ? known.find((each) => each.includes(word)) : undefined;
  return begins ?? holds ?? closestString(word, [...known]);
}
