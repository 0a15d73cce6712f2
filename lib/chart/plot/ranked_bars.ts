import { GAIN_COLOR, isHighlighted, LOSS_COLOR, OTHER_COLOR } from "../colors.ts";
import type { FieldWords } from "../field_words.ts";
import { formatterFor } from "../format.ts";
import type { ColoredLook } from "../options.ts";

/** What a chart compares: a chain, a project, a product, or what stands for several of them. */
export interface Entity {
  /** By which it keeps its colour. */
  readonly id: string;
  readonly label: string;
  /** A value for each field; null where there is none. */
  readonly values: readonly (number | null)[];
  /** Whether it stands for those that were folded together. */
  readonly folded: boolean;
}

/** A ranked chart: what it says, its rows, and how it looks. */
export interface RankedView extends ColoredLook {
  readonly words: readonly FieldWords[];
  /** Largest first; none when no value is known. */
  readonly entities: readonly Entity[];
  readonly noun: string;
  readonly fields: readonly string[];
  readonly scale: "auto" | "linear" | "log";
  /** The metric of each field, where the panels of one metric stand in one row. */
  readonly grid?: readonly string[] | undefined;
}

/** A bar with its text. */
export interface Bar {
  readonly row: number;
  readonly value: number;
  readonly text: string;
  readonly color: string;
}

/** The share of the total that each value has, where all values are parts of one. */
function sharesOf({ entities, words, fields }: RankedView): (number | null)[] {
  const values = entities.map(({ values }) => values[0] ?? null);
  const total = values.reduce((sum: number, value) => sum + (value ?? 0), 0);
  const parts = fields.length === 1 && words[0]!.additive && total > 0 && values.length > 1 &&
    values.every((value) => value === null || value >= 0);
  return values.map((value) => parts && value !== null ? value / total : null);
}

/** The rank of each value in its own panel, where another panel gives the order. */
function ranksOf(entities: readonly Entity[], index: number): (number | null)[] {
  const values = entities.map(({ values, folded }) => folded ? null : values[index] ?? null);
  return values.map((value) =>
    value === null || index === 0
      ? null
      : 1 + values.filter((other) => other !== null && other > value).length
  );
}

/** The bars of one field, each with its value, its share of the total or its rank. */
export function barsOf(view: RankedView, index: number): Bar[] {
  const { entities, words, format, locale, colors = {}, highlight } = view;
  const { unit } = words[index]!;
  const values = entities.map(({ values }) => values[index] ?? null);
  const write = formatterFor(values, { unit, locale, format });
  const shares = sharesOf(view);
  const share = formatterFor(shares, { unit: "share", locale });
  const ranks = ranksOf(entities, index);
  return entities.flatMap((entity, row): Bar[] => {
    const value = values[row]!;
    if (value === null) return [];
    const grey = entity.folded || !isHighlighted(entity, highlight);
    const color = colors[entity.id] ?? colors[entity.label] ??
      (grey ? OTHER_COLOR : value < 0 ? LOSS_COLOR : GAIN_COLOR);
    const part = shares[row] === null ? "" : ` · ${share(shares[row]!)}`;
    const rank = ranks[row] === null ? "" : ` (${ranks[row]})`;
    return [{ row, value, text: `${write(value)}${part}${rank}`, color }];
  });
}

/** "Other" never towers: a sum that is longer than the largest bar is written, and not drawn. */
export function drawnBars(bars: readonly Bar[], entities: readonly Entity[]): {
  bars: Bar[];
  beyond: Bar[];
} {
  const single = bars.filter(({ row }) => !entities[row]!.folded).map(({ value }) => value);
  const most = Math.max(0, ...single);
  const fits = ({ row, value }: Bar) => !entities[row]!.folded || value <= most;
  return {
    bars: bars.filter(fits),
    beyond: bars.filter((bar) => !fits(bar)).map((bar) => ({
      ...bar,
      text: `${bar.text} (bar not drawn)`,
    })),
  };
}
