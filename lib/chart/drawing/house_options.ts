import { SEQUENTIAL_COLORS, SERIES_COLORS } from "../colors.ts";
import { numbersOf } from "../numbers.ts";
import { theme } from "../theme.ts";
import { Plot, type PlotOptions } from "./observable_plot.ts";

type Side = "x" | "y";

/** Numbers of this size have a letter, such as K. */
const LETTER_FROM = 1000;

function isNumeric(type: string | null | undefined): boolean {
  return /^(linear|pow|sqrt|log|symlog)$/.test(type ?? "");
}

/** Returns whether the caller draws the axis of a side, or leaves it out. */
function isOwn({ marks = [], ...options }: PlotOptions, side: Side): boolean {
  const given = (marks.flat(Infinity as 1) as ({ ariaLabel?: string } | null)[])
    .some((mark) => mark?.ariaLabel?.startsWith(`${side}-axis `));
  return given || options.axis === null || options[side]?.axis === null;
}

/** Returns the options of an axis: numbers with K, M and B, and no marks of ticks beside a grid. */
function sideOf(options: PlotOptions, plot: Plot.Plot, side: Side): Plot.ScaleOptions {
  const { type, domain = [] } = plot.scale(side) ?? {};
  const own = options[side] ?? {};
  if (isOwn(options, side)) return own;
  const large = isNumeric(type) &&
    [...domain].some((value) => Math.abs(Number(value)) >= LETTER_FROM);
  const style = { unit: "count", locale: "en-US" };
  const write = (tick: unknown) => numbersOf([Number(tick)], style, "each")(Number(tick));
  return {
    ...(side === "y" || !/^(utc|time)$/.test(type ?? "")) && { tickSize: 0 },
    ...large && { tickFormat: write },
    ...own,
  };
}

/** Returns the options of the color scale: the colors of chainframe's charts, unless the caller chose others. */
function colorOf({ color = {} }: PlotOptions, plot: Plot.Plot): Plot.ScaleOptions {
  const chosen = ["range", "scheme", "interpolate", "type"].some((name) => name in color);
  const type = plot.scale("color")?.type ?? "";
  if (chosen) return color;
  if (/^(ordinal|categorical)$/.test(type)) return { ...color, range: [...SERIES_COLORS] };
  return isNumeric(type)
    ? { ...color, range: [SEQUENTIAL_COLORS[1]!, SEQUENTIAL_COLORS.at(-1)!], interpolate: "rgb" }
    : color;
}

/**
 * Returns options of `Plot.plot` with the grid, the ticks, the numbers and the colors of chainframe's charts, where the
 * caller chose no others. `plot` is the drawing without them.
 */
export function houseOptions(options: PlotOptions, plot: Plot.Plot): PlotOptions {
  const grids = (["x", "y"] as const).filter((side) =>
    isNumeric(plot.scale(side)?.type) && !isOwn(options, side) &&
    options.grid === undefined && options[side]?.grid === undefined
  );
  const style = { stroke: theme.grid, strokeOpacity: 1 };
  return {
    ...options,
    x: sideOf(options, plot, "x"),
    y: sideOf(options, plot, "y"),
    ...plot.scale("color") !== undefined && { color: colorOf(options, plot) },
    marks: [
      ...grids.map((side) => side === "x" ? Plot.gridX(style) : Plot.gridY(style)),
      ...options.marks ?? [],
    ],
  };
}
