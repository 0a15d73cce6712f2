import { float64, formed, type Reject, type TextForm, utf8 } from "./columns.ts";
import { pl, type Series } from "./polars.ts";

/** The numbers of a column to be made: NaN stands for null. */
interface Numbers {
  readonly name: string;
  readonly numbers: Float64Array;
}

/** The texts of a column to be made: each distinct one once, and which one stands in which row. */
interface Texts {
  readonly name: string;
  readonly distinct: readonly (string | null)[];
  /** For each row, the place of its text; null where the texts stand row by row. */
  readonly places: Uint32Array | null;
}

/** A column, or what it is to be made of. */
export type Draft = Series | Numbers | Texts;

/** From so many rows on it is faster to make all columns together. */
const MANY = 1_000;

/**
 * Reads the texts of one field: null and a missing key are null. Where texts recur, each is looked at and
 * handed to polars once: that is what costs.
 */
export function textsOf(
  { name, form }: { readonly name: string; readonly form: TextForm },
  values: readonly unknown[],
  reject: Reject,
): Texts {
  const read = (value: unknown, row: number) =>
    value === null || value === undefined
      ? null
      : formed(value, form) ?? reject({ row, field: name, expected: "a text", got: value });
  const plain = () => ({ name, distinct: values.map(read), places: null });
  if (values.length < MANY || form === "Json") return plain();
  const seen = new Map<unknown, number>();
  const distinct: (string | null)[] = [];
  const places = new Uint32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    let place = seen.get(value);
    if (place === undefined) {
      place = distinct.length;
      if (place > MANY && place > row / 2) return plain();
      seen.set(value, place);
      distinct.push(read(value, row));
    }
    places[row] = place;
  }
  return { name, distinct, places };
}

function isNumbers(draft: Draft): draft is Numbers {
  return "numbers" in draft;
}

function isTexts(draft: Draft): draft is Texts {
  return "distinct" in draft;
}

function alone(draft: Draft): Series {
  if (isNumbers(draft)) return float64(draft.name, draft.numbers);
  return isTexts(draft) ? utf8(draft.name, draft.distinct) : draft;
}

/**
 * Makes the columns. Those of many rows come out of one select: NaN becomes null there, and each text is
 * taken from its place among the distinct ones.
 */
export function columnsOfDrafts(drafts: readonly Draft[]): Series[] {
  const height = Math.max(
    0,
    ...drafts.map((draft) => isNumbers(draft) ? draft.numbers.length : 0),
    ...drafts.map((draft) => isTexts(draft) ? draft.places?.length ?? 0 : 0),
  );
  if (height < MANY) return drafts.map(alone);

  // Under names of ours: polars would read some names as patterns of names.
  const columns: Series[] = [];
  const dictionaries = [];
  const select = [];
  for (const [index, draft] of drafts.entries()) {
    const own = `c${index}`;
    if (isNumbers(draft)) {
      columns.push(pl.Series(own, draft.numbers as ArrayLike<number>, pl.Float64));
      select.push(pl.col(own).fillNan(pl.lit(null)));
    } else if (isTexts(draft) && draft.places !== null) {
      columns.push(pl.Series(own, draft.places as unknown as number[], pl.UInt32));
      dictionaries.push(pl.DataFrame([utf8(`d${index}`, draft.distinct)]));
      select.push(pl.col(`d${index}`).gather(pl.col(own)).alias(own));
    }
  }
  // Side by side, so that one select sees them all: the shorter ones end with nulls that nobody takes.
  const wide = pl.concat([pl.DataFrame(columns), ...dictionaries], { how: "horizontal" });
  const made = wide.select(...select);
  const names = new Set(made.columns);
  return drafts.map((draft, index) =>
    names.has(`c${index}`) ? made.getColumn(`c${index}`).rename(draft.name) : alone(draft)
  );
}
