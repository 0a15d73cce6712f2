import { counted } from "../../platform/terminal.ts";
import { columnIn, unitText } from "../track/descriptions.ts";
import { dtypeNames, isNumeric, isText } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { cellText, columnTexts, isTime } from "./excerpt.ts";

/** What a column of a long frame holds, in words and, for numbers, as a histogram. */
export interface ColumnSummary {
  /** The range of numbers and dates, or the number of different texts, and the share of nulls. */
  readonly words: string;
  /** The number of values in each bin, from the least value to the largest. Null if the column has no range. */
  readonly bins: readonly number[] | null;
  /** The distance between the rows that the histogram counts: 1 if it counts all. */
  readonly step: number;
}

const BINS = 20;

/** A histogram counts at most this many rows, at equal distances. */
const MOST_COUNTED = 10_000;

/** Returns the share of nulls as text. Never 0% if there is a null, nor 100% if there is a value. */
function nullText(nulls: number, height: number): string[] {
  if (nulls === 0) return [];
  const percent = (100 * nulls) / height;
  return [percent < 1 ? "<1% null" : percent > 99 ? ">99% null" : `${percent.toFixed(0)}% null`];
}

/** A column of a frame, as the only column `value` of a frame of its own: names can be patterns of polars. */
type Alone = DataFrame;

function binsOf(alone: Alone, { step, least, most }: {
  readonly step: number;
  readonly least: number;
  readonly most: number;
}): number[] | null {
  if (!(most > least)) return null;
  const value = pl.col("value").cast(pl.Float64);
  const values = alone.select(step === 1 ? value : value.gatherEvery(step)).getColumn("value")
    .toArray() as (number | null)[];
  const bins = new Array<number>(BINS).fill(0);
  for (const each of values) {
    if (each === null || !Number.isFinite(each)) continue;
    const at = Math.floor((BINS * (each - least)) / (most - least));
    bins[Math.min(BINS - 1, at)]! += 1;
  }
  return bins;
}

/** The unit of a column, its text for a heading, and the language of numbers. */
interface Units {
  readonly unit: string;
  readonly text: string;
  readonly locale: string | undefined;
  readonly isTime: boolean;
}

function numberSummary(alone: Alone, dtype: string, units: Units) {
  const value = pl.col("value").cast(pl.Float64);
  const finite = value.filter(value.isFinite());
  const [range] = alone.select(finite.min().alias("least"), finite.max().alias("most"))
    .toRecords() as { least: number | null; most: number | null }[];
  const { least, most } = range ?? { least: null, most: null };
  if (least === null || most === null) return { words: [], bins: null };
  const texts = columnTexts([least, most], dtype, units)
    .map((text) => cellText(text, units.text, units.locale));
  const words = [least === most ? texts[0]! : `${texts[0]} to ${texts[1]}`];
  const step = Math.max(1, Math.ceil(alone.height / MOST_COUNTED));
  return { words, bins: binsOf(alone, { step, least, most }), step };
}

function dateWords(alone: Alone, dtype: string, locale?: string): string[] {
  const value = pl.col("value");
  const [range] = alone.select(value.min().alias("first"), value.max().alias("last")).toRecords();
  const { first, last } = range as Record<string, Date | null>;
  if (first == null || last == null) return [];
  const [from, to] = columnTexts([first, last], dtype, { unit: "", locale });
  return [from === to ? from! : `${from} to ${to}`];
}

/** Returns the summary of a column of a frame. The shares of nulls and the ranges are of all rows. */
export function columnSummary(
  frame: DataFrame,
  name: string,
  locale?: string,
): ColumnSummary {
  const series = frame.getColumn(name);
  const alone = pl.DataFrame({ value: series });
  const [dtype] = dtypeNames(alone) as [string];
  const nulls = series.nullCount();
  const missing = nullText(nulls, frame.height);
  const joined = (words: readonly string[]) => [...words, ...missing].join(", ");
  if (isNumeric(dtype)) {
    const { words, bins, step = 1 } = numberSummary(alone, dtype, {
      unit: columnIn(frame, name)?.unit ?? "",
      text: unitText(frame, name),
      locale,
      isTime: isTime(frame, name),
    });
    return { words: joined(words), bins, step };
  }
  const plain = { bins: null, step: 1 };
  if (dtype.startsWith("Date")) return { words: joined(dateWords(alone, dtype, locale)), ...plain };
  if (!isText(dtype) && dtype !== "Bool") return { words: joined([]), ...plain };
  const different = series.nUnique() - (nulls > 0 ? 1 : 0);
  return { words: joined([counted(different, "value")]), ...plain };
}

function ordinal(count: number): string {
  const ending = /1\d$/.test(String(count)) ? "th" : { 1: "st", 2: "nd", 3: "rd" }[count % 10];
  return `${count}${ending ?? "th"}`;
}

/** Returns a histogram in words: the bin with the most values, and the rows that are counted. */
export function histogramText({ bins, step }: ColumnSummary): string {
  if (bins === null) return "";
  const fullest = bins.indexOf(Math.max(...bins));
  const every = step === 1 ? "" : `, of every ${ordinal(step)} row`;
  return `histogram of ${BINS} equal parts, most values in part ${fullest + 1}${every}`;
}
