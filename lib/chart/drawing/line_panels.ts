import { OTHER_COLOR } from "../colors.ts";
import { range } from "../d3.ts";
import { extentOf } from "../extent.ts";
import { numbersOf } from "../numbers.ts";
import type { Look } from "../look.ts";
import { daysText } from "../periods.ts";
import { hasForecast, largest, lastValue, type Line, pointsOf } from "../read/lines.ts";
import { inSentence, joined } from "../words.ts";
import { type Axis, isCut, placeOn } from "./axes.ts";
import { DENSE, isDense, isThinned, THINNED } from "./density.ts";
import { gapNote, missingIn } from "./gaps.ts";
import { type DrawnLine, lineAxes, linePlaces, type LinesPlan } from "./line_plan.ts";
import type { PlotOptions } from "./observable_plot.ts";
import { lineMarks } from "./panel_lines.ts";
import { planeOf } from "./plane.ts";
import { referenceText } from "./reference_line.ts";

const MARGINS = { top: 9, bottom: 40, right: 8 };
/** The space below a panel that has another panel below it. The page adds 8 pixels. */
const BETWEEN = 16;
/** The space between two panels. Panels that share an axis have room for half a label of each horizontal axis. */
const GAPS = { shared: 28, own: 20 };
/** The width of the smallest panel without its vertical axis, in pixels, if panels share the axis or have their own. */
const NARROWEST = { shared: 108, own: 74 };
/** Maximum number of panels in a row. */
const MOST_COLUMNS = 5;
/** Lines that use less than this part of a shared axis are flat. */
const FLAT = 0.15;

/** Returns whether at least half of the lines would be flat on a shared axis, but for a tenth of their values at each end. */
function areFlat(lines: readonly DrawnLine[], axis: Axis): boolean {
  const flat = lines.filter(({ points }) => {
    const places = points.flatMap(({ y }) => y === null ? [] : [placeOn(axis, y)])
      .toSorted((a, b) => a - b);
    const cut = Math.floor(places.length / 10);
    return (places.at(-1 - cut) ?? 0) - (places[cut] ?? 0) < FLAT;
  });
  return flat.length >= lines.length / 2;
}

/**
 * Returns the number of columns: as few rows as possible, of about equal length, and no row of a single panel. `widest` and
 * `narrowest` are the numbers of panels of those widths that a row has room for.
 */
function columnsFor(count: number, widest: number, narrowest: number): number {
  const most = (room: number) => Math.max(1, Math.min(MOST_COLUMNS, room, count));
  const possible = most(widest);
  const even = Math.ceil(count / Math.ceil(count / possible));
  const isSingle = (columns: number) => count > columns && count % columns === 1;
  const options = [even, ...range(possible, 1, -1), ...range(possible + 1, most(narrowest) + 1)];
  return options.find((columns) => columns > 1 && !isSingle(columns)) ?? even;
}

/** Returns the plan of panels with shared axes, or with axes of their own. */
function planOf(given: LinesPlan, own: boolean): LinesPlan {
  // Own scales are linear, because one value is rarely many times another one of the same line.
  const { scale = "auto" } = given.y;
  return {
    ...given,
    y: { ...given.y, scale: own && scale === "auto" ? "linear" : scale },
    // The names of panels have the place of the names of vertical lines.
    rules: given.rules?.map((rule) => rule.x === undefined ? rule : { ...rule, label: "" }) ?? [],
  };
}

/** Returns the sizes of panels, largest line first, and whether each has its own scale. */
function sizesOf(given: LinesPlan, look: Look, lines: readonly DrawnLine[]) {
  const { panels } = given;
  const own = panels === "own" ||
    panels === "auto" && areFlat(lines, lineAxes(given, look, lines).y.axis);
  const plan = planOf(given, own);
  const inside = Math.max(84, Math.min(120, (look.height ?? 400) * 0.3));
  const sizeOf = (some: readonly DrawnLine[], zero = plan.y.zero ?? false) => {
    const { x, y } = lineAxes({ ...plan, y: { ...plan.y, zero } }, look, some);
    return {
      ...MARGINS,
      x: { ...x, name: "" },
      y,
      height: MARGINS.top + inside + MARGINS.bottom,
      most: 4,
    };
  };
  const shared = sizeOf(lines);
  const { kept } = largest(lines, {
    limit: Infinity,
    sizeOf: plan.ordered ? () => 0 : lastValue,
  });
  // All panels begin at zero, or none does.
  const zero = kept.map((line) => sizeOf([line])).some(({ y: { axis } }) => !isCut(axis));
  const sizes = kept.map((line) => own ? { ...sizeOf([line], zero), x: shared.x } : shared);
  return { own, plan, kept, sizes };
}

