import type { FigureRow } from "../chart.ts";
import { FAINT_OPACITY } from "../colors.ts";
import { sizeOf } from "../curves.ts";
import { formatCount, formatterFor } from "../format.ts";
import { textWidth } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { AT_RISK_ROOM, atRiskInset, atRiskMarks, monthTicks } from "./at_risk.ts";
import { valueAxis } from "./axes.ts";
import { endLabelMarks, type EndLabels } from "./end_labels.ts";
import type { Markish, ObservablePlot, PlotOptions } from "./observable_plot.ts";
import { upwardAxis } from "./plane_axes.ts";
import type { RetentionLine, RetentionLines, RetentionView } from "./retention_lines.ts";
import type { PanelPlace } from "./small_multiples.ts";

/** The room below an axis that its ticks and name take. */
export const BELOW = 44;
/** What is nearer than this to the bottom, as a part of the axis, has its value above it. */
const LOW = 0.15;

/** What a panel is drawn from: its lines, its size, and where its names stand. */
export interface RetentionPlan {
  readonly drawn: RetentionLines;
  readonly view: RetentionView;
  readonly labels: EndLabels | null;
  /** The users that each month rests on, month by month; null where they are not shown. */
  readonly atRisk: ReadonlyMap<number, number> | null;
  /** Of one of several panels: the line that it is about. */
  readonly about?: RetentionLine;
  readonly place: PanelPlace;
}

/** The value at the end of each line, in words, and where a forecast follows the last that was observed. */
function endsOf({ drawn, view: { locale, format } }: RetentionPlan) {
  const ends = drawn.lines.flatMap((line) => {
    const seen = line.points.findLast(({ retention }) => retention !== null);
    const end = line.points.findLast((point) => (point.predicted ?? point.retention) !== null);
    const last = end === undefined || end === seen || seen === undefined ? [] : [
      { line, month: seen.month, share: seen.retention!, followed: true },
    ];
    const share = end?.predicted ?? end?.retention ?? null;
    return share === null ? [] : [...last, { line, month: end!.month, share, followed: false }];
  });
  const write = formatterFor(ends.map(({ share }) => share), { unit: "share", locale, format });
  return ends.map((end) => ({ ...end, text: write(end.share) }));
}

/** Whether the value at the end is written: of the line that a panel is about, or has alone. */
function isWritten({ about, drawn }: RetentionPlan, line: RetentionLine): boolean {
  return line.label === about?.label || drawn.lines.length === 1;
}

/** What stands right of the lines: names, or the value at the end. */
function rightOf(plan: RetentionPlan): number {
  const { labels, about, drawn } = plan;
  if (labels !== null) return labels.room;
  if (about === undefined && drawn.lines.length > 1) return 16;
  const widths = endsOf(plan).map(({ text }) => textWidth(text, { ...theme.label, bold: true }));
  return Math.ceil(Math.max(10, ...widths)) + 7;
}

/** The axis of shares, and the room that it takes. */
export function upwardOf({ drawn, view, about, place }: RetentionPlan) {
  return upwardAxis({ ...valueAxis([0, 1], "linear"), domain: drawn.shares, dates: false }, {
    style: { unit: "share", locale: view.locale, format: view.format },
    length: place.height - place.top - place.bottom,
    name: "Users still active (%)",
    named: about === undefined,
    most: about === undefined ? 7 : 4,
  });
}

function endMarks(Plot: ObservablePlot, plan: RetentionPlan): Markish[] {
  const ends = endsOf(plan).filter(({ line }) => isWritten(plan, line));
  const [bottom, top] = plan.drawn.shares;
  const low = (share: number) => (share - bottom) / (top - bottom) < LOW;
  const seen = ends.filter(({ followed }) => followed);
  const style = { x: "month", y: "share", text: "text", fontWeight: "bold" as const };
  return [
    Plot.text(ends.filter(({ followed }) => !followed), {
      ...{ ...style, textAnchor: "start", dx: 6, ariaDescription: "end value" },
    }),
    // Curves fall: left of their end the room is below them, right of it above.
    ...[true, false].map((above) =>
      Plot.text(seen.filter(({ share }) => low(share) === above), {
        ...{ ...style, textAnchor: above ? "start" : "end", dx: above ? 6 : -6 },
        ...{ dy: above ? -14 : 14, ariaDescription: "value where the data ends" },
      })
    ),
  ];
}

