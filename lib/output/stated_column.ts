import { shown } from "../platform/terminal.ts";
import {
  booleanIn,
  CODE,
  isMissing,
  losesDigits,
  NUMBER_WAYS,
  numberIn,
  type NumberWay,
  patternReader,
  writtenNumberIn,
} from "../schema/grammar.ts";
import { numberOf } from "../table/columns/cell_values.ts";
import type { ColumnData } from "../table/columns/frame_from_rows.ts";
import { pl, type Series } from "../table/columns/polars.ts";
import { isNested } from "../table/columns/dtypes.ts";
import { timeColumn } from "../table/columns/time_column.ts";
import { type Findings, noteCharacters, noteDigits, noteNulls, noteRounded } from "./findings.ts";
import { isRawJSON } from "./json_table.ts";
import { asText, columnFrom } from "./column_from_texts.ts";

/** The units of epochs, in milliseconds. */
export const EPOCHS = {
  seconds: 1_000,
  milliseconds: 1,
  microseconds: .001,
  days: 86_400_000,
} as const;
const [FIRST, LAST] = [Date.UTC(1900, 0), Date.UTC(2200, 0)];

/** What options state about the values of a column. */
interface StatedColumn {
  /** A unit of times since 1970, or a pattern. */
  readonly when?: string | undefined;
  /** How numbers are written. */
  readonly way?: NumberWay | undefined;
  readonly dtype?: string | undefined;
}

/** Reads each value that is not null or a missing word, equal values once. `read` returns undefined for other values. */
function readEach<Value>(
  { name, values, option, expected }: {
    readonly name: string;
    readonly values: readonly unknown[];
    readonly option: string;
    readonly expected: string;
  },
  read: (value: unknown) => Value | undefined,
  findings: Findings,
): (Value | null)[] {
  const words = new Map<string, number>();
  const known = new Map<unknown, Value>();
  const made = values.map((given, row) => {
    if (given === null || given === undefined) return null;
    const value = isRawJSON(given)
      ? given.rawJSON
      : typeof given === "string"
      ? given.trim()
      : given;
    if (typeof value === "string" && isMissing(value)) {
      words.set(value, (words.get(value) ?? 0) + 1);
      return null;
    }
    const found = known.get(value) ?? read(value);
    if (found === undefined) {
      throw new RangeError(
        `${option}row ${row}, ${name}: expected ${expected}; got ${shown(given)}`,
      );
    }
    known.set(value, found);
    return found;
  });
  noteNulls(findings, name, words);
  return made;
}

function numbersIn(numbers: readonly (number | null)[]): Float64Array {
  return Float64Array.from(numbers, (number) => number ?? NaN);
}

function timeOf(when: string): (value: unknown) => number | undefined {
  if (Object.hasOwn(EPOCHS, when)) {
    return (value) => {
      const number = typeof value === "bigint" ? Number(value) : numberOf(value) ?? NaN;
      const time = number * EPOCHS[when as keyof typeof EPOCHS];
      return time >= FIRST && time < LAST ? Math.round(time) : undefined;
    };
  }
  const read = patternReader(when)!;
  return (value) => {
    const time = read(String(value));
    return Number.isNaN(time) ? undefined : time;
  };
}

/** Returns the digits of a whole number, as polars reads them; undefined for other numbers. */
function wholeText(text: string): string | undefined {
  const number = numberIn(text);
  if (number === undefined) return undefined;
  if (/^[+-]?\d+$/.test(text)) return text.replace(/^\+/, "");
  return Number.isSafeInteger(number) ? String(number) : undefined;
}

/** Returns how a text of a dtype is read; undefined for dtypes whose texts are kept. */
function textReader(dtype: string): ((text: string) => string | undefined) | undefined {
  if (dtype === "String" || dtype === "Categorical" || isNested(dtype)) return undefined;
  if (dtype.startsWith("Float")) {
    const fits = (number: number) => {
      const held = Math.fround(number);
      return dtype === "Float64" || (Number.isFinite(held) && (held !== 0 || number === 0));
    };
    return (text) => {
      const number = numberIn(text);
      return number !== undefined && fits(number) ? text : undefined;
    };
  }
  if (dtype === "Bool") return (text) => booleanIn(text)?.toString();
  return /^U?Int/.test(dtype) ? wholeText : (text) => text;
}

