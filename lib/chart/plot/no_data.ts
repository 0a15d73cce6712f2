import { theme } from "../theme.ts";
import type { ObservablePlot, PlotOptions } from "./observable_plot.ts";

/** A panel that says why it is empty. */
export function noData({ frame, text }: ObservablePlot, says: string, width: number): PlotOptions {
  return {
    width,
    height: 160,
    margin: 1,
    x: { axis: null },
    y: { axis: null },
    marks: [
      frame({ stroke: theme.faint }),
      text([says], { frameAnchor: "middle", fontSize: 14, fill: theme.muted }),
    ],
  };
}