function lineMarks(Plot: ObservablePlot, plan: RetentionPlan): Markish[] {
  const { drawn, view, about } = plan;
  const { rows, lines, forecast, observed } = drawn;
  const faint = new Set(lines.flatMap(({ prominent, label }) => prominent ? [] : [label]));
  const colored = rows.filter(({ group }) => !faint.has(String(group)));
  const line = { x: "month", z: "group", stroke: "group" };
  const band = { x: "month", z: "group", y1: "lower", y2: "upper", fill: "group" };
  const drawLines = (data: readonly FigureRow[], strokeWidth: number, strokeOpacity: number) => [
    Plot.line(data, {
      ...{ ...line, y: "predicted", strokeWidth: strokeWidth * 0.75, strokeDasharray: "5 3" },
      strokeOpacity,
      ariaDescription: "forecast",
    }),
    Plot.line(data, {
      ...{ ...line, y: "retention", strokeWidth, strokeOpacity, ariaDescription: "observed" },
    }),
  ];
  return [
    ...view.bands || view.apart
      ? [
        Plot.areaY(colored, {
          ...{ ...band, fillOpacity: view.bands && lines.length > 4 ? 0.1 : 0.16 },
          ariaDescription: "confidence band",
        }),
        // A band that fills its panel is seen by its edges.
        ...["lower", "upper"].map((bound) =>
          Plot.line(about === undefined ? [] : colored, {
            ...{ ...line, y: bound, strokeWidth: 0.75, ariaDescription: `${bound} bound` },
          })
        ),
      ]
      : [],
    ...forecast && Number.isFinite(observed)
      ? [
        Plot.ruleX([observed], {
          ...{ stroke: theme.muted, strokeDasharray: "1 3", ariaDescription: "end of data" },
        }),
        Plot.text(about === undefined ? [observed] : [], {
          ...{ x: (month: number) => month, text: () => "data ends", frameAnchor: "top" },
          ...{ dx: -5, dy: 4, textAnchor: "end", fill: theme.muted, ariaDescription: "data ends" },
        }),
      ]
      : [],
    ...drawLines(
      rows.filter(({ group }) => faint.has(String(group))),
      1,
      about === undefined ? FAINT_OPACITY : 1,
    ),
    ...drawLines(colored, 2, 1),
    Plot.dot(colored, {
      ...{ x: "month", y: "retention", fill: "group", symbol: "group" },
      r: about !== undefined ? 2 : lines.length > 6 ? 2.5 : 3,
      ariaDescription: "observed value",
    }),
    ...endMarks(Plot, plan),
  ];
}

/** Where the months of a panel stand: how far from its left, the first from the axis, and how long they are. */
function insideOf(plan: RetentionPlan): { left: number; inset: number; width: number } {
  const { place, atRisk, about, view: { locale } } = plan;
  const left = place.bare ? 0 : upwardOf(plan).room;
  const inset = atRisk === null || about !== undefined ? 0 : atRiskInset(atRisk, locale);
  return { left, inset, width: place.width - left - inset - rightOf(plan) };
}

function axisMarks(Plot: ObservablePlot, plan: RetentionPlan): Markish[] {
  const { drawn: { months, lines }, view: { locale }, atRisk, about, place } = plan;
  const { marks, grid } = upwardOf(plan);
  const { left, width } = insideOf(plan);
  const across = monthTicks(months, width);
  const users = about === undefined ? 0 : sizeOf(about);
  return [
    ...place.bare ? grid(Plot) : marks(Plot),
    Plot.axisX({
      ...{ ticks: across, tickFormat: String, fill: theme.muted, stroke: theme.muted },
      label: about === undefined
        ? "Months since the cohort began"
        : users === 0
        ? "months"
        : `months; ${formatCount(users, locale)} users`,
      ...{ labelAnchor: "center", labelArrow: "none" },
      labelOffset: about === undefined || atRisk === null ? 36 : 36 + AT_RISK_ROOM.between,
    }),
    ...atRisk === null ? [] : atRiskMarks(Plot, {
      ...{ users: atRisk, ticks: across, left, locale },
      below: about === undefined ? BELOW : null,
      several: lines.length > 1,
      apart: width * ((across[1] ?? 1) - (across[0] ?? 0)) / Math.max(1, months[1] - months[0]),
    }),
  ];
}

/** The panel of some lines. */
export function retentionPanel(Plot: ObservablePlot, plan: RetentionPlan): PlotOptions {
  const { drawn, labels, about, place } = plan;
  const { lines, shares: [bottom, top], months } = drawn;
  const { left, inset, width } = insideOf(plan);
  const domain = months[0] === months[1] ? [months[0] - 0.5, months[0] + 0.5] : [...months];
  const groups = lines.map(({ label }) => label);
  const inside = place.height - place.top - place.bottom;
  return {
    ...about === undefined ? {} : { title: about.label },
    ...{ width: place.width, height: place.height, marginTop: place.top, marginLeft: left },
    ...{ marginBottom: place.bottom, marginRight: rightOf(plan) },
    x: { type: "linear", domain, axis: null, insetLeft: inset },
    y: { type: "linear", domain: [bottom, top], axis: null },
    color: { type: "ordinal", domain: groups, range: lines.map(({ color }) => color) },
    symbol: { domain: groups, range: lines.map(({ symbol }) => symbol) },
    marks: [
      ...axisMarks(Plot, plan),
      ...lineMarks(Plot, plan),
      ...labels === null ? [] : endLabelMarks(Plot, {
        labels,
        after: (pixels) => months[1] + pixels * (domain[1]! - domain[0]!) / width,
        valueAt: (y) => bottom + (1 - (y - place.top) / inside) * (top - bottom),
        styleOf: (label) => {
          const { color, symbol, prominent } = lines.find((line) => line.label === label)!;
          return prominent
            ? { color, symbol, ink: theme.ink }
            : { color, symbol: null, ink: theme.muted };
        },
      }),
    ],
  };
}
