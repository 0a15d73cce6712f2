import { hintOf } from "../platform/check_options.ts";
import { listed, shown } from "../platform/terminal.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { Settings } from "./options.ts";
import { textValues } from "./read/rows.ts";
import { type ColoredSeries, seriesNames } from "./series_colors.ts";

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
  const texts = frame.columns.filter((column) => !frame.getColumn(column).isNumeric());
  const known = new Set(texts.flatMap((column) => textValues(frame, column)));
  const unknown = missing.length === highlight.length
    ? missing[0]
    : missing.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const ids = series.flatMap((one) => one.folded ? [] : seriesNames(one).find((name) => name)!);
  const hint = hintOf(unknown, ids);
  const near = hint === "" ? "" : ` (nearest: ${hint})`;
  throw new RangeError(
    `${fn}: highlight: must name groups that are drawn${near}; got ${shown(unknown)}. ` +
      `Drawn: ${listed(ids, 24)}`,
  );
}
