import type { VegaSpec } from "../chart.ts";
import { formatterFor } from "../format.ts";
import type { HeatTable } from "../plot/draw_heatmap.ts";
import { theme } from "../theme.ts";

/** Where the legend stands above the plot, and how large it is. */
const RAMP = { top: -88, height: 11, step: 52 };

/** The legend: one row of colours, the values at which one ends and the next begins below. */
export function rampLayers(
  { steps }: HeatTable,
  { left, width, locale }: { left: number; width: number; locale: string },
): VegaSpec[] {
  const step = Math.min(RAMP.step, Math.floor((width - 30) / steps.length));
  const write = formatterFor(steps.map(({ from }) => from), { unit: "share", locale });
  const values = steps.map(({ label, from, color }, index) => ({
    ...{ step: label, color, from: 14 - left + index * step, to: 14 - left + (index + 1) * step },
    ...{ edge: write(from), says: `show ${label}`, chosen: `${label}, shown` },
  }));
  const pixel = (field: string) => ({ value: { expr: `datum.${field}` } });
  const sides = {
    ...{ x: pixel("from"), x2: pixel("to") },
    ...{ y: { value: RAMP.top }, y2: { value: RAMP.top + RAMP.height } },
  };
  const silent = { clip: false, tooltip: null, aria: false };
  const text = { type: "text", fontSize: theme.label.size, ...silent };
  const muted = { value: theme.muted };
  return [
    {
      name: "ramp",
      data: { values },
      params: [{
        name: "steps",
        select: { type: "point", fields: ["step"], on: "@ramp_marks:click", toggle: "true" },
      }],
      mark: { type: "rect", clip: false, cursor: "pointer", tooltip: null },
      encoding: {
        ...sides,
        fill: { field: "color", type: "nominal", scale: null },
        opacity: { condition: { param: "steps", value: 1 }, value: 0.3 },
        description: {
          condition: { param: "steps", empty: false, field: "chosen" },
          field: "says",
        },
      },
    },
    {
      data: { values },
      transform: [{ filter: { param: "steps", empty: false } }],
      mark: { type: "rect", fillOpacity: 0, stroke: theme.ink, strokeWidth: 2, ...silent },
      encoding: sides,
    },
    {
      data: { values },
      mark: { ...text, baseline: "top" },
      encoding: {
        ...{ x: pixel("from"), y: { value: RAMP.top + RAMP.height + 4 }, color: muted },
        text: { field: "edge", type: "nominal" },
      },
    },
    {
      data: { values: [{ says: "Still active" }] },
      mark: { ...text, align: "left", baseline: "bottom" },
      encoding: {
        ...{ x: { value: -left }, y: { value: RAMP.top - 4 }, color: muted },
        text: { field: "says", type: "nominal" },
      },
    },
  ];
}
