import type { DataFrame } from "../table/columns/polars.ts";
import { DIVERGING_COLORS, OTHER_COLOR, SLATE } from "./colors.ts";
import type { PlotChart } from "./chart.ts";
import { readyChart } from "./ready_chart.ts";
import { drawnEvents, type EventOptions, someEvents } from "./event_lines.ts";
import { extentOf } from "./extent.ts";
import { daysText } from "./periods.ts";
import { type ChartOptions, chartSettings } from "./options.ts";
import { onlyGroup, readRecords } from "./read/rows.ts";
import { lastValue, type Line, pointsOf } from "./read/lines.ts";
import { countOf, joined, valueTexts } from "./words.ts";

const AGED = "aged out";

/** The parts of the change of users, from the axis outward. Gains are above the axis, losses below it. */
const PARTS = [
  { name: "new", label: "new", sign: 1, color: DIVERGING_COLORS[7]! },
  { name: "returned", label: "returned", sign: 1, color: DIVERGING_COLORS[5]! },
  { name: "lost", label: "lost", sign: -1, color: DIVERGING_COLORS[1]! },
  { name: "aged_out", label: AGED, sign: -1, color: OTHER_COLOR },
] as const;

/** The space for the labels of the vertical axes, and the height of the lower panel, in pixels. */
const [LEFT, LOW] = [56, 170];
const CHANGE = "Change of active users";

/**
 * Draws the result of `userFlows`: new and returned users above the axis, lost and aged out users below it, for each
 * calendar month. A panel below shows the change of `total` since the previous month, on its own scale. Aged out users
 * belong to cohorts that have no later values.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, plotUserFlows, retentionCurves, userFlows } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis({ project_ids: ["tidewater"] }));
 * console.log(plotUserFlows(userFlows(curves)));
 * ```
 *
 * @param frame a frame of `userFlows`, with one group
 * @throws {RangeError} when columns are missing, the frame holds several groups, or an option is out of range.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Charts
 */
export function plotUserFlows(
  frame: DataFrame,
  options: EventOptions & ChartOptions = {},
): PlotChart {
  const settings = chartSettings("plotUserFlows", options, { events: someEvents });
  const { fn, locale } = settings;
  const rows = readRecords(frame, {
    fn,
    source: "a frame of userFlows",
    dates: ["date"],
    numbers: [...PARTS.map(({ name }) => name), "total", "left_out"],
  }).toSorted((a, b) => a.date! - b.date!);
  const group = onlyGroup(frame, fn);
  const lineOf = (label: string, valueOf: (row: typeof rows[number]) => number | null): Line => ({
    id: "",
    label,
    points: rows.map((row) => ({ x: row.date!, y: valueOf(row), complete: true })),
  });
  const lines = PARTS.filter(({ name }) => rows.some((row) => row[name] !== null))
    .map(({ name, label, sign }) =>
      lineOf(label, (row) => row[name] === null ? null : sign * row[name])
    );
  // Of own cohorts, some part is often unknown, and the change is known.
  const total = lineOf(CHANGE, (row) => {
    const before = rows[rows.indexOf(row) - 1];
    const known = before !== undefined && row.left_out === 0 && before.left_out === 0 &&
      row.total !== null && before.total !== null;
    return known ? row.total! - before.total! : null;
  });
  const gaps = rows.filter(({ left_out }) => left_out! > 0).length;
  const events = drawnEvents(settings.events, extentOf(rows.map(({ date }) => date!)));
  return readyChart({
    again: plotUserFlows,
    frame,
    settings: {
      ...settings,
      colors: {
        ...Object.fromEntries(PARTS.map(({ label, color }) => [label, color])),
        [CHANGE]: SLATE,
        ...settings.colors,
      },
    },
    empty: pointsOf(lines).every(({ y }) => y === null),
    words: {
      what: joined(["Monthly active users gained and lost", group ?? ""], " by "),
      said: ["Users per month; below: the change of their number, with its own scale"],
      span: daysText(rows.map(({ date }) => date!), locale),
      kind: "Stacked bars, gains above the axis and losses below,",
      noun: "part",
      rows: valueTexts(lines, "count", lastValue),
      rowsAre: "in the last month",
      notes: [
        lines.some(({ label }) => label === AGED) &&
        "Aged out: users of cohorts that are no longer observed, not a loss.",
        gaps > 0 && `Cohorts without a value are left out in ${countOf(gaps, "month")}.`,
        events.note,
      ],
    },
    figure: (draw, look) => {
      const y = { unit: "count", name: "" } as const;
      const parts = draw.stacksFigure({ lines, y, left: LEFT, rules: events.rules }, look);
      // The upper panel has the names of the events.
      const rules = events.rules.map((event) => ({ ...event, label: "" }));
      const sums = draw.stacksFigure(
        { lines: [total], y, left: LEFT, rules },
        { ...look, height: LOW },
      );
      return total.points.every(({ y }) => y === null) ? parts : {
        ...parts,
        panels: [...parts.panels, ...sums.panels.map((panel) => ({ ...panel, title: CHANGE }))],
        rows: [...parts.rows, ...sums.rows],
      };
    },
  });
}
