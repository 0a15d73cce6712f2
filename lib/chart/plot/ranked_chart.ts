import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../about.ts";
import { type ChartOptions, widthOf } from "../read/chart_options.ts";
import type { Asker } from "../read/check_columns.ts";
import { emptyWords } from "../read/empty_words.ts";
import { type Entity, foldEntities, readEntities } from "../read/entities.ts";
import { missingNotes } from "../read/missing_notes.ts";
import { sourceNote } from "../read/source_note.ts";
import { countOf } from "../text/count_of.ts";
import type { FieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format_value.ts";
import { theme } from "../theme.ts";
import { type PlotChart, plotChart } from "./draw_plot.ts";
import { noData } from "./no_data.ts";
import { loadPlot } from "./observable_plot.ts";
import { rankedPanels } from "./ranked_panels.ts";
import type { Scale } from "./value_axis.ts";

/** What a ranked chart shows: one row for each entity, one panel for each field. */
export interface Ranking {
  readonly asker: Asker;
  /** The columns that name a row, the most readable first. */
  readonly names: readonly string[];
  /** What a row is: `chain`. */
  readonly noun: string;
  readonly fields: readonly string[];
  /** What each field means. */
  readonly words: readonly FieldWords[];
  /** The index of the field that ranks the rows. */
  readonly by: number;
  readonly scale: Scale;
  readonly title: string;
  readonly subtitle: string;
  /** What else the caption has to say. */
  readonly notes: readonly string[];
}

const MOST = 12;

/** The chart in a sentence. */
function describe(entities: readonly Entity[], { words, by }: Ranking): string {
  const { title, unit } = words[by]!;
  const named = entities.slice(0, 5).map(({ label, values }) => {
    const value = values[by]!;
    return `${label} ${value === null ? "no value" : formatValue(value, unit)}`;
  });
  const more = entities.length > 5 ? ` and ${entities.length - 5} more` : "";
  return `Bar chart of ${countOf(entities.length, "row")}, ${title}: ${named.join(", ")}${more}.`;
}

/** Rows ranked by a value, with bars in one panel for each field. */
export function rankedChart(frame: DataFrame, options: ChartOptions, ranking: Ranking): PlotChart {
  const { asker, names, noun, fields, words, by, scale } = ranking;
  const width = widthOf(options, asker);
  const all = readEntities(frame, { names, fields, by, asker });
  const { entities, notes } = foldEntities(all, words, { most: MOST, noun, by });
  const valued = entities.some(({ values }) => values.some((value) => value !== null));
  const empty = valued ? null : emptyWords(frame);
  const about: About = {
    title: options.title ?? ranking.title,
    subtitle: options.subtitle ?? ranking.subtitle,
    label: empty ?? describe(entities, ranking),
    caption: [
      ...ranking.notes,
      ...notes,
      ...missingNotes(all, words, noun),
      sourceNote(options.source ?? frame),
    ],
  };
  return plotChart(about, async () => {
    const Plot = await loadPlot();
    const inner = width - 2 * theme.padding;
    const rows = entities.map(({ label, values }) => ({
      [noun]: label,
      ...Object.fromEntries(fields.map((field, index) => [field, values[index]!])),
    }));
    const panels = empty === null
      ? rankedPanels(Plot, entities, { words, scale, width: inner })
      : { panels: [noData(Plot, empty, inner)], columns: 1, gap: 0 };
    return { ...about, width, legend: [], rows, ...panels };
  });
}
