import type { DataFrame } from "../../table/polars.ts";
import { type FieldWords, fieldWords } from "../text/field_words.ts";
import { type Asker, type ChartOptions, checkColumns, widthOf } from "./options.ts";
import { emptyWords, groupLabels, numberValues, sourceNote } from "./values.ts";
import { countOf, formatValue } from "../text/format.ts";
import type { About } from "../chart.ts";

/** What a chart compares: a chain, a project, a product, or what stands for several of them. */
export interface Entity {
  readonly label: string;
  /** A value for each field; null where there is none. */
  readonly values: readonly (number | null)[];
  /** Whether it stands for those that were folded together. */
  readonly folded: boolean;
}

/** Entities to draw, and the note that says what was folded. */
export interface FoldedEntities {
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
  { names, fields, by, asker }: {
    names: readonly string[];
    fields: readonly string[];
    by: number;
    asker: Asker;
  },
): Entity[] {
  const labels = apart(groupLabels(frame, names, "all"));
  const columns = fields.map((field) => numberValues(frame, field, asker));
  return labels
    .map((label, row) => ({ label, values: columns.map((column) => column[row]!), folded: false }))
    .toSorted((a, b) => (b.values[by] ?? -Infinity) - (a.values[by] ?? -Infinity) || 0);
}

function combine(values: readonly (number | null)[], additive: boolean): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const sum = known.reduce((sum, value) => sum + value, 0);
  const combined = additive ? sum : sum / known.length;
  return Number.isFinite(combined) ? combined : null;
}

/** More entities than fit become the largest and one that holds the rest: sums, or means of what has no sum. */
export function foldEntities(
  entities: readonly Entity[],
  words: readonly FieldWords[],
  { most, noun, by }: { most: number; noun: string; by: number },
): FoldedEntities {
  if (entities.length <= most) return { entities, notes: [] };
  const kept = entities.slice(0, most - 1);
  const rest = entities.slice(most - 1);
  const label = `other (${rest.length} ${noun}s)`;
  const values = words.map(({ additive }, index) =>
    combine(rest.map(({ values }) => values[index]!), additive)
  );
  const sums = words.some(({ additive }) => additive);
  const means = words.some(({ additive }) => !additive);
  const how = sums && means
    ? "the sum of the rest (of changes and averages: the mean)"
    : `the ${sums ? "sum" : "mean"} of the rest`;
  return {
    entities: [...kept, { label, values, folded: true }],
    notes: [
      `${entities.length} ${noun}s: drawn are the ${kept.length} largest (${
        words[by]!.title
      }), and ${how} as “other”.`,
    ],
  };
}

/** Says how many values are missing; nothing when none is. */
export function missingNotes(
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

/** How the chains of a comparison frame are ranked by the first of some fields. */
export function comparisonRanking(
  frame: DataFrame,
  fields: readonly string[],
  name: string,
): Ranking {
  const asker = { name, hint: "pass what blockchainComparison or rankBy gives" };
  if (fields.length === 0) throw new RangeError(`${name}: fields must name a column: []`);
  checkColumns(frame, ["chain_id", ...fields], asker);
  const words = fields.map(fieldWords);
  const { title } = words[0]!;
  const alone = words.length === 1;
  return {
    asker,
    names: ["chain_name", "chain_id"],
    noun: "chain",
    fields,
    words,
    by: 0,
    title: alone ? title : "Chains compared",
    subtitle: alone ? "Chains, largest first" : `Chains ranked by: ${title}`,
    notes: [],
  };
}
