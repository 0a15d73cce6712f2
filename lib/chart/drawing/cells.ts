import type { FigureRow } from "../chart.ts";
import { formatCount } from "../format.ts";
import { numbersOf } from "../numbers.ts";
import type { FigureBody, Look } from "../look.ts";
import { everyNth, rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { rowsPanel } from "./bars.ts";
import {
  CHANGE_STEPS,
  type ColorStep,
  growthSteps,
  largeChange,
  shareSteps,
  stepLegend,
  stepOf,
} from "./color_steps.ts";
import { type Markish, Plot } from "./observable_plot.ts";
import { frameText } from "./plane.ts";
import { type Tip, tipChannel } from "./tip.ts";

/** A row of a table of colored cells. */
export interface CellRow {
  readonly label: string;
  /** The value of each column. Null if it is missing. */
  readonly values: readonly (number | null)[];
  /** The number of users of the row. Null if unknown. */
  readonly size?: number | null;
  /** The number of users of each column. Null if unknown. */
  readonly sizes?: readonly (number | null)[];
}

/** A table of colored cells: shares of cohorts by month, or changes over windows. */
export interface CellsPlan {
  readonly rows: readonly CellRow[];
  readonly columns: readonly string[];
  readonly unit: "fraction" | "change";
  /** The meaning of the colors, as title of the legend. */
  readonly title: string;
  /** Title of the columns: `Months since the cohort began`. */
  readonly across?: string;
  /** Title of the rows: `Cohort`. */
  readonly down: string;
  /** The index of the column whose heading is bold. */
  readonly order?: number;
  /** Whether the first row is the average of all other rows. Its `sizes` are then written below the columns. */
  readonly average?: boolean;
  /** What the sizes of rows count: `Users`, or the unit of amounts. */
  readonly sizes?: string;
  /** The index of the column whose value is 1 by definition, such as month 0. This column is not colored. */
  readonly start?: number;
}

/** A colored cell. */
interface ColoredCell {
  readonly row: number;
  readonly column: number;
  readonly value: number;
  readonly color: string;
  readonly ink: string;
  readonly step: ColorStep;
}

const BOTTOM = 4;
const OBSERVED = 22;

/** Returns the cells, and the steps of the color scale. The average and the start column do not influence the steps. */
function coloredCells(
  plan: CellsPlan,
  locale: string,
): { cells: ColoredCell[]; steps: readonly ColorStep[] } {
  const { rows, columns, unit, start, average = false } = plan;
  const fitted = rows.slice(average ? 1 : 0).flatMap(({ values }) =>
    values.flatMap((value, column) => column === start || value === null ? [] : [value])
  );
  const isGrowing = fitted.some((value) => value > 1 + 1e-9);
  const steps = unit !== "fraction"
    ? CHANGE_STEPS
    : isGrowing
    ? growthSteps(fitted, locale)
    : shareSteps(fitted, locale);
  // A change over one day and a change over a year have different sizes, so each column has its own scale.
  const scales = columns.map((_, column) =>
    unit === "fraction" ? 1 : largeChange(rows.flatMap(({ values }) => values[column] ?? []))
  );
  const cells = rows.flatMap(({ values }, row) =>
    values.flatMap((value, column): ColoredCell[] => {
      if (value === null) return [];
      const step = stepOf(steps, value / scales[column]!);
      const neutral = column === start ? { color: theme.grid, ink: theme.onNear } : step;
      return [{ row, column, value, color: neutral.color, ink: neutral.ink, step }];
    })
  );
  return { cells, steps };
}

type WriteCell = (cell: ColoredCell) => string;

/**
 * Returns functions that write the numbers of cells, with the longest texts first: with and without decimals, with and
 * without `%`. Changes of a column belong together, and so do all shares.
 */
function writersOf(
  { unit, columns, start }: CellsPlan,
  cells: readonly ColoredCell[],
  { locale, format }: Look,
): WriteCell[] {
  const valuesIn = (column: number) =>
    cells.flatMap((cell) => unit === "fraction" || cell.column === column ? cell.value : []);
  const writer = (precision: "values" | "whole"): WriteCell => {
    const write = columns.map((_, column) =>
      numbersOf(column === start ? [1] : valuesIn(column), { unit, locale, format }, precision)
    );
    return ({ column, value }) => write[column]!(value);
  };
  if (format !== undefined) return [writer("values")];
  const sizes = cells.map(({ value }) => value).toSorted((a, b) => a - b);
  const middle = sizes[Math.floor(sizes.length / 2)] ?? 0;
  // If most shares are at least 10%, all shares are written as whole percentages.
  const most = unit === "fraction" && middle >= 0.095 ? [] : [writer("values")];
  return [...most, writer("whole")].flatMap((write): WriteCell[] => [
    write,
    (cell) => write(cell).replace(/\s?%/, ""),
  ]);
}

/**
 * Returns the function with the longest texts that fit in the cells, and the font size of the texts. Returns null if no
 * text fits.
 */
function cellTexts(
  plan: CellsPlan,
  cells: readonly ColoredCell[],
  look: Look,
  width: number,
) {
  const { start } = plan;
  const colored = cells.filter(({ column }) => column !== start);
  const writers = writersOf(plan, colored, look);
  for (const size of [theme.label.size, 10]) {
    for (const write of writers) {
      const fits = (cell: ColoredCell) => textWidth(write(cell), { size }) + 2 <= width;
      if (!colored.every(fits)) continue;
      // The share of month 0 is always 100%. It is written only once, if it fits.
      const shows = (cell: ColoredCell) => cell.column !== start || cell.row === 0 && fits(cell);
      const percent = cells.some((cell) => write(cell).includes("%"));
      return { write, size, shows, percent };
    }
  }
  return null;
}

/** Returns the names of columns, in two lines if one line is wider than a cell. */
function headsOf({ columns }: CellsPlan, cell: number): readonly string[] {
  const wide = columns.some((name) => textWidth(name, theme.label) + 6 > cell);
  return wide ? columns.map((name) => name.replace(" ", "\n")) : columns;
}

/**
 * Draws the names and the title of the columns. At the left, draws the headings of the cohorts and of their numbers of
 * users.
 */
function headMarks(plan: CellsPlan, cell: number, sizeWidth: number): Markish[] {
  const { columns, across, down, order } = plan;
  // The names of windows are all written, the names of months only where they fit.
  const step = across === undefined ? 1 : everyNth(columns, cell);
  const shown = headsOf(plan, cell).map((name, column) => ({ name, column }))
    .filter(({ column }) => column % step === 0);
  const texts = (keep: (column: number) => boolean, fontWeight: "bold" | "normal") =>
    Plot.text(shown.filter(({ column }) => keep(column)), {
      x: "column",
      text: "name",
      frameAnchor: "top",
      lineAnchor: "bottom",
      dy: -6,
      fill: across === undefined ? theme.ink : theme.muted,
      fontWeight,
      ariaDescription: "column name",
    });
  const left = { textAnchor: "end", dy: -12 } as const;
  return [
    texts((column) => column === order, "bold"),
    texts((column) => column !== order, "normal"),
    frameText(across ?? null, "top", { dy: -30 }),
    frameText(across === undefined ? null : down, "top-left", { ...left, dx: -sizeWidth - 8 }),
    frameText(sizeWidth === 0 ? null : plan.sizes ?? "Users", "top-left", { ...left, dx: -8 }),
  ];
}

/**
 * Returns the number of users of each column as text, and the name of the row that contains these texts. Texts that do
 * not fit are left out.
 */
function observedTexts({ rows: [first], sizes: named = "Users" }: CellsPlan, look: Look, size: {
  readonly cell: number;
  readonly left: number;
}) {
  const observed = first!.sizes!;
  const known = observed.flatMap((users, column) =>
    users === null ? [] : [{ column, text: formatCount(users, look.locale) }]
  );
  const step = everyNth(known.map(({ text }) => text), size.cell);
  return {
    name: [`${named} observed`, named]
      .find((name) => textWidth(name, theme.label) + 8 <= size.left) ?? "",
    // A number that is wider than its cell needs the space of its neighbors, so only every `step`-th number is drawn.
    texts: known.filter((_, index) => index % step === Math.floor(step / 2)),
  };
}

/**
 * Returns the width at the left for the names of the rows and, if the figure is wide enough, for the number of users of
 * each row.
 */
function cellsLeft({ rows, down, across, sizes: named = "Users" }: CellsPlan, look: Look) {
  const labels = rowLabels(rows.map(({ label }) => label), look.inner);
  const sizes = rows.map(({ size }) => size == null ? "–" : formatCount(size, look.locale));
  const widest = Math.max(...[named, ...sizes].map((text) => textWidth(text, theme.label))) + 16;
  const sizeWidth = rows.some(({ size }) => size !== undefined) && look.inner >= 440 ? widest : 0;
  const head = across === undefined ? 0 : textWidth(down, theme.label) + 8;
  return { labels, sizes, sizeWidth, left: Math.max(labels.width, head) + sizeWidth };
}

/** Returns a function that returns the tooltip of a cell. */
function tipsOf({ rows, columns, unit, sizes: named = "Users" }: CellsPlan, look: Look) {
  const write = numbersOf([], { ...look, unit }, "exact");
  return ({ row, column, value }: ColoredCell): Tip => {
    const { label, sizes = [] } = rows[row]!;
    const users = sizes[column] ?? null;
    const name = columns[column]!;
    return {
      title: label,
      at: unit === "fraction" ? `month ${name}` : name,
      values: {
        value: write(value),
        ...users !== null && {
          [named === "Users" ? "users observed" : `${named} observed`]: formatCount(
            users,
            look.locale,
          ),
        },
      },
    };
  };
}

function cellsPanel(plan: CellsPlan, cells: readonly ColoredCell[], look: Look) {
  const { rows, columns, average = false, across } = plan;
  const { labels, sizes, sizeWidth, left } = cellsLeft(plan, look);
  const width = look.inner;
  const cell = (width - left) / Math.max(columns.length, 1);
  const texts = cellTexts(plan, cells, look, cell);
  const at = { x: "column", y: "row" };
  const users = average ? observedTexts(plan, look, { cell, left }) : undefined;
  const { rowHeight } = labels;
  const panel = rowsPanel({ labels, count: rows.length, rowHeight, padding: sizeWidth + 8 }, {
    width,
    marginTop: across !== undefined
      ? 40
      : headsOf(plan, cell).some((name) => name.includes("\n"))
      ? 24 + theme.label.line
      : 24,
    marginBottom: BOTTOM + (users === undefined ? 0 : OBSERVED),
    marginLeft: left,
    marginRight: 0,
    x: { type: "band", domain: columns.map((_, column) => column), axis: null, padding: 0 },
    marks: [
      ...headMarks(plan, cell, sizeWidth),
      Plot.text(sizeWidth === 0 ? [] : sizes, {
        y: (_: string, row: number) => row,
        frameAnchor: "left",
        textAnchor: "end",
        dx: -8,
        fill: theme.muted,
        ariaDescription: "size",
      }),
      Plot.cell(cells, {
        ...at,
        fill: "color",
        inset: 0.75,
        channels: tipChannel(tipsOf(plan, look)),
        ariaDescription: "cell",
      }),
      frameText(users?.name ?? null, "bottom-left", { dy: 16, textAnchor: "end", dx: -8 }),
      Plot.text(users?.texts ?? [], {
        frameAnchor: "bottom",
        fill: theme.muted,
        dy: 16,
        x: "column",
        text: "text",
        ariaDescription: `${(plan.sizes ?? "users").toLowerCase()} observed`,
      }),
      // Separates the average from the other rows.
      Plot.tickY(average ? [1] : [], {
        y: (row: number) => row,
        dy: -rowHeight / 2,
        stroke: theme.muted,
        insetLeft: -left,
        ariaDescription: "apart",
      }),
      Plot.text(texts === null ? [] : cells.filter(texts.shows), {
        ...at,
        text: (cell: ColoredCell) => texts!.write(cell),
        fontSize: texts?.size ?? theme.label.size,
        fill: "ink",
        ariaDescription: plan.unit === "fraction" ? "share" : "change",
      }),
    ],
  });
  return { panel, percent: texts?.percent ?? true };
}

function rowsOf({ rows, columns, down, unit }: CellsPlan): FigureRow[] {
  const name = down.toLowerCase();
  if (unit === "change") {
    return rows.map(({ label, values }) => ({
      [name]: label,
      ...Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null])),
    }));
  }
  return rows.flatMap(({ label, values, size = null }) =>
    values.map((value, index) => ({
      [name]: label,
      month: Number(columns[index]),
      size,
      retention: value,
    }))
  );
}

/** Draws a legend of colors and, below the legend, a table of colored cells. */
export function cellsFigure(plan: CellsPlan, look: Look): FigureBody {
  const { cells, steps } = coloredCells(plan, look.locale);
  const { panel, percent } = cellsPanel(plan, cells, look);
  const title = percent ? plan.title : `${plan.title} (%)`;
  return {
    rows: rowsOf(plan),
    panels: [stepLegend(steps, { width: look.inner, title }), panel],
  };
}
