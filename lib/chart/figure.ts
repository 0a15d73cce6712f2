import { boolean, checkOptions, integer, pixels, string } from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import type { Chart, PlotChart, PlotSpec } from "./chart.ts";
import { SERIES_COLORS } from "./colors.ts";
import { ownColors } from "./series_colors.ts";
import { plotChart, plotPlan } from "./chart_files.ts";
import { namesIn } from "../table/read/names.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { addNames, namesOf } from "../table/track/provenance.ts";
import { track } from "../table/track/track.ts";

type Plan = NonNullable<ReturnType<typeof plotPlan>>;

const RULES = {
  columns: integer(1, 4),
  width: pixels(320, 4000),
  letters: boolean,
  caption: string,
};
const GAP = 28;
/** Minimum width, in pixels, of a figure with several charts per row. */
const NARROWEST = 560;

/** Draws charts again with the names that any of them has, so that no id is a name in one chart and an id in another. */
function withNames(drawn: readonly Plan[]): Plan[] {
  const frames = drawn.flatMap(({ frame }) => frame ?? []);
  const names = frames.flatMap((frame) => [namesIn(frame), ...namesOf(frame)]);
  const named = (frame: DataFrame) => addNames(track(frame.clone()), ...names);
  return drawn.map((plan) =>
    plan.again === undefined ? plan : plotPlan(plan.again(named(plan.frame!)))!
  );
}

/** Returns colors of all ids, so that an id has one color in all charts. Undefined if there are more ids than colors. */
function sharedColors(drawn: readonly Plan[]): ReadonlyMap<string, string> | undefined {
  const all = drawn.flatMap(({ inColor = [] }) => inColor);
  const ids = new Set(all.map(({ id }) => id));
  return ids.size > SERIES_COLORS.length ? undefined : ownColors(all);
}

/** Returns the height of the plot area of a chart, or 0 if it has several panels. */
function areaOf({ panels: [panel, ...others] }: PlotSpec): number {
  if (panel === undefined || others.length > 0) return 0;
  const { height = 0, marginTop = 0, marginBottom = 0 } = panel;
  return height - marginTop - marginBottom;
}

/** Draws a chart again until its plot area is `tallest` high. A chart of several panels stays as it is. */
async function stretched(
  spec: PlotSpec,
  tallest: number,
  again: (height: number) => Promise<PlotSpec> | PlotSpec,
): Promise<PlotSpec> {
  let drawn = spec;
  let height = spec.panels[0]?.height ?? 0;
  // The first new height can be wrong, because some charts add the rows below the axis to the given height.
  for (let times = 0; times < 2 && areaOf(spec) > 0 && areaOf(drawn) !== tallest; times++) {
    height += tallest - areaOf(drawn);
    drawn = await again(height);
  }
  return drawn;
}

/** Returns the letter of a chart, followed by two spaces. If charts have no letters, returns an empty text. */
function letterOf(index: number, letters: boolean): string {
  return letters ? `${String.fromCharCode(97 + index)}  ` : "";
}

const SOURCE = /^(.*Source: )([^,]+)(, .*)$/;

/** Combines source notes that differ only in the operation. */
function mergedSources(sources: Iterable<string>): string[] {
  const parts = [...sources].map((source) => SOURCE.exec(source)?.slice(1) ?? [source, "", ""]);
  const alike = Map.groupBy(parts, ([before, , after]) => `${before}\n${after}`);
  return [...alike.values()].map((some) =>
    `${some[0]![0]}${some.map(([, operation]) => operation).join(", ")}${some[0]![2]}`
  );
}

/** Returns the caption of the figure: the notes of each chart, preceded by its letter, and then each source once. */
function captionOf(parts: readonly PlotSpec[], letters: boolean, caption: string): string[] {
  const notes = parts.map(({ caption }) => caption.slice(0, -1).join(" "));
  const sources = new Set(parts.flatMap(({ caption }) => caption.at(-1) ?? []));
  const said = notes.flatMap((note, index) =>
    note === "" ? [] : [`${letterOf(index, letters).trim()} ${note}`.trim()]
  );
  return [caption, said.join(" "), ...mergedSources(sources)].filter((line) => line !== "");
}