/** Notes whole numbers of which a column of floats lacks digits. */
function noteWhole(
  name: string,
  { numbers, bits = 53 }: {
    readonly numbers: readonly (number | null)[];
    readonly bits?: number;
  },
  findings: Findings,
): boolean {
  const isLarge = (number: number | null) =>
    number !== null && Number.isInteger(number) && Math.abs(number) >= 2 ** bits;
  const isNoted = numbers.some(isLarge);
  if (isNoted) noteRounded(findings, name, bits);
  return isNoted;
}

/** Makes a column of a stated dtype. */
function typedColumn(
  { name, values, dtype }: {
    readonly name: string;
    readonly values: readonly unknown[];
    readonly dtype: string;
  },
  findings: Findings,
): Series {
  const texts = values.map(asText);
  const read = textReader(dtype);
  noteCharacters(findings, name, texts);
  if (read === undefined) return columnFrom(name, dtype, texts);
  const of = { name, values: texts, option: "", expected: dtype };
  const cleaned = readEach(of, (text) => read(text as string), findings);
  if (dtype.startsWith("Float")) {
    const whole = cleaned.filter((text) => text !== null && /^[+-]?\d+$/.test(text));
    const of = { numbers: whole.map(Number), bits: dtype === "Float32" ? 24 : 53 };
    const isNoted = noteWhole(name, of, findings);
    const isLost = (text: string | null) => text !== null && losesDigits(text);
    if (!isNoted && dtype === "Float64" && cleaned.some(isLost)) noteDigits(findings, name);
  }
  const [, bits] = /^U?Int(\d+)$/.exec(dtype) ?? [];
  if (bits === undefined) return columnFrom(name, dtype, cleaned);
  const column = pl.Series(name, cleaned as string[], pl.Utf8);
  const type = (pl as unknown as Readonly<Record<string, typeof pl.Utf8>>)[dtype]!;
  const whole = column.cast(type, false);
  const row = whole.isNull().toArray().findIndex((isNull, row) => isNull && cleaned[row] !== null);
  if (row < 0) return whole;
  throw new RangeError(`row ${row}, ${name}: expected ${dtype}; got ${shown(texts[row])}`);
}

/** Makes the column that options state: of times, of numbers written for readers, or of a dtype. */
export function statedColumn(
  name: string,
  { values, when, way, dtype }: StatedColumn & { readonly values: readonly unknown[] },
  findings: Findings,
): ColumnData {
  if (when !== undefined) {
    const expected = Object.hasOwn(EPOCHS, when) ? `${when} since 1970` : `times such as ${when}`;
    const of = { name, values, option: "dates: ", expected };
    const times = readEach(of, timeOf(when), findings);
    return timeColumn(pl.Series(name, numbersIn(times)));
  }
  if (way !== undefined) {
    // A number of JSON is no text that a person wrote: `1.500` is 1.5 in any way.
    const own = values.map((value) => isRawJSON(value) ? numberIn(value.rawJSON) ?? value : value);
    const of = { name, values: own, option: "numbers: ", expected: `a number such as ${way}` };
    const read = (value: unknown) =>
      typeof value === "string" ? writtenNumberIn(value, way) : numberOf(value);
    const numbers = readEach(of, read, findings);
    noteWhole(name, { numbers }, findings);
    return { name, numbers: numbersIn(numbers) };
  }
  return typedColumn({ name, values, dtype: dtype! }, findings);
}

/** Returns whether texts are numbers that are written in a way, beside missing words. Codes such as `007` are not. */
export function areWritten(values: readonly unknown[], way: NumberWay): boolean {
  let count = 0;
  for (const value of values) {
    if (value === null) continue;
    if (typeof value !== "string") return false;
    const text = value.trim();
    if (isMissing(text)) continue;
    if (CODE.test(text) || writtenNumberIn(text, way) === undefined) return false;
    count++;
  }
  return count > 0;
}

/** Returns whether a value states how numbers are written. */
export function isWay(value: unknown): value is NumberWay {
  return NUMBER_WAYS.includes(value as NumberWay);
}
