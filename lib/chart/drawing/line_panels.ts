import { OTHER_COLOR } from "../colors.ts";
import { numbersOf } from "../numbers.ts";
import type { Look } from "../look.ts";
import { daysText } from "../periods.ts";
import { hasForecast, largest, lastValue, type Line, pointsOf } from "../read/lines.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { isCut } from "./axes.ts";
import { type DrawnLine, lineAxes, linePlaces, type LinesPlan } from "./line_plan.ts";
import type { PlotOptions } from "./observable_plot.ts";
import { lineMarks } from "./panel_lines.ts";
import { frameText, planeOf } from "./plane.ts";

const MARGINS = { top: 10, bottom: 34, right: 8 };
const GAP = 20;
/** The width of the smallest panel without its vertical axis, in pixels, if panels share the axis or have their own. */
const NARROWEST = { shared: 108, own: 88 };
/** The height of a value below the name of a panel, in pixels. */
const VALUE = 14;
/** Maximum number of panels in a row. */
const MOST_COLUMNS = 5;

/**
 * Draws one panel per line, starting with the largest line. Panels that share a vertical axis have it at the left of
 * each row.
 */
export function linePanels(given: LinesPlan, look: Look, all: readonly DrawnLine[]) {
  const lines = all.filter(({ of }) => of === undefined);
  const inside = Math.max(84, Math.min(120, (look.height ?? 400) * 0.3));
  const own = given.panels === "own";
  // Own scales are linear, because one value is rarely many times another one of the same line.
  const { scale = "auto" } = given.y;
  const plan: LinesPlan = {
    ...given,
    y: { ...given.y, scale: own && scale === "auto" ? "linear" : scale },
    // The names of panels have the place of the names of vertical lines.
    rules: given.rules?.map((rule) => rule.x === undefined ? rule : { ...rule, label: "" }) ?? [],
  };
  const height = MARGINS.top + inside + MARGINS.bottom;
  const sizeOf = (some: readonly DrawnLine[], zero = plan.y.zero ?? false) => {
    const { x, y } = lineAxes({ ...plan, y: { ...plan.y, zero } }, look, some);
    return { ...MARGINS, x: { ...x, name: "" }, y, height, most: 4, named: false };
  };
  const shared = sizeOf(lines);
  const { kept } = largest(lines, {
    limit: Infinity,
    sizeOf: plan.ordered ? () => 0 : lastValue,
  });
  const single = kept.map((line) => sizeOf([line]));
  // All panels begin at zero, or none does.
  const zero = single.some(({ y: { axis } }) => !isCut(axis));
  const sizes = kept.map((line) => own ? { ...sizeOf([line], zero), x: shared.x } : shared);
  const planes = sizes.map((size) => planeOf({ ...size, width: look.inner }));
  const room = Math.max(...planes.map(({ left }) => left));
  const [first, each] = own ? [0, room] : [room, 0];
  const narrowest = own ? NARROWEST.own + room : NARROWEST.shared;
  const most = Math.floor((look.inner - first + GAP) / (narrowest + GAP));
  const rows = Math.ceil(lines.length / Math.max(1, Math.min(MOST_COLUMNS, most)));
  // Uses as few rows as possible, and distributes the panels evenly.
  const columns = Math.ceil(lines.length / rows);
  const body = (look.inner - first - GAP * (columns - 1)) / columns;
  const last = lastValues(plan, look, lines);
  const fits = lines.every((line) =>
    textWidth(line.label, theme.panel) + 10 + textWidth(last.textOf(line), theme.label) <=
      body - each - MARGINS.right
  );
  const below = fits ? 0 : VALUE;
  const tall = { top: MARGINS.top + below, height: height + below };
  const panels = kept.map((line, index): PlotOptions => {
    const bare = !own && index % columns > 0;
    const width = bare || own ? body : body + room;
    const plane = planeOf({ ...sizes[index]!, ...tall, width, left: room, bare });
    const others = plan.panels !== "behind" ? [] : lines.filter((other) => other !== line)
      .map((other) => ({ ...other, color: OTHER_COLOR, highlighted: false, plain: true }));
    const value = { dy: fits ? -22 : -VALUE - 3, ariaDescription: "last value" };
    return plane.panel([
      ...lineMarks(
        [
          ...others,
          { ...line, highlighted: true },
          ...all.filter(({ of }) => of === line.id),
        ],
        plan,
        plane,
      ),
      frameText(last.textOf(line), fits ? "top-right" : "top-left", value),
    ], line.label);
  });
  const { name, months = false } = plan.x;
  const cut = own && sizes.some(({ y: { axis } }) => isCut(axis));
  const axis = joined([
    (own ? plan.y.name : planes[0]!.label) ?? "",
    own ? `each panel has its own scale${cut ? ", which need not start at 0" : ""}` : "",
    joined([name, months ? `from month ${Math.min(...linePlaces(lines))}` : ""], ", "),
    hasForecast(lines) ? "dashed: forecast, after the last observed month" : "",
    last.place === "" ? "" : `values: ${last.place}`,
  ]);
  return { columns, gap: GAP, axis, panels };
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
  const last = Math.max(...at);
  const valueOf = ({ points }: Line) => points.find(({ x }) => x === last)?.y ?? null;
  const write = numbersOf(lines.map(valueOf), { ...y, locale, format });
  const textOf = (line: Line) => {
    const value = x.dates || x.months ? valueOf(line) : null;
    return value === null ? "" : write(value);
  };
  const place = x.dates ? daysText([last], locale) : x.months ? `month ${last}` : "";
  return { textOf, place: at.length === 0 ? "" : place };
}
