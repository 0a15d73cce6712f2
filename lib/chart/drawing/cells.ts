import type { FigureRow } from "../chart.ts";
import { formatCount, formatterFor, type NumberFormat } from "../format.ts";
import type { FigureBody, Look } from "../look.ts";
import { rowLabels, textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { rowNames } from "./bars.ts";
import { changeSteps, type ColorStep, shareSteps, stepLegend, stepOf } from "./color_steps.ts";
import { type Markish, Plot, type PlotOptions } from "./observable_plot.ts";

/** A row of a table of colored cells. */
export interface CellRow {
  readonly label: string;
  /** A value for each column, or null. */
  readonly values: readonly (number | null)[];
  /** The number of users of the row. Null if unknown. */
  readonly size?: number | null;
  /** The column of the incomplete period. Null if all periods are complete. */
  readonly running?: number | null;
}

/** A table of colored cells: shares of cohorts by month, or changes over windows. */
export interface CellsPlan {
  readonly rows: readonly CellRow[];
  readonly columns: readonly string[];
  readonly kind: "shares" | "changes";
  /** Meaning of the colors. */
  readonly title: string;
  /** Title of the columns: `Months since the cohort began`. */
  readonly across?: string;
  /** Title of the rows: `Cohort`. */
  readonly down: string;
  /** The column with a bold heading. */
  readonly order?: number;
  /** Whether the first row is the average of all other rows. `observed` then has the number of users of each column. */
  readonly average?: boolean;
  readonly observed?: readonly (number | null)[];
  /** The column whose value is 1 by definition, such as month 0. The column is not colored. */
  readonly start?: number;
}

/** A colored cell. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  readonly value: number;
  readonly color: string;
  readonly ink: string;
  readonly step: ColorStep;
}

const BOTTOM = 4;
const OBSERVED = 22;

/** Returns the cells and the steps of their colors. The average and the start column do not influence the steps. */
export function cellsOf(plan: CellsPlan, locale: string): { cells: Cell[]; steps: ColorStep[] } {
  const { rows, kind, start, average = false } = plan;
  const fitted = rows.slice(average ? 1 : 0).flatMap(({ values }) =>
    values.flatMap((value, column) => column === start || value === null ? [] : [value])
  );
  const steps = kind === "shares" ? shareSteps(fitted, locale) : changeSteps(fitted, locale);
  const cells = rows.flatMap(({ values }, row) =>
    values.flatMap((value, column): Cell[] => {
      if (value === null) return [];
      const step = stepOf(steps, value);
      const neutral = column === start ? { color: theme.grid, ink: theme.onNear } : step;
      return [{ row, column, value, color: neutral.color, ink: neutral.ink, step }];
    })
  );
  return { cells, steps };
}

const PLAIN = { minimumFractionDigits: 0, maximumFractionDigits: 0 };
const FINE = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

/**
 * Returns number formats for shares, with the most precise format first. If most shares have two digits, the only
 * format is whole percentages.
 */
function shareFormats(values: readonly number[]): NumberFormat[] {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const digits = middle < 0.095 ? [FINE, PLAIN] : [PLAIN];
  return [
    ...digits.map((each) => ({ style: "percent" as const, ...each })),
    ...digits.map((each) => (value: number) =>
      (100 * value).toLocaleString("en-US", each).replace("-", "−")
    ),
  ];
}

/**
 * Returns the texts of the cells in the first format that fits, and their font size. Returns no texts if no format
 * fits.
 */
export function cellTexts(plan: CellsPlan, cells: readonly Cell[], look: Look, width: number) {
  const { kind, start } = plan;
  const { locale, format } = look;
  const values = cells.filter(({ column }) => column !== start).map(({ value }) => value);
  const unit = kind === "shares" ? "share" as const : "change" as const;
  const formats = format !== undefined ? [format] : kind === "shares" ? shareFormats(values) : [
    undefined,
    { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 0 } as const,
    (value: number) => {
      const percent = Math.round(100 * value);
      return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${Math.abs(percent)}`;
    },
  ];
  for (const size of [theme.label.size, 10]) {
    for (const format of formats) {
      const write = formatterFor(values, { unit, locale, format });
      const widest = Math.max(
        0,
        ...cells.map(({ value, column }) =>
          column === start ? 0 : textWidth(write(value), { size })
        ),
      );
      if (widest + 2 <= width) {
        // The text of month 0 is always 100%. It can be too wide although the other texts fit.
        const shows = ({ column, value }: Cell) =>
          column !== start || textWidth(write(value), { size }) + 2 <= width;
        return { write, size, shows, percent: write(0.5).includes("%") };
      }
    }
  }
  return null;
}

function headMarks(plan: CellsPlan, cell: number, sizeWidth: number): Markish[] {
  const { columns, across, down, order } = plan;
  const short = columns.some((name) => textWidth(name, theme.label) + 6 > cell);
  const names = short ? columns.map((name) => name.replace(/ days?/, "d")) : columns;
  const widest = Math.max(0, ...names.map((name) => textWidth(name, theme.label)));
  const step = Math.ceil((widest + 4) / cell);
  const shown = names.flatMap((name, column) =>
    column % step === 0 ? [{ name, column, bold: column === order }] : []
  );
  const head = { fill: theme.muted, frameAnchor: "top-left" as const, textAnchor: "end" as const };
  return [
    ...[true, false].map((bold) =>
      Plot.text(shown.filter((name) => name.bold === bold), {
        x: "column",
        text: "name",
        frameAnchor: "top",
        dy: -12,
        fill: across === undefined ? theme.ink : theme.muted,
        fontWeight: bold ? "bold" : "normal",
        ariaDescription: "column name",
      })
    ),
    Plot.text(across === undefined ? [] : [across], {
      frameAnchor: "top",
      dy: -30,
      fill: theme.muted,
    }),
    Plot.text(across === undefined ? [] : [down], { ...head, dy: -12, dx: -sizeWidth - 8 }),
    Plot.text(sizeWidth === 0 ? [] : ["Users"], { ...head, dy: -12, dx: -8 }),
  ];
}

/** Returns the number of users of each column as texts, as far as they fit, and the name of their row. */
export function observedTexts(observed: readonly (number | null)[], look: Look, size: {
  readonly cell: number;
  readonly left: number;
}) {
  const known = observed.flatMap((users, column) =>
    users === null ? [] : [{ column, text: formatCount(users, look.locale) }]
  );
  const widest = Math.max(0, ...known.map(({ text }) => textWidth(text, theme.label)));
  const step = Math.ceil((widest + 4) / size.cell);
  return {
    name: ["Users observed", "Users"]
      .find((name) => textWidth(name, theme.label) + 8 <= size.left) ?? "",
    // A number that is wider than its cell needs the space of its neighbors, so only every `step`-th number is drawn.
    texts: known.filter((_, index) => index % step === Math.floor(step / 2)),
  };
}

/** Draws the number of users of each column below the cells. */
function observedMarks({ name, texts }: ReturnType<typeof observedTexts>): Markish[] {
  const style = { fill: theme.muted, dy: 16 };
  return [
    Plot.text([name], { ...style, frameAnchor: "bottom-left", textAnchor: "end", dx: -8 }),
    Plot.text(texts, {
      ...style,
      x: "column",
      text: "text",
      frameAnchor: "bottom",
      ariaDescription: "users observed",
    }),
  ];
}

/** Returns the width at the left for names and, if it fits, for the number of users of each row. */
export function cellsLeft({ rows, down, across }: CellsPlan, look: Look) {
  const labels = rowLabels(rows.map(({ label }) => label), look.inner);
  const sizes = rows.map(({ size }) => size == null ? "–" : formatCount(size, look.locale));
  const widest = Math.max(...["Users", ...sizes].map((text) => textWidth(text, theme.label))) + 16;
  const sizeWidth = rows.some(({ size }) => size !== undefined) && look.inner >= 440 ? widest : 0;
  const head = across === undefined ? 0 : textWidth(down, theme.label) + 8;
  return { labels, sizes, sizeWidth, left: Math.max(labels.width, head) + sizeWidth };
}

function cellsPanel(plan: CellsPlan, cells: readonly Cell[], look: Look): {
  panel: PlotOptions;
  percent: boolean;
} {
  const { rows, columns, average = false, observed, across } = plan;
  const { labels, sizes, sizeWidth, left } = cellsLeft(plan, look);
  const width = look.inner;
  const cell = (width - left) / Math.max(columns.length, 1);
  const texts = cellTexts(plan, cells, look, cell);
  const top = across === undefined ? 24 : 40;
  const bottom = BOTTOM + (observed === undefined ? 0 : OBSERVED);
  const at = { x: "column", y: "row" };
  const running = rows.flatMap(({ running = null }, row) =>
    running !== null && running < columns.length ? [{ row, column: running }] : []
  );
  const panel: PlotOptions = {
    width,
    height: top + rows.length * labels.rowHeight + bottom,
    marginTop: top,
    marginLeft: left,
    marginRight: 0,
    marginBottom: bottom,
    x: { type: "band", domain: columns.map((_, column) => column), axis: null, padding: 0 },
    y: { type: "band", domain: rows.map((_, row) => row), axis: null, padding: 0 },
    marks: [
      ...headMarks(plan, cell, sizeWidth),
      rowNames(labels, sizeWidth + 8),
      Plot.text(sizeWidth === 0 ? [] : sizes, {
        y: (_: string, row: number) => row,
        frameAnchor: "left",
        textAnchor: "end",
        dx: -8,
        fill: theme.muted,
        ariaDescription: "size",
      }),
      Plot.cell(cells, { ...at, fill: "color", inset: 0.75, ariaDescription: "cell" }),
      Plot.cell(running, {
        ...at,
        fill: "none",
        stroke: theme.muted,
        strokeDasharray: "2 2",
        inset: 1.5,
        ariaDescription: "running month",
      }),
      ...observed === undefined ? [] : observedMarks(observedTexts(observed, look, { cell, left })),
      // Separates the average from the other rows.
      Plot.tickY(average ? [1] : [], {
        y: (row: number) => row,
        dy: -labels.rowHeight / 2,
        stroke: theme.muted,
        insetLeft: -left,
        ariaDescription: "apart",
      }),
      Plot.text(texts === null ? [] : cells.filter(texts.shows), {
        ...at,
        text: ({ value }: Cell) => texts!.write(value),
        fontSize: texts?.size ?? theme.label.size,
        fill: "ink",
        ariaDescription: plan.kind === "shares" ? "share" : "change",
      }),
    ],
  };
  return { panel, percent: texts?.percent ?? true };
}

/** Returns the format of the edges: whole percentages, except for the finest steps. */
function edgeFormat(least: number): NumberFormat {
  const maximumFractionDigits = least < 0.01 ? 1 : 0;
  return { style: "percent", signDisplay: "exceptZero", maximumFractionDigits };
}

function rowsOf({ rows, columns, down, kind }: CellsPlan): FigureRow[] {
  const name = down.toLowerCase();
  if (kind === "changes") {
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

/** Draws a table of colored cells below the legend of its colors. */
export function cellsFigure(plan: CellsPlan, look: Look): FigureBody {
  const { cells, steps } = cellsOf(plan, look.locale);
  const { panel, percent } = cellsPanel(plan, cells, look);
  const edges = steps.map(({ from }) => from).filter(Number.isFinite);
  const unit = plan.kind === "shares" ? "share" as const : "change" as const;
  const least = Math.min(...edges.map(Math.abs).filter((edge) => edge > 0));
  const write = formatterFor(edges, {
    unit,
    locale: look.locale,
    ...plan.kind === "changes" ? { format: edgeFormat(least) } : {},
  });
  const title = percent ? plan.title : `${plan.title} (%)`;
  return {
    rows: rowsOf(plan),
    panels: [stepLegend(steps, { width: look.inner, title, write }), panel],
  };
}
