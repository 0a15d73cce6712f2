import type { Noun } from "../table/read/reading.ts";
import { chartColors } from "./color_registry.ts";
import {
  along,
  ORDERED_COLORS,
  ORDERED_GRAYS,
  OTHER_COLOR,
  SERIES_COLORS,
  SLATE,
} from "./colors.ts";

/** A group that gets a color. */
export interface ColoredSeries {
  /** The id from which the color is derived. */
  readonly id: string;
  readonly label: string;
  /** The column of the id. Undefined if the group has no id. */
  readonly kind?: string | undefined;
  /** The noun for the groups. */
  readonly noun?: Noun | undefined;
  /** Whether this group is the sum of the groups that are not drawn separately. */
  readonly folded?: boolean;
}

/** Options for assigning colors. */
interface ColorChoice {
  /** The colors chosen by the caller, by id or name. */
  readonly colors?: Readonly<Record<string, string>> | undefined;
  /** The colors of ids when the chart's function was called. */
  readonly own?: ReadonlyMap<string, string> | undefined;
  readonly highlight?: readonly string[] | undefined;
  /** Whether the series have an order, which a color ramp shows. */
  readonly ordered?: boolean;
  /** Whether to draw all series in slate, in place of the colors of their ids. */
  readonly slate?: boolean;
}

/** The color with which a series is drawn. */
export interface Drawn {
  readonly color: string;
  /** False if the series is drawn only for comparison. */
  readonly highlighted: boolean;
}

/**
 * Returns a name without the Unicode characters that isolate its text direction, because names in options do not have
 * these characters.
 */
function bareName(name: string): string {
  return name.replace(/^\u2068|\u2069$/g, "");
}

/** Returns the names by which options refer to a series. */
export function seriesNames({ id, label }: ColoredSeries): string[] {
  return [id, label].flatMap((name) => [name, bareName(name)]);
}

/** Returns whether a series is drawn in color when some series are highlighted. */
function isHighlighted(series: ColoredSeries, highlight?: readonly string[]): boolean {
  return highlight === undefined || seriesNames(series).some((name) => highlight.includes(name));
}

/** Returns the color that the caller chose for a series. */
function chosenFor({ id, label }: ColoredSeries, { colors = {} }: ColorChoice): string | undefined {
  // A group can have the name of a member of all objects, such as `constructor`.
  const name = [id, label, bareName(label)].find((each) => Object.hasOwn(colors, each));
  return name === undefined ? undefined : colors[name];
}

/** Returns the series that are drawn in the colors of their ids. */
export function coloredSeries(
  series: readonly ColoredSeries[],
  choice: Pick<ColorChoice, "colors" | "highlight">,
): ColoredSeries[] {
  return series.filter((one) =>
    one.id !== "" && !one.folded && isHighlighted(one, choice.highlight) &&
    chosenFor(one, choice) === undefined
  );
}

/** Returns the colors of series that are drawn in the colors of their ids. */
export function ownColors(colored: readonly ColoredSeries[]): Map<string, string> {
  const kinds = Map.groupBy(colored, ({ kind = "data_id" }) => kind);
  return new Map(
    [...kinds].flatMap(([kind, some]) => {
      const ids = some.map(({ id }) => id);
      const colors = chartColors(kind, ids);
      return ids.map((id, index) => [id, colors[index]!] as const);
    }),
  );
}

/**
 * Adds colors to series. The color of a series is determined by the first rule that applies:
 *
 * - the color chosen by the caller
 * - gray if the series is combined, not highlighted, or the 13th in color; if the series are ordered, each has its own gray
 * - a color of the ramp if the series are ordered
 * - slate if the series has no id, or if the option `slate` is set
 * - the registered color of the id
 */
export function drawnSeries<Each extends ColoredSeries>(
  series: readonly Each[],
  choice: ColorChoice = {},
): (Each & Drawn)[] {
  const { highlight, ordered = false, slate = false } = choice;
  const own = ordered || slate ? new Map() : choice.own ?? ownColors(coloredSeries(series, choice));
  let colored = 0;
  return series.map((one, index) => {
    const { id, folded = false } = one;
    const plain = ordered || slate || folded;
    const highlighted = isHighlighted(one, highlight) && (plain || colored < SERIES_COLORS.length);
    if (highlighted && !plain) colored++;
    const place = series.length === 1 ? 1 : index / (series.length - 1);
    const gray = ordered
      ? ORDERED_GRAYS[Math.round(place * (ORDERED_GRAYS.length - 1))]!
      : OTHER_COLOR;
    const color = chosenFor(one, choice) ??
      (folded || !highlighted
        ? gray
        : ordered
        ? along(ORDERED_COLORS, place)
        : own.get(id) ?? SLATE);
    return { ...one, color, highlighted };
  });
}
