import type { DataFrame } from "../table/polars.ts";
import { requireColumns } from "../table/require_columns.ts";
import type { About } from "./chart.ts";
import { type PlotChart, plotChart } from "./draw.ts";
import { type FieldWords, wordsFor } from "./field_words.ts";
import { countOf, formatDay, formatValue } from "./format.ts";
import { lookOf, type Settings } from "./options.ts";
import type { Entity, RankedView } from "./plot/ranked_bars.ts";
import { captionOf, emptyWords, groupsOf, lastDay, numberValues } from "./values.ts";

/** Entities to draw, and the note that says what was folded. */
interface FoldedEntities {
  readonly entities: readonly Entity[];
  readonly notes: readonly string[];
}

/** Numbers the rows that share a label, so that each keeps a row of its own. */
function apart(labels: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return labels.map((label) => {
    const times = (seen.get(label) ?? 0) + 1;
    seen.set(label, times);
    return times === 1 ? label : `${label} (${times})`;
  });
}

/** One entity for each row, largest value of the field at index `by` first, nulls last. */
export function readEntities(
  frame: DataFrame,
  { names, label, fields, by }: {
    names: readonly string[];
    label?: string | undefined;
    fields: readonly string[];
    by: number;
  },
): Entity[] {
  const { labels, ids } = groupsOf(frame, { names, label });
  const columns = fields.map((field) => numberValues(frame, field));
  return apart(labels)
    .map((label, row) => ({
      id: ids[row]!,
      label,
      values: columns.map((column) => column[row]!),
      folded: false,
    }))
    .toSorted((a, b) => (b.values[by] ?? -Infinity) - (a.values[by] ?? -Infinity) || 0);
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  const sum = known.reduce((sum, value) => sum + value, 0);
  return known.length > 0 && Number.isFinite(sum) ? sum : null;
}

/**
 * More entities than fit: the largest, and where the field that ranks them adds up, one that holds the sums of
 * the rest. Users that are counted twice, averages and changes have no sum, and the rest is only counted.
 */
export function foldEntities(
  entities: readonly Entity[],
  words: readonly FieldWords[],
  { most, noun, by }: { most: number; noun: string; by: number },
): FoldedEntities {
  if (entities.length <= most) return { entities, notes: [] };
  const { title, additive } = words[by]!;
  const all = `${entities.length} ${noun}s: drawn are the`;
  if (!additive) {
    return {
      entities: entities.slice(0, most),
      notes: [
        `${all} ${most} largest (${title}); the other ${
          entities.length - most
        } are not: their values do not add up.`,
      ],
    };
  }
  const kept = entities.slice(0, most - 1);
  const rest = entities.slice(most - 1);
  const label = `other (${countOf(rest.length, noun)})`;
  const values = words.map(({ additive }, index) =>
    additive ? sumOf(rest.map(({ values }) => values[index]!)) : null
  );
  const part = words.every(({ additive }) => additive) ? "" : ", where they add up";
  return {
    entities: [...kept, { id: label, label, values, folded: true }],
    notes: [
      `${all} ${kept.length} largest (${title}), and the sum of the rest as “other”${part}.`,
    ],
  };
}

/** Says how many values are missing; nothing when none is. */
function missingNotes(
  entities: readonly Entity[],
  words: readonly FieldWords[],
  noun: string,
): string[] {
  const counts = words.map((_, index) =>
    entities.filter(({ values }) => values[index] === null).length
  );
  const of = `of ${countOf(entities.length, noun)}`;
  const [first = 0] = counts;
  const named = counts.every((count) => count === first)
    ? first === 0 ? [] : [`${first} ${of}${words.length > 1 ? " in each panel" : ""}`]
    : words.flatMap(({ title }, index) =>
      counts[index] === 0 ? [] : [`${title}, ${counts[index]} ${of}`]
    );
  return named.length === 0 ? [] : [`Without a value, which is not zero: ${named.join("; ")}.`];
}

