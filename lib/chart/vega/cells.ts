import type { PlotSpec, VegaSpec } from "../chart.ts";
import { cellsLeft, type CellsPlan, cellTexts, coloredCells } from "../drawing/cells.ts";
import { stepPlaces } from "../drawing/color_steps.ts";
import { formatCount, formatterFor } from "../format.ts";
import type { Look } from "../look.ts";
import { theme } from "../theme.ts";
import { axisOf, inColor, inPlace, quiet, textLayer, type Tooltip, withTooltip } from "./view.ts";

/** Returns the views of a table of colored cells: the legend, and the table. */
export function cellsViews(
  plan: CellsPlan,
  look: Look,
  { panels }: PlotSpec,
  tip: Tooltip,
): VegaSpec[] {
  const { rows, columns, kind, across, down, order } = plan;
  const { cells, steps } = coloredCells(plan, look.locale);
  const { labels, sizes, sizeWidth, left } = cellsLeft(plan, look);
  const { places, edges } = stepPlaces(steps, look.inner);
  const { marginTop = 0, marginBottom = 0, height = 0 } = panels[1]!;
  const [width, inside] = [look.inner - left, height - marginTop - marginBottom];
  const texts = cellTexts(plan, cells, look, width / columns.length);
  const unit = kind === "shares" ? "fraction" : "change";
  const write = formatterFor(cells.map(({ value }) => value), { ...look, unit });
  const values = cells.map((cell) => {
    const { row, column, value, color, ink } = cell;
    const { label, sizes = [], running, frameRows = [] } = rows[row]!;
    const text = `${write(value)}${column === running ? " (the month is not over)" : ""}`;
    const users = sizes[column] ?? null;
    const place = kind === "shares"
      ? { month: columns[column]!, "still active": text }
      : { [columns[column]!]: text };
    const observed: Record<string, string> = users === null
      ? {}
      : { "users observed": formatCount(users, look.locale) };
    return {
      ...{ row, column, value, color, ink, name: label },
      ...texts?.shows(cell) && { text: texts.write(value) },
      says: `${label}, ${kind === "shares" ? "month " : ""}${columns[column]}: ${text}`,
      tooltip: tip({ title: label, ...place, ...observed }, frameRows[column]),
    };
  });
  const running = rows.flatMap(({ running = null }, row) =>
    running !== null && running < columns.length ? [{ row, column: running }] : []
  );
  const band = (field: string, count: number, axis: VegaSpec) => (
    {
      field,
      type: "ordinal",
      title: null,
      scale: { domain: [...Array(count).keys()], padding: 0 },
      axis,
    }
  );
  const step = Math.max(1, Math.ceil(28 * columns.length / width));
  const middle = (row: number) => (row + 0.5) * inside / rows.length;
  return [
    {
      ...{
        width,
        height: 40,
        data: {
          values: places.map((place) => ({ ...place, x: place.x - left, x2: place.x2 - left })),
        },
      },
      layer: [
        {
          mark: { type: "rect", ...quiet },
          encoding: {
            ...{ x: inPlace("x"), x2: { field: "x2" }, y: { value: 16 }, y2: { value: 28 } },
            color: inColor,
          },
        },
        ...textLayer([{
          x: -left,
          y: 4,
          text: texts?.percent === false ? `${plan.title} (%)` : plan.title,
        }]),
        ...textLayer(edges.map(({ x, text }) => ({ x: x - left, y: 36, text })), {
          align: "center",
        }),
      ],
    },
    {
      ...{ width, height: inside, data: { values } },
      encoding: {
        x: band("column", columns.length, {
          ...axisOf({
            at: [...columns.keys()],
            write: (at) => kind === "shares" && at % step > 0 ? "" : columns[at]!,
          }),
          ...{
            orient: "top",
            domain: false,
            ticks: false,
            title: across ?? null,
          },
          ...order === undefined ? {} : {
            labelFontWeight: {
              condition: { test: `datum.value === ${order}`, value: "bold" },
              value: "normal",
            },
          },
        }),
        y: band("row", rows.length, {
          ...axisOf({ at: [...rows.keys()], write: (at) => labels.lines[at]!.join("\n") }),
          ...{
            minExtent: left - sizeWidth,
            maxExtent: left - sizeWidth,
            offset: sizeWidth,
            aria: false,
          },
        }),
      },
      layer: [
        {
          name: "cells",
          mark: { ...withTooltip, type: "rect", stroke: theme.paper, strokeWidth: 1.5 },
          encoding: { color: inColor },
        },
        ...running.length === 0 ? [] : [{
          data: { values: running },
          mark: { type: "rect", filled: false, stroke: theme.muted, strokeDash: [2, 2], ...quiet },
        }],
        {
          transform: [{ filter: "isValid(datum.text)" }],
          mark: { type: "text", fontSize: texts?.size ?? theme.label.size, ...quiet },
          encoding: { text: { field: "text" }, color: { ...inColor, field: "ink" } },
        },
        ...textLayer(
          [
            ...sizeWidth === 0 ? [] : sizes.map((text, row) => ({ x: -8, y: middle(row), text })),
            ...across === undefined ? [] : [{ x: -8 - sizeWidth, y: -12, text: down }],
            ...sizeWidth === 0 ? [] : [{ x: -8, y: -12, text: "Users" }],
          ],
          { align: "right" },
        ),
      ],
    },
  ];
}
