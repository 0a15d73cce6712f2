import { distance } from "./check_options.ts";

const MOST_EDITS = 2;

/**
 * Returns the names that contain a text, ignoring case. If there are none, returns the nearest names within two edits.
 * Keeps the order of the names.
 */
export function similarNames(text: string, names: readonly string[]): string[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return [];
  const containing = names.filter((name) => name.toLowerCase().includes(wanted));
  if (containing.length > 0) return containing;
  // A long text is not compared letter by letter with each name.
  const distances = names.map((name) =>
    Math.abs(name.length - wanted.length) > MOST_EDITS
      ? Infinity
      : distance(wanted, name.toLowerCase())
  );
  const least = Math.min(...distances);
  return least > MOST_EDITS ? [] : names.filter((_, index) => distances[index] === least);
}