/** What a ranked chart shows: one row for each entity, a value for each field. */
export interface Ranking {
  /** The function that was called. */
  readonly asker: string;
  /** Which frame it works on. */
  readonly source: string;
  /** The columns that name a row, the most readable first. */
  readonly names: readonly string[];
  /** What a row is: `chain`. */
  readonly noun: string;
  readonly fields: readonly string[];
  /** The title where there are several fields. */
  readonly title: string;
  /** What the subtitle says beside the order: a window, a day. */
  readonly period: string;
  /** What else the caption has to say. */
  readonly notes: readonly string[];
  /** A name for a label, where the frame has ids only. */
  readonly naming?: (label: string) => string;
}

/** What a ranked chart says, and the entities that it draws. */
interface RankingView {
  readonly about: About;
  readonly words: readonly FieldWords[];
  /** Largest first; none when no value is known. */
  readonly entities: readonly Entity[];
}

const MOST = 12;

/** The chart in a sentence. */
function describe(entities: readonly Entity[], words: FieldWords, noun: string): string {
  const named = entities.slice(0, 5).map(({ label, values: [value = null] }) =>
    `${label} ${value === null ? "no value" : formatValue(value, words.unit)}`
  );
  const more = entities.length > 5 ? ` and ${entities.length - 5} more` : "";
  return `Bar chart of ${countOf(entities.length, noun)}, ${words.title}: ${
    named.join(", ")
  }${more}.`;
}

/** The days that a field tells of: `30 days to 30 Jun 2026`. */
export function periodOf(frame: DataFrame, field: string, { from, locale }: Settings): string {
  const day = lastDay(from ?? frame);
  if (day === null) return "";
  const window = /_(\d+)d(_|$)/.exec(field)?.[1];
  const days = window === undefined ? "" : `${countOf(Number(window), "day")} to `;
  return `${days === "" ? "on " : days}${formatDay(day, locale)}`;
}

/**
 * Reads a frame into the rows of a ranked chart.
 *
 * @throws {RangeError} when a column that is needed is missing.
 * @throws {TypeError} when a column that has to hold numbers does not.
 */
export function rankingView(
  frame: DataFrame,
  settings: Settings,
  { asker, source, names, noun, fields, naming, ...said }: Ranking,
): RankingView {
  const { label, unit, limit = MOST } = settings;
  const columns = label === undefined ? [] : [label];
  requireColumns(frame, { asker, source, columns, numbers: fields });
  const words = fields.map((field) => wordsFor(field, unit));
  const read = readEntities(frame, { names, label, fields, by: 0 });
  const all = naming === undefined || label !== undefined
    ? read
    : read.map((entity) => ({ ...entity, label: naming(entity.label) }));
  const { entities, notes } = foldEntities(all, words, { most: limit, noun, by: 0 });
  const valued = entities.some(({ values }) => values.some((value) => value !== null));
  const [first] = words as [FieldWords];
  const order = words.length === 1
    ? `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s, largest first`
    : `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s ranked by: ${first.title}`;
  return {
    words,
    entities: valued ? entities : [],
    about: {
      title: settings.title ?? (words.length === 1 ? first.title : said.title),
      subtitle: settings.subtitle ??
        [order, said.period, words.length > 1 ? "in brackets: the rank" : ""].filter((part) =>
          part !== ""
        ).join("; "),
      label: valued ? describe(entities, first, noun) : emptyWords(frame),
      caption: captionOf(frame, settings, [
        ...said.notes,
        ...notes,
        ...missingNotes(all, words, noun),
      ]),
    },
  };
}

type Draw = typeof import("./plot/draw_ranking.ts");
const draw = (): Promise<Draw> => import(new URL("./plot/draw_ranking.ts", import.meta.url).href);

/** Rows ranked by a value, with bars in one panel for each field. */
export function rankedChart(
  frame: DataFrame,
  settings: Settings,
  { scale, grid, ...ranking }: Ranking & Pick<RankedView, "scale" | "grid">,
): PlotChart {
  const { about, words, entities } = rankingView(frame, settings, ranking);
  const { noun, fields } = ranking;
  const { from = frame } = settings;
  const view = { ...lookOf(about, settings), words, entities, noun, fields, scale, grid };
  return plotChart({
    ...{ ...view, from },
    spec: async (width) => (await draw()).rankedFigure({ ...view, width }),
  });
}
