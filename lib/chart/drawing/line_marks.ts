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
  /** The marker of the line, as a symbol name of Plot. */
  readonly symbol?: "circle" | "square" | "triangle" | "diamond" | "cross" | "wye" | "star";
  /** Whether another line has the same color. The line is then dashed, and its markers are hollow. */
  readonly twin?: boolean;
  /** A text beside the point. */
  readonly text?: string;
}

/** Returns whether neither neighbor of a point has a value, so that no line leads to the point. */
export function isAlone(points: readonly { readonly y: number | null }[], at: number): boolean {
  return [points[at - 1], points[at + 1]].every((point) => (point?.y ?? null) === null);
}

/** Returns whether a point or one of its neighbors is incomplete, so that a dashed line leads to the point. */
export function isOpen(points: readonly { readonly complete: boolean }[], at: number): boolean {
  return [at - 1, at, at + 1].some((each) => points[each]?.complete === false);
}

/** Returns a key that identifies the line of a row. The key contains the name, because a line can have no id. */
export function lineOf({ id, label }: LineRow): string {
  return `${id}\n${label}`;
}

/** A line with more points than this has markers at its ends only. */
const MOST_MARKED = 12;
/** The distance of the markers of a long line whose color another line has. */
const SHARED_STEP = 6;

/** The dashes of a line whose color another line has. They are longer than those of incomplete periods. */
const TWIN_DASH = "9 3";

/**
 * Draws the lines of `series`. Lines are solid for complete periods. For incomplete periods, lines are dashed and end
 * with a hollow marker. A null makes a gap. Colors come from the rows.
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
     * Whether lines have markers: at every point, or, if there are more than 12 points, at both ends and, if another line
     * has the same color, at every sixth point. Isolated points and incomplete periods always have a marker, unless the
     * line is faint.
     * @default {true}
     */
    readonly dots?: boolean;
  } = {},
): Markish {
  const { strokeWidth = 2, strokeOpacity = 1, curve = "linear", dots = true } = options;
  const style = { x: "x", y: "y", z: lineOf, stroke: "color", strokeWidth, strokeOpacity, curve };
  const lines = [...Map.groupBy(rows, lineOf).values()];
  const open = lines.filter((line) => line.some(({ complete }) => !complete));
  const single = strokeWidth > 1 && curve === "linear";
  const colors = Map.groupBy(lines, ([row]) => row!.color);
  const marked = lines.flatMap((line) => {
    const known = line.filter(({ y }) => y !== null);
    const every = known.length <= MOST_MARKED
      ? 1
      : colors.get(line[0]!.color)!.length > 1
      ? SHARED_STEP
      : Infinity;
    const ends = [known[0], known.at(-1)];
    return line.filter((row, at) =>
      row.y !== null &&
      (dots && (at % every === 0 || ends.includes(row)) ||
        single && (!row.complete || isAlone(line, at)))
    );
  });
  const dot = { x: "x", y: "y", symbol: (row: LineRow) => row.symbol ?? "circle", r: 3 };
  const hollow = { ...dot, fill: theme.paper, stroke: "color", strokeWidth: 1.5 };
  const settled = rows.map((row) => row.complete ? row : { ...row, y: null });
  return Plot.marks(
    [false, true].map((twin) =>
      Plot.line(settled.filter((row) => (row.twin ?? false) === twin), {
        ...style,
        ...twin ? { strokeDasharray: TWIN_DASH } : {},
        ariaDescription: "line",
      })
    ),
    Plot.line(
      open.flatMap((line) => line.map((row, at) => isOpen(line, at) ? row : { ...row, y: null })),
      { ...style, strokeDasharray: "4 3", ariaDescription: "not complete" },
    ),
    Plot.dot(marked.filter(({ complete, twin }) => complete && !twin), {
      ...dot,
      fill: "color",
      ariaDescription: "value",
    }),
    Plot.dot(marked.filter(({ complete, twin }) => complete && twin), {
      ...hollow,
      ariaDescription: "value",
    }),
    Plot.dot(marked.filter(({ complete }) => !complete), {
      ...hollow,
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
    ariaDescription: "forecast",
  });
}
