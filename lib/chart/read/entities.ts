import type { DataFrame } from "../../table/polars.ts";
import type { FieldWords } from "../text/field_words.ts";
import type { Asker } from "./check_columns.ts";
import { groupLabels } from "./group_labels.ts";
import { numberValues } from "./number_values.ts";

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
