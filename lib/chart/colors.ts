import { type SymbolName, SYMBOLS, theme } from "./theme.ts";

/**
 * Twelve colours after Okabe and Ito (2008) and Tol (2021), in an order that keeps all apart for the
 * colour-blind, and the first five in grey. Nothing rests on colour alone: lines carry markers and names.
 */
export const SERIES_COLORS = [
  "#0072b2",
  "#e69f00",
  "#332288",
  "#009e73",
  "#882255",
  "#d55e00",
  "#56b4e9",
  "#117733",
  "#cc79a7",
  "#661100",
  "#999933",
  "#24292f",
] as const;

/** What was folded together, and what is not highlighted. */
export const OTHER_COLOR = "#8b949e";

/** How strong a line is that is not highlighted. */
export const FAINT_OPACITY = 0.7;

/** From few to many, from the paper away: read by the colour-blind and in grey, as lightness runs steadily. */
export const SEQUENTIAL_COLORS = [
  "#e6f0f9",
  "#cde2f2",
  "#aed1e8",
  "#7db8da",
  "#4b98c9",
  "#2474b3",
  "#0b539a",
  "#0a3570",
] as const;

/** From loss to gain, with the middle near the paper; the text on the outer two of a side is `onFar`. */
export const DIVERGING_COLORS = [
  "#8c3a00",
  "#b85412",
  "#ec9f66",
  "#f8d9c0",
  "#f3f4f5",
  "#cbe0f1",
  "#85bbdd",
  "#1f6fb0",
  "#0a4a8c",
] as const;

/** The two sides of zero. */
export const GAIN_COLOR = "#0072b2";
export const LOSS_COLOR = "#d55e00";

/** For what has an order, such as cohorts: viridis from its middle on, earliest darkest. */
export const ORDERED_COLORS = [
  "#440154",
  "#443983",
  "#31688e",
  "#21918c",
  "#35b779",
  "#8fd744",
] as const;

/** The dark theme's colours for those of the light one. */
export const DARK: Readonly<Record<string, string>> = {
  [theme.ink]: "#e6edf3",
  [theme.muted]: "#9aa4af",
  [theme.faint]: "#3d444d",
  [theme.grid]: "#22282f",
  [theme.paper]: "#0d1117",
  [theme.onNear]: "#e6edf2",
  [theme.onFar]: "#0d1118",
  [theme.dark]: "#000001",
  [theme.light]: "#fffffd",
  [OTHER_COLOR]: "#6e7681",
  "#0072b2": "#91c4fc",
  "#e69f00": "#bba45d",
  "#332288": "#8f77fd",
  "#009e73": "#66ffbb",
  "#882255": "#b75365",
  "#d55e00": "#e95929",
  "#56b4e9": "#4190d8",
  "#117733": "#aeed8a",
  "#cc79a7": "#a9669f",
  "#661100": "#e09487",
  "#999933": "#fcd637",
  "#24292f": "#a6a9b0",
  "#e6f0f9": "#161f2b",
  "#cde2f2": "#162a40",
  "#aed1e8": "#173752",
  "#7db8da": "#1a456a",
  "#4b98c9": "#1f5684",
  "#2474b3": "#5b9fd0",
  "#0b539a": "#8cc1e4",
  "#0a3570": "#c3dff2",
  "#8c3a00": "#ffb98a",
  "#b85412": "#e28743",
  "#ec9f66": "#7a3c10",
  "#f8d9c0": "#452713",
  "#f3f4f5": "#191e24",
  "#cbe0f1": "#142c42",
  "#85bbdd": "#1b4f79",
  "#1f6fb0": "#5aa2d6",
  "#0a4a8c": "#a5d0ee",
};

function channels(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}

/** The colour at a place from 0 to 1 along a ramp. */
function along(ramp: readonly string[], place: number): string {
  const at = place * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  const [from, to] = [channels(ramp[low]!), channels(ramp[low + 1]!)];
  return `#${
    from.map((value, index) =>
      Math.round(value + (to[index]! - value) * (at - low)).toString(16).padStart(2, "0")
    ).join("")
  }`;
}

/** Which colour each id took when it was first drawn. */
const taken = new Map<string, number>();

/** Forgets which id has which colour: each test starts fresh. */
export function forgetColors(): void {
  taken.clear();
}

/** What gets a colour. */
export interface Series {
  /** By which it keeps its colour. */
  readonly id: string;
  readonly label: string;
  /** Whether it stands for those that were folded together. */
  readonly folded?: boolean;
}

/** How colours are given. */
interface ColorChoice {
  readonly colors?: Readonly<Record<string, string>> | undefined;
  readonly highlight?: readonly string[] | undefined;
  /** Along a ramp, where the order of the series means something. */
  readonly ordered?: boolean;
}

/** Whether a series is drawn in colour, where some are highlighted. */
export function isHighlighted({ id, label }: Series, highlight?: readonly string[]): boolean {
  return highlight === undefined || highlight.includes(id) || highlight.includes(label);
}

/**
 * A colour for each series: the one that the user chose; grey for what was folded or is not highlighted; along
 * a ramp where there is an order; else the one that its id has in every chart of this process. Where two ids of
 * one chart have the same, the later one takes the next that is free.
 */
export function seriesColors(
  series: readonly Series[],
  { colors = {}, highlight, ordered = false }: ColorChoice = {},
): string[] {
  const used = new Set<number>();
  const count = SERIES_COLORS.length;
  return series.map((one, index) => {
    const chosen = colors[one.id] ?? colors[one.label];
    if (chosen !== undefined) return chosen;
    if (one.folded || !isHighlighted(one, highlight)) return OTHER_COLOR;
    if (ordered) {
      return along(ORDERED_COLORS, series.length === 1 ? 1 : index / (series.length - 1));
    }
    if (!taken.has(one.id)) taken.set(one.id, taken.size);
    let at = taken.get(one.id)! % count;
    for (let tries = 0; used.has(at) && tries < count; tries++) at = (at + 1) % count;
    used.add(at);
    return SERIES_COLORS[at]!;
  });
}

/** How a series is drawn. */
export interface Drawn {
  readonly color: string;
  readonly symbol: SymbolName;
  /** Whether it is one of those that the others are only there to compare with. */
  readonly prominent: boolean;
}

/** Series with their colours and markers. */
export function drawnSeries<Each extends Series>(
  series: readonly Each[],
  choice: ColorChoice,
): (Each & Drawn)[] {
  const colors = seriesColors(series, choice);
  return series.map((one, index) => ({
    ...one,
    color: colors[index]!,
    symbol: SYMBOLS[index % SYMBOLS.length]!,
    prominent: isHighlighted(one, choice.highlight),
  }));
}
