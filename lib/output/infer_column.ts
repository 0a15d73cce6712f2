import { optionOf } from "../platform/statement.ts";
import { shown } from "../platform/terminal.ts";
import {
  booleanIn,
  CODE,
  isMissing,
  losesDigits,
  MISSING_WORDS,
  momentIn,
  NUMBER_WAYS,
  numberIn,
  type NumberWay,
  writtenNumberIn,
} from "../schema/grammar.ts";
import type { ColumnData } from "../table/columns/frame_from_rows.ts";
import { type DataFrame, pl, type Series } from "../table/columns/polars.ts";
import { timeColumn } from "../table/columns/time_column.ts";
import { type Findings, noteCharacters, noteDigits, noteNulls, noteRounded } from "./findings.ts";
import { isRawJSON } from "./json_table.ts";
import { asText } from "./column_from_texts.ts";

/** The kinds of values that a text can have, and how they are read. */
const KINDS = {
  number: (text: string) => CODE.test(text) ? undefined : numberIn(text),
  boolean: booleanIn,
  day: (text: string) => momentIn(text)?.time,
} as const;
type Kind = keyof typeof KINDS;

function kindOf(text: string): Kind | undefined {
  return (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind](text) !== undefined);
}

/** The whitespace that `trim` of JavaScript removes. */
const SPACES =
  "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a" +
  "\u2028\u2029\u202f\u205f\u3000\ufeff";
const CELL = pl.col("cell");
const VALUE = pl.col("value");
const TRIMMED = CELL.str.stripChars(SPACES);

/** Returns each distinct text of a frame with its number of rows. */
function textCounts(cells: DataFrame): (readonly [text: string, count: number])[] {
  return cells.getColumn("cell").valueCounts().rows() as [string, number][];
}

/** Returns the expressions of sums. They are made once, because polars takes long to make one if many objects are in use. */
function sumsOf(conditions: readonly typeof CELL[]): readonly typeof CELL[] {
  return conditions.map((each, at) => each.sum().cast(pl.Float64).alias(`${at}`));
}

/** Returns the number of rows that meet each condition, from the expressions of their sums. */
function countsOf(cells: DataFrame, sums: readonly typeof CELL[]): number[] {
  return cells.select(...sums).row(0) as number[];
}

/** Number of rows that are searched before all are. */
const BEGINNING = 100;

const IS_WORD = TRIMMED.isIn(["", ...MISSING_WORDS]);
const IS_FILLED = TRIMMED.isNotNull().and(IS_WORD.not());

/** Returns the first cell that is not a missing word. */
function firstFilled(cells: DataFrame): string | undefined {
  for (const rows of [cells.head(BEGINNING), cells]) {
    const [first] = rows.filter(IS_FILLED).head(1).select(TRIMMED).getColumn("cell").toArray();
    if (first !== undefined) return first as string;
  }
  return undefined;
}

/** Texts that can have more than 17 digits, which Float64 has at most. */
const LONG = CELL.str.lengths().gt(18);
const MANY_DIGITS = CELL.str.contains("[1-9](?:\\.?[0-9]){17}");

/** Returns whether a number has more digits than Float64, so that the text differs from that of the number. */
function haveLostDigits(cells: DataFrame): boolean {
  const texts = cells.filter(LONG).filter(MANY_DIGITS).getColumn("cell").unique().toArray();
  return texts.some((text) => losesDigits(text as string));
}

const AS_NUMBER = CELL.cast(pl.Float64, false).alias("value");
const IS_FINITE = VALUE.isNotNull().and(VALUE.isFinite());
const IS_ODD = CELL.isNotNull().and(IS_FINITE.not());
const IS_CODE = CELL.str.contains(CODE.source);
const IS_ZERO = VALUE.eq(0);
const NUMBER_SUMS = sumsOf([
  IS_FINITE,
  IS_ODD,
  IS_CODE,
  IS_ZERO,
  VALUE.abs().gt(2 ** 53 - 1).and(IS_FINITE),
  LONG,
]);
const FINITE = pl.when(IS_FINITE).then(VALUE).otherwise(pl.lit(null)).alias("value");

/**
 * Reads texts as numbers; null if a cell is neither a number nor a missing word. polars parses the numbers of the
 * grammar to the same digits as JavaScript. Other texts that it takes, such as `inf` and `1e400`, are not finite.
 */
