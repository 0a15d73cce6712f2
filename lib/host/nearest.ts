import { terminalText } from "./terminal_text.ts";

/** How many letters must be put in, taken out or changed to make one word of another (Levenshtein 1966). */
function distance(one: string, other: string): number {
  const [from, to] = [[...one], [...other]];
  // The distances of what has been read of `from` to the beginnings of `to`, of every length.
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [index, letter] of from.entries()) {
    const next = [index + 1];
    for (const [place, wanted] of to.entries()) {
      const changed = row[place]! + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, row[place + 1]! + 1, next[place]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** The known name that is nearest to a name, whatever the case; undefined when none is known. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let [found, least]: [string | undefined, number] = [undefined, Infinity];
  for (const known of names) {
    const steps = distance(wanted, known.toLowerCase());
    if (steps < least) [found, least] = [known, steps];
  }
  return found;
}

/** A longer list of names would hide the nearest. */
const MOST_LISTED = 20;

/** The one wording for a value that is none of the words there are: all of them, or of many the nearest. */
export function mustBeOneOf(names: readonly string[], value: unknown): string {
  const near = typeof value === "string" && value !== "" ? nearest(value, names) : undefined;
  const hint = near === undefined ? "" : ` (nearest: ${near})`;
  return names.length > MOST_LISTED
    ? `must be one of ${names.length} names${hint}`
    : `must be one of ${names.join(", ")}${hint}`;
}

/** The one wording for a name that is none of those there are. */
export function didYouMean(name: string, names: readonly string[]): string {
  const hint = names.length === 0 ? "there is none" : `did you mean ${nearest(name, names)}?`;
  const rest = names.length > 1 && names.length <= MOST_LISTED ? ` known: ${names.join(", ")}` : "";
  return `${terminalText(name)}: ${hint}${rest}`;
}