/**
 * Combines several charts into one figure. Each chart is redrawn at its width in the figure. In a row, the plot areas of
 * charts with one panel have the same height. Each id has the same color in all charts. The caption contains the notes of each chart, preceded by
 * its letter, and names each source once.
 *
 * @example
 * ```ts
 * import { blockchainComparison, figure, plotComparison, plotScatter } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison();
 * const page = figure([
 *   plotScatter(chains, { x: "active_users_daily_latest", y: "ecosystem_tvl_latest", label: "chain_name" }),
 *   plotComparison(chains, { field: "ecosystem_tvl_latest" }),
 * ]);
 * console.log((await page.svg()).length);
 * ```
 *
 * @throws {RangeError} when there is no chart, a chart is not drawn by Observable Plot, or an option is out of range.
 * @category Charts
 */
export function figure(
  charts: readonly Chart[],
  options: {
    /**
     * The number of charts in a row. Figures narrower than 560 pixels have one chart per row.
     * @default {2}
     */
    readonly columns?: number;
    /**
     * The width in pixels: 692 for two columns of a journal (183 mm), 336 for one column (89 mm).
     * @default {692}
     */
    readonly width?: number;
    /**
     * Whether each chart has a letter.
     * @default {true}
     */
    readonly letters?: boolean;
    /**
     * Your text below the figure, before the notes of its charts.
     * @default {none}
     */
    readonly caption?: string;
  } = {},
): PlotChart {
  if (!Array.isArray(charts)) {
    throw new RangeError(
      `figure: charts: must be a list of charts, as in figure([one, other]); got ${shown(charts)}`,
    );
  }
  const { columns = 2, width = 692, letters = true, caption = "" } = checkOptions(
    options,
    RULES,
    "figure",
  );
  const given = charts.map((chart, index) => {
    const plan = plotPlan(chart);
    if (plan !== undefined) return plan;
    throw new RangeError(
      `figure: charts[${index}]: must be a chart of Observable Plot; got ${shown(chart)}`,
    );
  });
  if (given.length === 0) throw new RangeError("figure: charts: must not be empty");
  const drawn = withNames(given);
  const words = drawn.map(({ about }, index) => `${letterOf(index, letters)}${about.title}`);
  const labels = drawn.map(({ about }, index) => `${words[index]}. ${about.label}`);
  const about = { title: words.join("; "), subtitle: "", caption: [], label: labels.join(" ") };
  const theme = drawn[0]!.theme;
  const own = sharedColors(drawn);
  const dark = Object.assign({}, ...drawn.map(({ dark }) => dark));
  return plotChart({
    about,
    theme,
    dark,
    width,
    source: drawn[0]!.source,
    field: drawn.map(({ field }) => field).join("; "),
    spec: async (width) => {
      const side = width < NARROWEST ? 1 : Math.min(columns, drawn.length);
      const body = (width - 40 - GAP * (side - 1)) / side + 40;
      const given = await Promise.all(drawn.map((plan) => plan.spec(body, undefined, own)));
      const parts = await Promise.all(drawn.map(async (plan, index) => {
        const first = index - index % side;
        const tallest = Math.max(...given.slice(first, first + side).map(areaOf));
        const spec = given[index]!;
        const again = (height: number) => plan.spec(spec.width, height, own);
        return { ...await stretched(spec, tallest, again), title: words[index]! };
      }));
      return {
        ...about,
        title: "",
        caption: captionOf(parts, letters, caption),
        width,
        theme,
        dark,
        legend: [],
        columns: side,
        gap: GAP,
        panels: [],
        parts,
        rows: parts.flatMap(({ rows }, index) =>
          rows.map((row) => ({ chart: letterOf(index, true).trim(), ...row }))
        ),
      };
    },
  });
}