function numberColumn(name: string, given: DataFrame, findings: Findings): Series | null {
  const cells = given.withColumns(AS_NUMBER);
  const [finite, odd, codes, zeros, large, long] = countsOf(cells, NUMBER_SUMS);
  if (codes! > 0) return null;
  const odds = odd === 0 ? null : cells.filter(IS_ODD);
  const isOther = (text: string) => !isMissing(text) && KINDS.number(text) === undefined;
  // One cell is enough to see that most columns of texts are none of numbers.
  if (odds !== null && isOther((odds.getColumn("cell").get(0) as string).trim())) return null;
  const counts = odds === null ? [] : textCounts(odds)
    .map(([text, count]) => [text.trim(), count] as const);
  if (counts.some(([text]) => isOther(text))) return null;
  if (counts.some(([text]) => !isMissing(text))) {
    return numberColumn(name, given.select(TRIMMED), findings);
  }
  if (finite === 0) return null;
  const zeroes = zeros === 0 ? null : cells.filter(IS_ZERO).getColumn("cell").unique();
  if (zeroes?.toArray().some((text) => numberIn(text as string) === undefined)) return null;
  noteNulls(findings, name, counts);
  if (large! > 0) noteRounded(findings, name);
  else if (long! > 0 && haveLostDigits(cells)) noteDigits(findings, name);
  return cells.select(FINITE).getColumn("value").rename(name);
}

const WITHOUT_NAN = VALUE.fillNan(pl.lit(null));

/** Reads texts as booleans or times, each distinct text once; null if a cell is neither this nor a missing word. */
function readColumn(
  name: string,
  { cells, read }: {
    readonly cells: DataFrame;
    readonly read: (text: string) => number | undefined;
  },
  findings: Findings,
): Series | null {
  const distinct = cells.getColumn("cell").unique().dropNulls().toArray() as string[];
  const values = new Float64Array(distinct.length).fill(NaN);
  const words: string[] = [];
  for (const [at, given] of distinct.entries()) {
    const text = given.trim();
    const value = isMissing(text) ? NaN : read(text);
    if (value === undefined) return null;
    values[at] = value;
    if (Number.isNaN(value)) words.push(given);
  }
  if (words.length > 0) {
    const counts = textCounts(cells.filter(CELL.isIn(words)));
    noteNulls(findings, name, counts.map(([text, count]) => [text.trim(), count]));
  }
  const known = pl.DataFrame([pl.Series("cell", distinct, pl.Utf8), pl.Series("value", values)])
    .withColumns(WITHOUT_NAN);
  return cells.join(known, { on: "cell", how: "left" }).getColumn("value").rename(name);
}

/** Returns whether most cells of a column are of one kind: four of five, or all but one. */
function isMostly(count: number, all: number): boolean {
  return count >= 1 && (all - count <= 1 || 5 * (all - count) <= all);
}

/** Returns the ways in which all texts write numbers for readers. Plain numbers, and codes such as `007`, have no way. */
function waysOf(texts: readonly string[]): readonly NumberWay[] {
  if (texts.some((text) => CODE.test(text))) return [];
  if (texts.every((text) => numberIn(text) !== undefined)) return [];
  return NUMBER_WAYS.filter((way) =>
    texts.every((text) => writtenNumberIn(text, way) !== undefined)
  );
}

/** Returns a sentence on a column of texts that look like values. */
function lookOf(name: string, texts: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const text of texts) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
  const distinct = [...counts].map(([text, count]) => ({ text: text.trim(), given: text, count }))
    .filter(({ text }) => !isMissing(text));
  const all = distinct.reduce((sum, { count }) => sum + count, 0);
  if (all === 0) return null;
  const such = (kinds: string) =>
    `is text that looks like ${kinds}, such as ${shown(distinct[0]!.text)}`;
  const ways = waysOf(distinct.map(({ text }) => text));
  if (ways.length > 0) {
    const lines = ways.map((way) => optionOf("numbers", name, way));
    return `${name}: ${such("numbers")}; pass ${lines.join(" or ")}`;
  }
  for (const [kind, read] of Object.entries(KINDS)) {
    const odd = distinct.filter(({ text }) => read(text) === undefined);
    if (!isMostly(odd.reduce((sum, { count }) => sum - count, all), all)) continue;
    if (odd.length > 0) {
      const { text, given } = odd[0]!;
      return `${name}: is text, because row ${texts.indexOf(given)} is no ${kind}: ${shown(text)}`;
    }
    // Only texts of JSON can all be of one kind.
    const dtype = kind === "number" ? "Float64" : "Bool";
    return `${name}: ${such(`${kind}s`)}; pass ${optionOf("columns", name, { dtype })}`;
  }
  return null;
}

