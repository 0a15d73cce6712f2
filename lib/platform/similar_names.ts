/** Returns how many letters must be inserted, removed or changed to get one text from another (Levenshtein 1966). */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [place, wanted] of [...to].entries()) {
      const changed = row[place]! + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, row[place + 1]! + 1, next[place]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

const MOST_EDITS = 2;

/**
 * Returns the names that are similar to a text, in their order: those that contain the text, else the nearest names
 * within two edits. Ignores case.
 */
export function similarNames(text: string, names: readonly string[]): string[] {
  const wanted = text.toLowerCase();
  if (wanted === "") return [];
  const containing = names.filter((name) => name.toLowerCase().includes(wanted));
  if (containing.length > 0) return containing;
  const distances = names.map((name) => edits(wanted, name.toLowerCase()));
  const least = Math.min(...distances);
  return least > MOST_EDITS ? [] : names.filter((_, index) => distances[index] === least);
}
