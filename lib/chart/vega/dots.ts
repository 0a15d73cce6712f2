import type { PlotSpec, VegaSpec } from "../chart.ts";
import { acrossTicks, labelOf, shownOn, upTicks } from "../drawing/axes.ts";
import { RADIUS } from "../drawing/name_places.ts";
import { planeFor } from "../drawing/plane.ts";
import { placedPoints, type ScatterPlan } from "../drawing/scatter.ts";
import { formatterFor } from "../format.ts";
import type { Look } from "../look.ts";
import { theme } from "../theme.ts";
import {
  axisOf,
  inColor,
  quantity,
  ruleLayer,
  scaleOf,
  textLayer,
  type Tooltip,
  withTooltip,
} from "./view.ts";

/** Returns the view of a scatter plot. */
export function dotsViews(
  plan: ScatterPlan,
  look: Look,
  { panels }: PlotSpec,
  tip: Tooltip,
): VegaSpec[] {
  const plane = planeFor(panels[0]!);
  const { left, top, across, inside, plan: { x, y } } = plane;
  const { drawn, trend, names } = placedPoints(plan, look, plane);
  const [writeX, writeY] = ([["x", x], ["y", y]] as const).map(([of, { style }]) =>
    formatterFor(plan.points.map((point) => point[of]), style)
  ) as [(value: number) => string, (value: number) => string];
  const values = plan.points.map(({ label, frameRow, ...point }, index) => {
    const texts = { x: writeX(point.x), y: writeY(point.y) };
    return {
      ...{ name: label, x: shownOn(x.axis, point.x), y: shownOn(y.axis, point.y) },
      color: drawn[index]!.color,
      says: `${label}: ${texts.x}, ${texts.y}`,
      tooltip: tip({ title: label, ...texts }, frameRow),
    };
  });
  const placed = names.map(({ x, y, textX, textY, text, anchor, far, highlighted }) => (
    { x, y, textX, textY, text, anchor, far, color: highlighted ? theme.ink : theme.muted }
  ));
  return [{
    width: across,
    height: inside,
    data: { values },
    encoding: {
      x: quantity("x", {
        scale: scaleOf(x.axis),
        axis: axisOf(acrossTicks(x, across), { title: labelOf(x.axis, x.name), grid: true }),
      }),
      y: quantity("y", {
        scale: scaleOf(y.axis),
        axis: axisOf(upTicks(y, { length: inside, most: 7 }), {
          ...{ minExtent: left, maxExtent: left, title: labelOf(y.axis, y.name) },
          ...{
            titleAngle: 0,
            titleAlign: "left",
            titleBaseline: "bottom",
            titleX: -left,
            titleY: -16,
          },
        }),
      }),
    },
    layer: [
      ...trend === null ? [] : ruleLayer(
        [[trend.ends[0]!, trend.ends[1]!] as const].map(([[x, y], [x2, y2]]) => ({
          ...{ x: x - left, y: y - top, x2: x2 - left, y2: y2 - top },
        })),
        { strokeWidth: 1.5 },
      ),
      {
        mark: {
          ...withTooltip,
          type: "point",
          filled: true,
          size: Math.PI * RADIUS ** 2,
          fillOpacity: 0.55,
          strokeWidth: 1.25,
        },
        encoding: { fill: inColor, stroke: inColor },
      },
      ...ruleLayer(
        placed.filter(({ far }) => far).map(({ x, y, textX, textY }) => (
          { x: x - left, y: y - top, x2: textX - left, y2: textY - top }
        )),
      ),
      ...(["start", "middle", "end"] as const).flatMap((anchor) =>
        textLayer(
          placed.filter((name) => name.anchor === anchor)
            .map(({ textX, textY, text, color }) => ({
              x: textX - left,
              y: textY - top,
              text,
              color,
            })),
          { align: { start: "left", middle: "center", end: "right" }[anchor] },
          { color: inColor },
        )
      ),
    ],
  }];
}
