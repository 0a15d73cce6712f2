import { FAINT_OPACITY } from "../colors.ts";
import { theme } from "../theme.ts";
import { type Markish, Plot } from "./observable_plot.ts";

/** A point of a line, as returned by `series`. */
export interface LineRow {
  /** A date, or a number. */
  readonly x: Date | number;
  /** The value. Null if it is missing. */
  readonly y: number | null;
  /** The color of the line. */
  readonly color: string;
  /** The id of the line. */
  readonly id: string;
  /** The name of the line. */
  readonly label: string;
  /** Whether the period is over and fully covered by the data. */
  readonly complete: boolean;
  /** A text beside the point. */
  readonly text?: string;
}

/** The name of a line, and the tooltip of a point, as channels that Plot does not draw. */
const TIP_CHANNELS = { group: "label", tip: "tip" };

/** Returns whether neither neighbor of a point has a value, so that no line leads to the point. */
export function isAlone(points: readonly { readonly y: number | null }[], at: number): boolean {
  return [points[at - 1], points[at + 1]].every((point) => (point?.y ?? null) === null);
}

/** Returns a key that identifies the line of a row. The key contains the name, because a line can have no id. */
export function lineOf({ id, label }: LineRow): string {
  return `${id}\n${label}`;
}

/** Lines with more positions than this have no markers. */
const MOST_MARKED = 12;

/**
 * Draws the lines of `series` through complete periods. An incomplete period has a hollow marker (its value so far), and
 * no line leads to it. A null makes a gap. Colors come from the rows.
 *
 * @example
 * ```ts
 * import { pl } from "@chainframe/chainframe";
 * import { incompleteLine, series } from "@chainframe/chainframe/marks";
 *
 * const rows = series(pl.DataFrame({ month: [1, 2], fees: [10, 30] }), { field: "fees", x: "month" });
 * console.log(typeof incompleteLine(rows)); // object
 * ```
 *
 * @category Charts
 */
export function incompleteLine(
  rows: readonly LineRow[],
  options: {
    /**
     * The width of the lines in pixels.
     * @default {2}
     */
    readonly strokeWidth?: number;
    /**
     * The opacity of the lines, from 0 to 1.
     * @default {1}
     */
    readonly strokeOpacity?: number;
    /**
     * The interpolation between points, as a curve name of Plot.
     * @default {"linear"}
     */
    readonly curve?: "linear" | "bump-x" | "step-after";
    /**
     * Whether all lines have a marker at each point if there are at most 12 positions. Isolated points and incomplete
     * periods always have a marker, unless the line is faint.
     * @default {true}
     */
    readonly dots?: boolean;
  } = {},
): Markish {
  const { strokeWidth = 2, strokeOpacity = 1, curve = "linear", dots = true } = options;
  const settled = rows.map((row) => row.complete ? row : { ...row, y: null });
  const single = strokeWidth > 1 && curve === "linear";
  const lines = [...Map.groupBy(rows.keys(), (at) => lineOf(rows[at]!)).values()];
  const few = dots && new Set(rows.map(({ x }) => Number(x))).size <= MOST_MARKED;
  const marked = lines.flatMap((line) => {
    const points = line.map((at) => settled[at]!);
    return line.map((at) => rows[at]!).filter(({ y, complete }, at) =>
      y !== null && (few || single && (!complete || isAlone(points, at)))
    );
  });
  const dot = { x: "x", y: "y", r: 3, channels: { group: "label" } };
  return Plot.marks(
    Plot.line(settled, {
      x: "x",
      y: "y",
      z: lineOf,
      stroke: "color",
      strokeWidth,
      strokeOpacity,
      curve,
      channels: TIP_CHANNELS,
      ariaDescription: "line",
    }),
    Plot.dot(marked.filter(({ complete }) => complete), {
      ...dot,
      fill: "color",
      ariaDescription: "value",
    }),
    Plot.dot(marked.filter(({ complete }) => !complete), {
      ...dot,
      fill: theme.paper,
      stroke: "color",
      strokeWidth: 1.5,
      channels: TIP_CHANNELS,
      ariaDescription: "value, not complete",
    }),
  );
}

/** Draws the bounds of lines as areas. */
export function band(rows: readonly LineRow[], fillOpacity: number): Markish {
  return Plot.areaY(rows, {
    x: "x",
    z: lineOf,
    y1: "lower",
    y2: "upper",
    fill: "color",
    // A function, so that each band has its own opacity, which the dark theme changes.
    fillOpacity: () => fillOpacity,
    ariaDescription: "confidence band",
  });
}

interface Prediction {
  readonly predicted?: number | null;
  readonly highlighted?: boolean;
  readonly tip?: unknown;
}

/** Draws the predictions of a model as dashed lines that begin at the last observed point of each line. */
export function forecastLine(
  rows: readonly (LineRow & Prediction)[],
): Markish {
  const seen = new Map(
    rows.filter(({ y }) => y !== null).map((row) => [lineOf(row), Number(row.x)] as const),
  );
  const ahead = rows.filter((row) =>
    (row.predicted ?? null) !== null && Number(row.x) >= (seen.get(lineOf(row)) ?? -Infinity)
  );
  return Plot.line(ahead, {
    x: "x",
    z: lineOf,
    y: "predicted",
    stroke: "color",
    strokeWidth: 1.5,
    strokeOpacity: ({ highlighted = true }: Prediction) => highlighted ? 1 : FAINT_OPACITY,
    strokeDasharray: "5 3",
    channels: {
      group: "label",
      tip: ({ y, tip }: Prediction & LineRow) => y === null ? tip : null,
    },
    ariaDescription: "forecast",
  });
}
