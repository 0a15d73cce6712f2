import { type SymbolName, SYMBOLS, theme } from "./theme.ts";

/** A color in the light theme, and its counterpart in the dark theme. */
type Hue = readonly [light: string, dark: string];

const SERIES: readonly Hue[] = [
  ["#7a558c", "#d4bbfd"],
  ["#2f887e", "#197652"],
  ["#8f214c", "#ffaacc"],
  ["#1f3f11", "#62b37f"],
  ["#709e63", "#bee294"],
  ["#948bbf", "#8b97fc"],
  ["#790182", "#9f527b"],
  ["#a75250", "#ce2610"],
  ["#9b58fc", "#9e76b8"],
  ["#ab8316", "#dccf15"],
  ["#5727ed", "#8848d3"],
  ["#5c5f07", "#879847"],
];

/**
 * Twelve colors for entities, chosen by a computer search. The CIEDE2000 difference between any two colors is at least
 * 15 with normal color vision, and at least 10 with deuteranopia, protanopia or tritanopia (Machado, Oliveira and
 * Fernandes 2009, severity 1). Each color has a contrast of at least 3:1 to the page. Each color and its counterpart in
 * the dark theme differ in hue by at most 30 degrees. The first five colors can also be distinguished in grayscale.
 */
export const SERIES_COLORS: readonly string[] = SERIES.map(([light]) => light);

/** Color of bars, points and lines whose color does not depend on an entity. */
export const SLATE = "#4b5a6b";

/** Color of combined groups, and of groups that are not highlighted. */
export const OTHER_COLOR = "#8b949e";

/** Opacity of lines that are not highlighted. */
export const FAINT_OPACITY = 0.7;

const SEQUENTIAL: readonly Hue[] = [
  ["#eaf2fe", "#1b2232"],
  ["#c1d7f6", "#273758"],
  ["#99bceb", "#324f7d"],
  ["#70a2dd", "#3f68a1"],
  ["#5089ce", "#5082c3"],
  ["#356eb7", "#689ddf"],
  ["#22549a", "#8bb7f1"],
  ["#163c79", "#b3d2fb"],
];

/** Sequential colors in even steps of lightness. The first color is near the page color. */
export const SEQUENTIAL_COLORS: readonly string[] = SEQUENTIAL.map(([light]) => light);

const DIVERGING: readonly Hue[] = [
  ["#813101", "#f4aa6a"],
  ["#af5918", "#cd7b3b"],
  ["#cc8c54", "#9b5525"],
  ["#e3c09e", "#62361e"],
  ["#f2f4f5", "#1d2024"],
  ["#b2c9eb", "#28436d"],
  ["#729edf", "#326bae"],
  ["#3874c3", "#5b95da"],
  ["#004c97", "#98bff2"],
];

/** Diverging colors from loss to gain, in even steps of lightness on both sides. The middle is near the page color. */
export const DIVERGING_COLORS: readonly string[] = DIVERGING.map(([light]) => light);

/** Color for values above zero. `LOSS_COLOR` is for values below zero. */
export const GAIN_COLOR = "#0072b2";
export const LOSS_COLOR = "#d55e00";

/**
 * Colors for ordered groups such as cohorts. The color of the earliest group is the darkest. Each color has a contrast
 * of at least 3:1 to the page.
 */
export const ORDERED_COLORS = [
  "#440154",
  "#45267a",
  "#3e4888",
  "#2e6690",
  "#24848e",
  "#3ca055",
] as const;

/** Grays for ordered groups that are not highlighted. The gray of the earliest group is nearest to the page color. */
const ORDERED_GRAYS = ["#8b9299", "#767e87", "#616a74", "#4c5560", "#38424d"] as const;

