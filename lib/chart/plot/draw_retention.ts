import type { LegendItem, PlotFigure } from "../chart.ts";
import { symbolPath, theme } from "../theme.ts";
import { AT_RISK_ROOM, usersAtRisk } from "./at_risk.ts";
import { noData } from "./axes.ts";
import { type EndLabels, endLabels } from "./end_labels.ts";
import { loadPlot, type ObservablePlot } from "./observable_plot.ts";
import {
  type RetentionLine,
  type RetentionLines,
  retentionLines,
  type RetentionView,
} from "./retention_lines.ts";
import { BELOW, retentionPanel, type RetentionPlan, upwardOf } from "./retention_panel.ts";
import { type PanelPlace, smallMultiples } from "./small_multiples.ts";

const TOP = 34;

/** Labels at the ends of the lines, where there is room; else null. */
function lineLabels(
  { lines, months, shares: [bottom, top], observed }: RetentionLines,
  { width, height }: { width: number; height: number },
): EndLabels | null {
  const needed = lines.filter(({ prominent }) => prominent).length;
  const some = lines.some(({ prominent }) => !prominent);
  // Those in colour choose their places first.
  const order = lines.toSorted((a, b) => Number(b.prominent) - Number(a.prominent));
  const ends = order.flatMap(({ label, points, prominent }) => {
    const end = points.findLast(({ retention, predicted }) => (predicted ?? retention) !== null);
    if (end?.month !== months[1]) return [];
    const value = end.predicted ?? end.retention!;
    const share = (value - bottom) / (top - bottom);
    const y = TOP + (1 - share) * (height - TOP - BELOW);
    return [{ label, y, optional: !prominent || needed > 12 }];
  });
  if (lines.length < 2 || (!some && lines.length <= 12 && ends.length < needed)) return null;
  if (ends.length === 0 || observed < 0) return null;
  return endLabels(ends, {
    top: TOP - 12,
    bottom: height - BELOW + 8,
    width: width * 0.28,
    farthest: 90,
  });
}

/** A panel for each line with its band, the others grey behind it, those that end highest first. */
function panelsApart(Plot: ObservablePlot, drawn: RetentionLines, view: RetentionView) {
  const width = view.width - 2 * theme.padding;
  const inside = Math.max(90, Math.min(150, view.height * 0.36));
  const ends = (line: RetentionLine) =>
    line.points.findLast(({ retention }) => retention !== null)?.retention ?? 0;
  const counted = usersAtRisk(drawn.lines) !== null;
  const bottom = BELOW + (counted ? AT_RISK_ROOM.between : 0);
  const plan = (about: RetentionLine, place: PanelPlace): RetentionPlan => ({
    ...{ view, labels: null, about, place },
    atRisk: counted ? usersAtRisk([about]) ?? new Map() : null,
    drawn: {
      ...drawn,
      lines: drawn.lines.map((line) =>
        line === about
          ? { ...line, prominent: true, symbol: "circle" }
          : { ...line, prominent: false, color: theme.faint }
      ),
    },
  });
  const all = { width, height: inside + bottom, top: 0, bottom, bare: false };
  const { room, label } = upwardOf(plan(drawn.lines[0]!, all));
  const panels = smallMultiples(
    drawn.lines.toSorted((a, b) => ends(b) - ends(a)),
    { width, narrowest: 108, inside, bottom, room },
    (about, place) => retentionPanel(Plot, plan(about, place)),
  );
  return { ...panels, axis: label ?? "" };
}

function legendOf(
  drawn: RetentionLines,
  { bands, apart }: RetentionView,
  named: ReadonlySet<string>,
): LegendItem[] {
  const { lines, forecast, interval } = drawn;
  const [{ color, symbol }] = lines as readonly [RetentionLine];
  const marker = symbolPath(lines.length === 1 ? symbol : "circle");
  const neutral = lines.length === 1 ? color : theme.muted;
  const items: LegendItem[] = lines.length === 1 || apart
    ? []
    : lines.filter(({ prominent, label }) => prominent && !named.has(label)).map((line) => (
      { label: line.label, color: line.color, key: "line", marker: symbolPath(line.symbol) }
    ));
  if (forecast) {
    items.push(
      { label: "observed", color: neutral, key: "line", marker },
      { label: "forecast", color: neutral, key: "dashed" },
    );
  }
  if (bands || apart) items.push({ label: interval, color: neutral, key: "band" });
  if (apart) items.push({ label: "the other groups", color: theme.faint, key: "line" });
  return items;
}

/** The figure of retention curves. */
export async function retentionFigure(view: RetentionView): Promise<PlotFigure> {
  const { about, theme: look, width, lines, height } = view;
  const Plot = await loadPlot();
  const inner = width - 2 * theme.padding;
  const page = { ...about, width, theme: look, columns: 1, gap: 0 };
  if (lines.length === 0) {
    return { ...page, legend: [], rows: [], panels: [noData(Plot, about.label, inner)] };
  }
  const drawn = retentionLines(view);
  if (view.apart) {
    const legend = legendOf(drawn, view, new Set());
    return { ...page, rows: drawn.rows, legend, ...panelsApart(Plot, drawn, view) };
  }
  const labels = lineLabels(drawn, { width: inner, height });
  const atRisk = usersAtRisk(drawn.lines);
  const below = atRisk === null ? 0 : AT_RISK_ROOM.below;
  const place = {
    ...{ width: inner, height: height + below, top: TOP, bottom: BELOW + below, bare: false },
  };
  const named = new Set(labels?.labels.map(({ label }) => label));
  return {
    ...page,
    rows: drawn.rows,
    legend: legendOf(drawn, view, named),
    panels: [retentionPanel(Plot, { drawn, view, labels, atRisk, place })],
  };
}
