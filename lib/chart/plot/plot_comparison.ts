import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../about.ts";
import { type ChartOptions, widthOf } from "../read/chart_options.ts";
import { type Asker, checkColumns } from "../read/check_columns.ts";
import { checkChoice } from "../read/choice.ts";
import { type Entity, foldEntities, readEntities } from "../read/entities.ts";
import { missingNotes } from "../read/missing_notes.ts";
import { sourceNote } from "../read/source_note.ts";
import { countOf } from "../text/count_of.ts";
import { type FieldWords, fieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format_value.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";
import { rankedPanels } from "./ranked_panels.ts";
import { type Scale, SCALES } from "./value_axis.ts";

/** Options of `plotComparison`. */
export interface PlotComparisonOptions extends ChartOptions {
  /**
   * The numeric columns to draw, one panel each; the chains are ranked by the first.
   * @default {["ecosystem_fees_30d_sum"]}
   */
  readonly fields?: readonly string[];
  /**
   * `"linear"`, `"log"` (where every value is above zero), or `"auto"`: log where the largest value is more
   * than a thousand times the smallest.
   * @default {"auto"}
   */
  readonly scale?: Scale;
}

const MOST = 12;
const asker: Asker = {
  name: "plotComparison",
  hint: "pass what blockchainComparison or rankBy gives",
};

/** The chart in a sentence. */
function describe(entities: readonly Entity[], { title, unit }: FieldWords): string {
  const named = entities.slice(0, 5).map(({ label, values: [value] }) =>
    `${label} ${value === null || value === undefined ? "no value" : formatValue(value, unit)}`
  );
  const more = entities.length > 5 ? ` and ${entities.length - 5} more` : "";
  return `Bar chart of ${countOf(entities.length, "row")} by ${title}: ${named.join(", ")}${more}.`;
}

/**
 * Chains ranked by a measure, as bars; small multiples for several. Dots on a logarithmic axis where the
 * data spans more than three powers of ten.
 *
 * Takes what `blockchainComparison` or `rankBy` gives. More than 12 chains fold into the 11 largest and
 * "other". A chain without a value keeps its row, and the row says so.
 *
 * @throws {RangeError} when a column that is needed is missing, or an option is out of range.
 */
export function plotComparison(frame: DataFrame, options: PlotComparisonOptions = {}): PlotChart {
  const width = widthOf(options, asker);
  const { fields = ["ecosystem_fees_30d_sum"], scale = "auto", source = frame } = options;
  checkChoice(asker, "scale", scale, SCALES);
  if (fields.length === 0) throw new RangeError("plotComparison: fields must name a column: []");
  checkColumns(frame, ["chain_id", ...fields], asker);
  const words = fields.map(fieldWords);
  const all = readEntities(frame, { names: ["chain_name", "chain_id"], fields, asker });
  const { entities, notes } = foldEntities(all, words, { most: MOST, noun: "chain" });
  const { title } = words[0]!;
  const about: About = {
    title: options.title ?? (words.length === 1 ? title : "Chains compared"),
    subtitle: options.subtitle ??
      (words.length === 1 ? "Chains, largest first" : `Chains ranked by: ${title}`),
    label: entities.length === 0 ? "No data" : describe(entities, words[0]!),
    caption: [...notes, ...missingNotes(all, words, "chain"), sourceNote(source)],
  };
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const ranked = entities.length === 0
      ? { panels: [noData(Plot, "No data: the frame has no rows", inner)], columns: 1, gap: 0 }
      : rankedPanels(Plot, entities, { words, scale, width: inner });
    const rows = entities.map(({ label, values }) => ({
      chain: label,
      ...Object.fromEntries(fields.map((field, index) => [field, values[index]!])),
    }));
    return { ...about, width, legend: [], rows, ...ranked };
  });
}
