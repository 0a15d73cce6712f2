import { extentOf } from "../extent.ts";
import type { Line } from "./lines.ts";

/**
 * Returns the ranks of lines in each complete period. Each point has two ranks. In `text`, which is written in the
 * marker, lines with equal values share the smaller rank. In `y`, the position, lines with equal values have successive
 * ranks, in order of their labels. A null has no rank, and no value has one in the periods that `open` has.
 */
export function rankedLines(
  lines: readonly Line[],
  open: ReadonlySet<number>,
  descending: boolean,
): Line[] {
  const sign = descending ? -1 : 1;
  const known = lines.flatMap(({ label, points }) =>
    points.flatMap(({ x, y }) => y === null || open.has(x) ? [] : [{ x, y, label }])
  );
  const order = Map.groupBy(
    known.toSorted((a, b) => sign * (a.y - b.y) || (a.label < b.label ? -1 : 1)),
    ({ x }) => x,
  );
  const [, last] = extentOf(order.keys());
  return lines.map((line) => ({
    ...line,
    points: line.points.filter(({ x }) => x <= last).map((point) => {
      const there = point.y === null ? undefined : order.get(point.x);
      if (there === undefined) return { ...point, y: null };
      const place = there.findIndex(({ label }) => label === line.label);
      const rank = there.findIndex(({ y }) => y === point.y) + 1;
      return { ...point, y: place + 1, text: String(rank) };
    }),
  }));
}

/** Returns the first and the last rank of each line. */
export function rankTexts(lines: readonly Line[]): string[] {
  return lines.map(({ label, points }) => {
    const known = points.filter(({ text }) => text !== undefined);
    return `${label} from ${known[0]?.text} to ${known.at(-1)?.text}`;
  });
}

/** Highlights the lines that gain and that lose most ranks, if any line gains or loses a rank. */
export function movers(lines: readonly Line[]): { highlight?: string[] } {
  const moved = lines.map(({ id, points }) => {
    const known = points.flatMap(({ text }) => text === undefined ? [] : [Number(text)]);
    return { id, by: (known[0] ?? 0) - (known.at(-1) ?? 0) };
  }).toSorted((a, b) => b.by - a.by);
  const ends = [moved[0]!, moved.at(-1)!];
  const ids = ends.filter(({ by }, side) => side === 0 ? by > 0 : by < 0).map(({ id }) => id);
  return ids.length === 0 ? {} : { highlight: ids };
}
