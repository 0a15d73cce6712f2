import type { PlotFigure } from "../chart.ts";
import type { PlotOptions } from "./observable_plot.ts";

/** The space between panels. */
const GAP = 20;
/** The room above a panel. */
const TOP = 10;

/** What a panel is given. */
export interface PanelPlace {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
  /** Whether its neighbour at the left has the axis. */
  readonly bare: boolean;
}

/** What all panels share. */
interface GridPlan {
  /** The width of all of them, and of one at least. */
  readonly width: number;
  readonly narrowest: number;
  /** The height inside of a panel, and the room below. */
  readonly inside: number;
  readonly bottom: number;
  /** The room that the axis takes at the left of each row. */
  readonly room: number;
}

/** A panel for each of several lines, all with one axis, which stands at the left of each row. */
export function smallMultiples<Line>(
  lines: readonly Line[],
  { width, narrowest, inside, bottom, room }: GridPlan,
  panelOf: (line: Line, place: PanelPlace) => PlotOptions,
): Pick<PlotFigure, "columns" | "gap" | "panels"> {
  const most = Math.max(1, Math.min(4, Math.floor((width - room + GAP) / (narrowest + GAP))));
  // As many rows as are needed, and each as full as the others.
  const columns = Math.ceil(lines.length / Math.ceil(lines.length / most));
  const body = (width - room - GAP * (columns - 1)) / columns;
  const panels = lines.map((line, index) => {
    const bare = index % columns > 0;
    return panelOf(line, {
      ...{ bare, top: TOP, bottom },
      ...{ width: bare ? body : body + room, height: TOP + inside + bottom },
    });
  });
  return { columns, gap: GAP, panels };
}