/** The color of the dark theme for each color of the light theme. */
export const DARK: Readonly<Record<string, string>> = {
  [theme.ink]: "#e6edf3",
  [theme.muted]: "#9aa4af",
  [theme.faint]: "#3d444d",
  [theme.grid]: "#22282f",
  [theme.paper]: "#0d1117",
  [theme.onNear]: "#fbfcfe",
  [theme.onFar]: "#020306",
  [theme.dark]: "#000001",
  [theme.light]: "#fffffd",
  [OTHER_COLOR]: "#6e7681",
  "#8b9299": "#626a73",
  "#767e87": "#7b838c",
  "#616a74": "#949ca5",
  "#4c5560": "#aeb6bf",
  "#38424d": "#c9d1d9",
  [SLATE]: "#a3b1c2",
  "#0072b2": "#91c4fc",
  "#d55e00": "#e95929",
  ...Object.fromEntries([...SERIES, ...SEQUENTIAL, ...DIVERGING]),
};

/** Returns the color at a position from 0 to 1 along a ramp. */
function along(ramp: readonly string[], place: number): string {
  const at = place * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const channels = [1, 3, 5].map((start) => {
    const [from, to] = [ramp[low]!, ramp[low + 1]!]
      .map((color) => Number.parseInt(color.slice(start, start + 2), 16));
    return Math.round(from! + (to! - from!) * (at - low)).toString(16).padStart(2, "0");
  });
  return `#${channels.join("")}`;
}

/** The slot (index of the color) that `setColors` assigned to each id. */
let fixed: ReadonlyMap<string, number> = new Map();

/**
 * Returns the slot (index of the color) of an id. If `setColors` assigned no slot, the slot is computed from a hash of
 * the id (FNV-1a, 32 bits).
 */
function slotOf(id: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(id)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return fixed.get(id) ?? (hash >>> 0) % SERIES_COLORS.length;
}

/**
 * Fixes the colors of ids in all charts drawn later: the first id gets the first of twelve colors, and so on. Without
 * fixed colors, an id can have different colors in two charts: if another id of a chart already has its color, the id
 * gets the next free color. An empty list removes the fixed colors.
 *
 * @example
 * ```ts
 * import { colorOf, setColors } from "@chainframe/chainframe";
 *
 * setColors(["alder", "basalt"]);
 * console.log(colorOf("alder")); // #1f3f11
 * setColors([]);
 * ```
 *
 * @throws {TypeError} when `ids` is not a list of strings.
 * @category Charts
 */
export function setColors(ids: readonly string[]): void {
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
    throw new TypeError(`setColors: ids: must be a list of texts; got ${typeof ids}`);
  }
  fixed = new Map(ids.map((id, index) => [id, index % SERIES_COLORS.length]));
}

/**
 * Returns the color of an id, as `"#rrggbb"`: the color fixed by `setColors`, or else one of twelve colors, chosen by a
 * hash of the id. If two ids of a chart have the same hash color, the chart draws the second id in alphabetical order
 * in the next free color.
 *
 * @example
 * ```ts
 * import { colorOf } from "@chainframe/chainframe";
 *
 * console.log(colorOf("alder"), colorOf("alder", { theme: "dark" }));
 * ```
 *
 * @category Charts
 */
export function colorOf(
  id: string,
  { theme: look = "light" }: { readonly theme?: "light" | "dark" } = {},
): string {
  const light = id === "" ? SLATE : SERIES_COLORS[slotOf(id)]!;
  return look === "dark" ? DARK[light]! : light;
}

/** A group that gets a color. */
export interface Series {
  /** The id from which the color is derived. */
  readonly id: string;
  readonly label: string;
  /** Whether this group is the sum of the groups that are not drawn separately. */
  readonly folded?: boolean;
}

/** Options for assigning colors. */
interface ColorChoice {
  readonly colors?: Readonly<Record<string, string>> | undefined;
  readonly highlight?: readonly string[] | undefined;
  /** Whether the series have an order, which a color ramp shows. */
  readonly ordered?: boolean;
  /** Whether to draw all series in slate, in place of the colors of their ids. */
  readonly slate?: boolean;
}

/**
 * Returns a name without the Unicode characters that isolate its text direction, because names in options do not have
 * these characters.
 */
function bareName(name: string): string {
  return name.replace(/^\u2068|\u2069$/g, "");
}