/**
 * Draws one panel per line, starting with the largest line. Panels that share a vertical axis have it at the left of
 * each row. Only the lowest panel of a column has the labels of the horizontal axis.
 */
export function linePanels(given: LinesPlan, look: Look, all: readonly DrawnLine[]) {
  const lines = all.filter(({ of }) => of === undefined);
  const { own, plan, kept, sizes } = sizesOf(given, look, lines);
  const planes = sizes.map((size) => planeOf({ ...size, width: look.inner }));
  const room = Math.max(...planes.map(({ left }) => left));
  const first = own ? 0 : room;
  const gap = own ? GAPS.own : GAPS.shared;
  const narrowest = own ? NARROWEST.own + room : NARROWEST.shared;
  const fitting = (width: number) => Math.floor((look.inner - first + gap) / (width + gap));
  const smallest = NARROWEST.own + (own ? room : 0);
  const columns = columnsFor(lines.length, fitting(narrowest), fitting(smallest));
  const body = (look.inner - first - gap * (columns - 1)) / columns;
  const last = lastValues(plan, look, lines);
  const drawn = kept.map((line, index) => {
    const size = sizes[index]!;
    const bare = !own && index % columns > 0;
    const width = bare || own ? body : body + room;
    const isLowest = index >= kept.length - columns;
    // A panel above the free place of a last row has its labels there.
    const isLast = index >= kept.length - (kept.length % columns || columns);
    const short = isLast ? {} : { bottom: BETWEEN, height: size.height - MARGINS.bottom + BETWEEN };
    const x = { ...size.x, hidden: !isLowest };
    const plane = planeOf({ ...size, ...short, x, width, left: room, bare });
    const others = plan.panels !== "behind" ? [] : lines.filter((other) => other !== line)
      .map((other) => ({ ...other, color: OTHER_COLOR, highlighted: false, plain: true }));
    const members = [{ ...line, highlighted: true }, ...all.filter(({ of }) => of === line.id)];
    const panel: PlotOptions = {
      ...plane.panel(lineMarks([...others, ...members], plan, plane), line.label),
      subtitle: last.textOf(line),
    };
    return { panel, plane, line };
  });
  const cut = own && sizes.some(({ y: { axis } }) => isCut(axis));
  const { name, months = false } = plan.x;
  const [start] = extentOf(linePlaces(lines));
  const dense = drawn.some(({ plane, line }) => isDense([line], plan, plane));
  const references =
    plan.rules?.flatMap(({ reference, y, label }) =>
      reference && y !== undefined
        ? [`line: ${referenceText({ label, value: y }, sizes[0]!.y.style)}`]
        : []
    ) ?? [];
  return {
    columns,
    gap,
    panels: drawn.map(({ panel }) => panel),
    axis: (own ? plan.y.name : planes[0]!.label) ?? "",
    said: joined([
      own ? `each panel has its own scale${cut ? ", which need not start at 0" : ""}` : "",
      joined([inSentence(name), months ? `from month ${start}` : ""], ", "),
      hasForecast(lines) ? "dashed: forecast, after the last observed month" : "",
      dense ? DENSE : "",
      ...references,
      last.place === "" ? "" : `values: ${last.place}`,
    ]),
    notes: [
      ...gapNote(missingIn(lines), lines, plan.empty),
      ...drawn.some(({ plane, line }) => isThinned([line], plane)) ? [THINNED] : [],
    ],
  };
}

/**
 * Returns a function that writes the value of a line at the last position that is complete for all lines. Also returns
 * the name of this position.
 */
function lastValues(
  { y, x, ordered }: LinesPlan,
  { locale, format }: Look,
  lines: readonly Line[],
) {
  const known = pointsOf(lines).filter(({ y }) => y !== null);
  const at = [...Map.groupBy(known, ({ x }) => x)]
    // The lines of cohorts end in different months.
    .filter(([, points]) =>
      points.every(({ complete }) => complete) && (!ordered || points.length === lines.length)
    )
    .map(([x]) => x);
  const [, last] = extentOf(at);
  const valueOf = ({ points }: Line) => points.find(({ x }) => x === last)?.y ?? null;
  const write = numbersOf(lines.map(valueOf), { ...y, locale, format });
  const textOf = (line: Line) => {
    const value = x.dates || x.months ? valueOf(line) : null;
    return value === null ? "" : write(value);
  };
  const place = x.write?.(last) ??
    (x.dates ? daysText([last], locale) : x.months ? `month ${last}` : "");
  return { textOf, place: at.length === 0 ? "" : place };
}