const TEXT_COUNTS = [
  pl.when(IS_WORD).then(pl.lit(null)).otherwise(TRIMMED).alias("cell"),
  pl.col("count").cast(pl.Float64),
];
const LOOK_SUMS = sumsOf(
  [
    CELL.isNotNull(),
    CELL.str.contains(
      "^(?:[^\\pL\\pN]|[A-Z]{1,3}\\p{Sc})*[0-9][-0-9., \\x{a0}\\x{2009}\\x{202f}]*[^\\pL\\pN]*(?:[A-Z]{0,3}\\p{Sc}[)]?)?$",
    ),
    IS_CODE,
    CELL.cast(pl.Float64, false).isNotNull().and(IS_CODE.not()),
    CELL.str.contains("^[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    CELL.str.contains("^(?i:true|false)$"),
  ].map((check) => pl.when(check).then(pl.col("count")).otherwise(pl.lit(0))),
);

/** Returns whether a column of texts is worth a sentence, so that its texts are read in JavaScript only then. */
function mayLook(cells: DataFrame): boolean {
  const text = cells.getColumn("cell").valueCounts().select(...TEXT_COUNTS);
  const [all, written, codes, ...kinds] = countsOf(text, LOOK_SUMS);
  const areWritten = written === all && codes === 0;
  return all! > 0 && (areWritten || kinds.some((count) => isMostly(count, all!)));
}

/**
 * Makes a column from the cells of CSV. It has the first kind (number, boolean, time) of which all cells but missing words
 * are, at least one. Otherwise it has the texts with all their characters.
 */
export function inferTexts(name: string, texts: Series, findings: Findings): Series {
  const cells = pl.DataFrame([texts.rename("cell")]);
  const first = firstFilled(cells);
  const kind = first === undefined ? undefined : kindOf(first);
  if (kind === "number") {
    const numbers = numberColumn(name, cells, findings);
    if (numbers !== null) return numbers;
  } else if (kind !== undefined) {
    const read = kind === "boolean" ? (text: string) => flagOf(booleanIn(text)) : KINDS.day;
    const values = readColumn(name, { cells, read }, findings);
    if (values !== null) return kind === "day" ? timeColumn(values) : values.cast(pl.Bool);
  }
  if (mayLook(cells)) {
    const look = lookOf(name, texts.toArray() as (string | null)[]);
    if (look !== null) findings.looks.push(look);
  }
  return texts.rename(name);
}

function flagOf(boolean: boolean | undefined): number | undefined {
  return boolean === undefined ? undefined : Number(boolean);
}

/** Returns a value of JSON that is a number of Float64, a boolean or a text; null for null and missing words. */
function plainValue(value: unknown): number | boolean | string | null | undefined {
  if (typeof value === "string") {
    const text = value.trim();
    return isMissing(text) ? null : text;
  }
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return isRawJSON(value) ? numberIn(value.rawJSON) : undefined;
}

/** Returns whether a value is a number of JSON whose digits Float64 does not have. */
function losesSome(value: unknown): boolean {
  return typeof value === "object" && isRawJSON(value) && losesDigits(value.rawJSON);
}

/**
 * Makes a column from values of JSON. Texts become times, but neither numbers nor booleans. Values of several types, lists
 * and objects become texts.
 */
export function inferValues(
  name: string,
  values: readonly unknown[],
  findings: Findings,
): ColumnData {
  const types = new Set<string>();
  const words = new Map<string, number>();
  const times = new Map<string, number>();
  const cells = values.map((value) => {
    const cell = plainValue(value);
    if (cell === null) {
      if (typeof value === "string") words.set(value.trim(), (words.get(value.trim()) ?? 0) + 1);
      return null;
    }
    if (typeof cell !== "string") {
      types.add(typeof cell);
      return cell;
    }
    const time = types.has("text") ? undefined : times.get(cell) ?? momentIn(cell)?.time;
    if (time !== undefined) times.set(cell, time);
    types.add(time === undefined ? "text" : "time");
    return time;
  });
  const [type, ...others] = types;
  if (others.length === 0 && type !== undefined && type !== "undefined" && type !== "text") {
    noteNulls(findings, name, words);
    if (type === "boolean") return pl.Series(name, cells as boolean[], pl.Bool);
    const numbers = Float64Array.from(cells as (number | null)[], (cell) => cell ?? NaN);
    if (type === "time") return timeColumn(pl.Series(name, numbers));
    if (numbers.some((each) => Math.abs(each) > Number.MAX_SAFE_INTEGER)) {
      noteRounded(findings, name);
    } else if (values.some(losesSome)) {
      noteDigits(findings, name);
    }
    return { name, numbers };
  }
  const texts = values.map(asText);
  noteCharacters(findings, name, texts);
  const look = lookOf(name, texts);
  if (look !== null) findings.looks.push(look);
  return { name, texts };
}
