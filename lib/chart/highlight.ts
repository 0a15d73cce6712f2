import { hintOf, nearest } from "../platform/check_options.ts";
import { listed, shown } from "../platform/terminal.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { Settings } from "./options.ts";
import { textValues } from "./read/rows.ts";
import { type ColoredSeries, seriesNames } from "./series_colors.ts";

/** The fewest letters of a name that can be a misspelled one. */
const SHORTEST = 5;

/**
 * Checks the names in the option `colors` of a chart. A name that the frame lacks may belong to another chart, unless it
 * is near a name of the frame that has no color.
 *
 * @throws {RangeError} when a name is probably misspelled.
 */
export function requireColored(
  series: readonly ColoredSeries[],
  { colors = {}, fn }: Pick<Settings, "colors" | "fn">,
  frame: DataFrame,
): void {
  const names = Object.keys(colors);
  if (names.length === 0) return;
  const known = new Set([...series.flatMap(seriesNames), ...textsIn(frame)]);
  const free = [...known].filter((name) => name !== "" && !names.includes(name));
  // Short names are near many others.
  const lacking = names.filter((name) => !isIn(known, name) && name.length >= SHORTEST);
  for (const name of lacking) {
    const near = nearest(name, free.filter((other) => Math.abs(other.length - name.length) <= 2));
    if (near === undefined) continue;
    throw new RangeError(
      `${fn}: colors: must name groups of the frame; got ${shown(name)}, did you mean ${near}?`,
    );
  }
}

/** Whether texts include a name, or the parts of a group of several columns. */
function isIn(texts: ReadonlySet<string>, name: string): boolean {
  return texts.has(name) || name.split(" · ").every((part) => texts.has(part));
}

/** Returns the texts of a frame. */
function textsIn(frame: DataFrame): string[] {
  const texts = frame.columns.filter((column) => !frame.getColumn(column).isNumeric());
  return [...new Set(texts.flatMap((column) => textValues(frame, column)))]
    .filter((text) => text !== null);
}

/**
 * Checks the option `highlight` of a chart. A group of the frame that is not drawn, because of `limit` or because it
 * has no value, may be highlighted if another highlighted group is drawn.
 *
 * @throws {RangeError} when a name is not in the frame, or if no highlighted group is drawn.
 */
export function requireHighlighted(
  series: readonly ColoredSeries[],
  { highlight = [], fn }: Pick<Settings, "highlight" | "fn">,
  frame: DataFrame,
): void {
  const drawn = new Set(series.flatMap(seriesNames));
  const missing = highlight.filter((name) => !drawn.has(name));
  if (missing.length === 0) return;
  const known = new Set(textsIn(frame));
  const unknown = missing.length === highlight.length
    ? missing[0]
    : missing.find((name) => !isIn(known, name));
  if (unknown === undefined) return;
  const ids = series.flatMap((one) => one.folded ? [] : seriesNames(one).find((name) => name)!);
  const hint = hintOf(unknown, ids);
  const near = hint === "" ? "" : ` (nearest: ${hint})`;
  throw new RangeError(
    `${fn}: highlight: must name groups that are drawn${near}; got ${shown(unknown)}. ` +
      `Drawn: ${listed(ids, 24)}`,
  );
}