/** Returns whether a series is drawn in color when some series are highlighted. */
function isHighlighted({ id, label }: Series, highlight?: readonly string[]): boolean {
  if (highlight === undefined) return true;
  const names = [id, label].flatMap((name) => [name, bareName(name)]);
  return names.some((name) => highlight.includes(name));
}

let drawnIds: Set<string> | undefined;

/** Runs `draw`. While `draw` runs, each id that gets its own color is added to `ids`. */
export function collectIds<Drawing>(ids: Set<string> | undefined, draw: () => Drawing): Drawing {
  drawnIds = ids;
  try {
    return draw();
  } finally {
    drawnIds = undefined;
  }
}

/** Returns the slot of an id. If this slot is used, returns the next free slot. */
function freeSlot(id: string, used: ReadonlySet<number>): number {
  const count = SERIES_COLORS.length;
  const first = slotOf(id);
  const tries = Array.from({ length: count }, (_, step) => (first + step) % count);
  return tries.find((slot) => !used.has(slot)) ?? first;
}

/**
 * Returns the distinct ids in the order in which colors are assigned. Ids with a fixed color come first, in
 * alphabetical order. Then come all other ids, in alphabetical order.
 */
function inOrder(ids: Iterable<string>): string[] {
  const order = (id: string) => fixed.has(id) ? 0 : 1;
  return [...new Set(ids)].toSorted((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
}

/**
 * Returns one color for each id that occurs in the charts. Two ids that occur in the same chart get different colors,
 * as long as there are enough colors.
 */
export function sharedColors(charts: readonly ReadonlySet<string>[]): Record<string, string> {
  const slots = new Map<string, number>();
  for (const id of inOrder(charts.flatMap((ids) => [...ids]))) {
    const beside = charts.filter((ids) => ids.has(id)).flatMap((ids) => [...ids]);
    slots.set(id, freeSlot(id, new Set(beside.flatMap((other) => slots.get(other) ?? []))));
  }
  return Object.fromEntries([...slots].map(([id, slot]) => [id, SERIES_COLORS[slot]!]));
}

/**
 * Returns a color for each series, by the first rule that applies:
 *
 * - the color chosen by the caller
 * - gray if the series is combined or not highlighted; if the series are ordered, each has its own gray
 * - a color of the ramp if the series are ordered
 * - slate if the series has no id, or if the option `slate` is set
 * - the color of the id, or the next free color; colors are assigned to ids in alphabetical order
 */
export function seriesColors(
  series: readonly Series[],
  { colors = {}, highlight, ordered = false, slate = false }: ColorChoice = {},
): string[] {
  const chosen = ({ id, label }: Series) => colors[id] ?? colors[label] ?? colors[bareName(label)];
  const slots = new Map<string, number>();
  const ids = series.filter((one) => chosen(one) === undefined && !one.folded).map(({ id }) => id);
  for (const id of inOrder(ids)) {
    slots.set(id, freeSlot(id, new Set(slots.values())));
    if (id !== "") drawnIds?.add(id);
  }
  return series.map((one, index) => {
    const own = chosen(one);
    if (own !== undefined) return own;
    const place = series.length === 1 ? 1 : index / (series.length - 1);
    if (one.folded || !isHighlighted(one, highlight)) {
      return ordered ? ORDERED_GRAYS[Math.round(place * (ORDERED_GRAYS.length - 1))]! : OTHER_COLOR;
    }
    if (ordered) return along(ORDERED_COLORS, place);
    return slate || one.id === "" ? SLATE : SERIES_COLORS[slots.get(one.id)!]!;
  });
}

/** The color and the marker with which a series is drawn. */
export interface Drawn {
  readonly color: string;
  readonly symbol: SymbolName;
  /** False if the series is drawn only for comparison. */
  readonly highlighted: boolean;
}

/** Adds colors and markers to series. */
export function drawnSeries<Each extends Series>(
  series: readonly Each[],
  choice: ColorChoice,
): (Each & Drawn)[] {
  const colors = seriesColors(series, choice);
  return series.map((one, index) => ({
    ...one,
    color: colors[index]!,
    symbol: SYMBOLS[index % SYMBOLS.length]!,
    highlighted: isHighlighted(one, choice.highlight),
  }));
}
