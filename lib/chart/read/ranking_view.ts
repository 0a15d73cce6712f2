import type { DataFrame } from "../../table/polars.ts";
import type { About } from "../about.ts";
import { countOf } from "../text/count_of.ts";
import type { FieldWords } from "../text/field_words.ts";
import { formatValue } from "../text/format_value.ts";
import { type ChartOptions, widthOf } from "./chart_options.ts";
import type { Asker } from "./check_columns.ts";
import { emptyWords } from "./empty_words.ts";
import { type Entity, foldEntities, readEntities } from "./entities.ts";
import { missingNotes } from "./missing_notes.ts";
import { sourceNote } from "./source_note.ts";

/** What a ranked chart shows: one row for each entity, a value for each field. */
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
  readonly title: string;
  readonly subtitle: string;
  /** What else the caption has to say. */
  readonly notes: readonly string[];
}

/** What a ranked chart says and draws. */
export interface RankingView {
  readonly about: About;
  readonly width: number;
  /** Largest first; none when no value is known. */
  readonly entities: readonly Entity[];
}

const MOST = 12;

/** The chart in a sentence. */
function describe(entities: readonly Entity[], { words, by, noun }: Ranking): string {
  const { title, unit } = words[by]!;
  const named = entities.slice(0, 5).map(({ label, values }) => {
    const value = values[by]!;
    return `${label} ${value === null ? "no value" : formatValue(value, unit)}`;
  });
  const more = entities.length > 5 ? ` and ${entities.length - 5} more` : "";
  return `Bar chart of ${countOf(entities.length, noun)}, ${title}: ${named.join(", ")}${more}.`;
}

/** Reads a frame into at most twelve rows, ranked. */
export function rankingView(
  frame: DataFrame,
  options: ChartOptions,
  ranking: Ranking,
): RankingView {
  const { asker, names, noun, fields, words, by, title, subtitle } = ranking;
  const width = widthOf(options, asker);
  const all = readEntities(frame, { names, fields, by, asker });
  const { entities, notes } = foldEntities(all, words, { most: MOST, noun, by });
  const valued = entities.some(({ values }) => values.some((value) => value !== null));
  return {
    width,
    entities: valued ? entities : [],
    about: {
      title: options.title ?? title,
      subtitle: options.subtitle ?? subtitle,
      label: valued ? describe(entities, ranking) : emptyWords(frame),
      caption: [
        ...ranking.notes,
        ...notes,
        ...missingNotes(all, words, noun),
        sourceNote(options.source ?? frame),
      ],
    },
  };
}
