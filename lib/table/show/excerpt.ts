import { dateFormat, numberFormat } from "../../platform/locale.ts";
import { OPTION_WORDS } from "../../platform/option_words.ts";
import { counted, listed } from "../../platform/terminal.ts";
import { columnIn, unitText } from "../track/descriptions.ts";
import { dtypeNames, isNumeric } from "../columns/dtypes.ts";
import { idsIn, nameColumn, shownIds } from "../read/names.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { annotationOf } from "../track/provenance.ts";
import { readRetentionUnit } from "../read/retention_unit.ts";

/** Formats a number with thousands separators, as in `12,000`. Does not use `Intl`, which is much slower. */
function grouped(digits: string): string {
  const [whole = "", ...rest] = digits.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
}

const MOST_DECIMALS = 6;
const LARGEST = 1e15;

/**
 * Returns the smallest number of decimals with which rounding changes each number by at most 0.1%, or that shows the
 * first digit of each percentage. Returns null if there is no such number of decimals.
 */
function decimalsFor(numbers: readonly number[], percent: boolean): number | null {
  const sizes = numbers.map(Math.abs).filter((size) => size > 0);
  if (sizes.some((size) => size >= LARGEST)) return null;
  for (let decimals = percent ? 1 : 0; decimals <= (percent ? 2 : MOST_DECIMALS); decimals++) {
    const unit = 10 ** decimals;
    const isEnough = (size: number) =>
      percent ? size * unit >= 1 : Math.abs(Math.round(size * unit) / unit - size) <= size / 1_000;
    if (sizes.every(isEnough)) return decimals;
  }
  return null;
}

/** Writes a number of a column whose sizes differ too much for a common number of decimals. */
function fourDigits(value: number): string {
  const size = Math.abs(value);
  const isPlain = size >= 9999.5 && size < LARGEST;
  return grouped(isPlain ? value.toFixed(0) : value.toPrecision(4));
}

/** Writes a number as a language does. Percentages have been multiplied by 100. */
function localText(value: number, { locale, decimals, percent }: {
  readonly locale: string;
  readonly decimals: number | null;
  readonly percent: boolean;
}): string {
  const digits = decimals === null
    ? { maximumSignificantDigits: Math.abs(value) >= 9999.5 ? 15 : 4 }
    : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const rounded = decimals === null && Math.abs(value) >= 9999.5 ? Math.round(value) : value;
  const format = numberFormat(locale, { ...digits, ...percent && { style: "percent" } });
  return format.format(percent ? rounded / 100 : rounded);
}

function numberTexts(values: readonly unknown[], percent: boolean, locale?: string): string[] {
  const scaled = values.map((value) => typeof value === "number" && percent ? value * 100 : value);
  const finite = scaled.filter((value) => Number.isFinite(value)) as number[];
  const decimals = decimalsFor(finite, percent);
  return scaled.map((value) => {
    if (typeof value !== "number") return value === null ? "null" : grouped(String(value));
    if (!Number.isFinite(value)) return String(value);
    if (locale !== undefined) return localText(value, { locale, decimals, percent });
    const text = decimals === null ? fourDigits(value) : grouped(value.toFixed(decimals));
    return percent ? `${text}%` : text;
  });
}

function dateTexts(values: readonly (Date | null)[], locale?: string): string[] {
  const isDay = (value: Date | null) => value === null || value.getTime() % 86_400_000 === 0;
  if (locale !== undefined && values.every(isDay)) {
    const format = dateFormat(locale, { dateStyle: "medium" });
    return values.map((value) => value === null ? "null" : format.format(value));
  }
  // A Datetime of polars can be beyond the range of Date, for example if seconds were read as milliseconds.
  const texts = values.map((value) =>
    value === null
      ? "null"
      : Number.isNaN(value.getTime())
      ? "out of range"
      : value.toISOString().replace("T", " ")
  );
  const ending = [" 00:00:00.000Z", ".000Z", "Z"].find((end) =>
    texts.every((text) => text.endsWith(end) || !text.endsWith("Z"))
  )!;
  return texts.map((text) => text.endsWith(ending) ? text.slice(0, -ending.length) : text);
}

/**
 * Returns the cells of a column for display. All numbers have thousands separators and an equal number of decimals, so
 * that they align; four digits each if six decimals are not enough. A column of integers from 1900 to 2099 without a
 * unit can hold years, and has no separators, nor have times such as `202501`. Fractions become percentages. Dates are written without a time if all of
 * them are at midnight. Line breaks in texts become spaces. Null is written as `null`.
 */
export function columnTexts(
  values: readonly unknown[],
  dtype: string,
  { unit, locale, isTime = false }: {
    readonly unit: string;
    readonly locale?: string | undefined;
    readonly isTime?: boolean;
  },
): string[] {
  if (isNumeric(dtype)) {
    if (isTime) return values.map(String);
    const isYear = (value: unknown) => /^(?:19\d\d|20\d\d|null)$/.test(String(value));
    if (unit === "" && values.every(isYear)) return values.map(String);
    const percent = dtype.startsWith("Float") && (unit === "fraction" || unit === "change");
    return numberTexts(values, percent, locale);
  }
  if (dtype.startsWith("Date")) return dateTexts(values as (Date | null)[], locale);
  return values.map((value) => {
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    return text.replace(/\s+/gu, " ");
  });
}

/** A column of an excerpt. */
export interface ExcerptColumn {
  readonly name: string;
  readonly dtype: string;
  /** The unit as text for a heading. */
  readonly unit: string;
  /** The unit as text for a line below the name. Empty if the name has the unit, as in `month` and `clusters`. */
  readonly unitLine: string;
  /** Whether the cells are numbers, which are right-aligned. */
  readonly numeric: boolean;
  /** The place of the column if not all columns fit. Keys have places below 1. */
  readonly place: number;
  /** Whether the cells are names in place of the ids of the column. */
  readonly named: boolean;
  /** The cells of the first and the last rows as texts, with `…` in place of the rows between them. */
  readonly cells: readonly string[];
}

/** A frame with up to `ALL` rows is shown in full. Of a longer frame, `SOME` rows are shown. */
export const ALL = 25;
const SOME = 10;

/** The fewest rows of which a value that all have is said once, below the table. */
const FEWEST = 3;

/** The part of a frame that a display shows. */
export interface Excerpt {
  readonly columns: readonly ExcerptColumn[];
  /** Whether the user named the columns, so that all of them are shown. */
  readonly asked: boolean;
  /** The language of numbers and dates, if one was asked for. */
  readonly locale?: string | undefined;
  /** Returns the shape of the frame and what is hidden, if the columns with the given names are shown. */
  shape(shown: readonly string[]): string;
}

/** The maximum numbers of rows and columns of a display. */
export interface Extent {
  /**
   * Maximum number of rows. If the frame has more rows, its first and last rows are shown. By default, a frame of up to
   * 25 rows is shown in full, and a longer frame is shown with 10 rows.
   */
  readonly rows?: number;
  /**
   * Maximum number of columns, or the names of the columns in the order in which they are shown. If a number is given,
   * the columns with the smallest places are shown, and columns of nulls and of one value are hidden.
   */
  readonly columns?: number | readonly string[];
  /** The language of numbers and dates. Without one, `Intl` is not used, which is much slower. */
  readonly locale?: string | undefined;
}

/** Maximum number of columns of an excerpt. More columns do not fit any terminal. */
const MOST_COLUMNS = 200;

/** A unit that repeats the name of its column: `months` of `month`, `clusters` of `clusters`. */
function repeats(name: string, unit: string): boolean {
  return unit !== "" && [name, `${name}s`].includes(unit);
}

/**
 * Returns a cell with the sign that it lacks, as a text writes it: `US$1,200`, `12.5%`, `US$40 a day`, `alder`. With a
 * language, the sign stands where the language has it: `1.200 $`.
 */
export function cellText(cell: string, unit: string, locale?: string): string {
  const [, per = ""] = /( a day)$/.exec(unit) ?? [];
  const written = unit.slice(0, unit.length - per.length);
  if (cell === "null") return cell;
  if (written !== "US$" && written !== "%") return `${cell}${per}`;
  const [, sign, digits] = /^([-−]?)([^]*)$/.exec(cell)!;
  if (locale === undefined) {
    return (written === "US$" ? `${sign}${written}${digits}` : `${cell}${written}`) + per;
  }
  const kind = written === "%" ? { style: "percent" } as const : USD;
  const parts = numberFormat(locale, { ...kind, maximumFractionDigits: 0 })
    .formatToParts(sign === "" ? 1 : -1);
  return parts.map(({ type, value }) => type === "integer" ? digits : value).join("") + per;
}

const USD = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;

/** Returns the unit of the columns `month_0`, `month_1`, … of cohorts. Empty if it cannot be detected. */
function monthUnit(frame: DataFrame): string {
  const names = frame.columns.filter((name) => /^month_\d+$/.test(name));
  if (!frame.columns.includes("initial_cohort_size") || names[0] !== "month_0") return "";
  const values = (name: string) =>
    Float64Array.from(frame.getColumn(name).cast(pl.Float64).toArray(), (each) => each ?? NaN);
  try {
    return readRetentionUnit(values("initial_cohort_size"), names.map(values));
  } catch (error) {
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/** Returns the unit of a column as text for a heading, and the unit by which its cells are written. */
function unitsOf(
  frame: DataFrame,
  name: string,
  months: () => string,
): readonly [text: string, kind: string] {
  const { unit } = columnIn(frame, name) ?? {};
  if (unit !== "retention") return [unitText(frame, name), unit ?? ""];
  const detected = months();
  return [detected === "percent" ? "%" : "", detected];
}

/** Returns whether a column is that of dates, by its description or its name. Its numbers are times. */
export function isTime(frame: DataFrame, name: string): boolean {
  const column = columnIn(frame, name);
  return column?.role === "time" && column.key !== undefined ||
    column === undefined && ["date", "until", "cohort", "cohort_date"].includes(name);
}

/** A column with its place among those that a display shows. Keys have places below 1. */
interface Placed {
  readonly name: string;
  readonly index: number;
  readonly place: number;
  readonly isKey: boolean;
}

/** Returns the columns with their places: keys, what the last step made or was asked for, numbers, other texts. */
function placedOf(frame: DataFrame, dtypes: readonly string[], isEmpty: (name: string) => boolean) {
  const { columns: names } = frame;
  const last = annotationOf(frame)?.provenance.steps.at(-1)?.split(" ")[0];
  return names.map((name, index): Placed => {
    const { role, first, from } = columnIn(frame, name) ?? {};
    const isKey = /id|time|name/.test(role ?? (/^(String|Date)/.test(dtypes[index]!) ? "id" : ""));
    // An id is not a key beside its name, nor is `data_id` beside `chain_id`.
    const named = nameColumn(name).replace(/^group(?=_[ab]$)/, "name");
    const isRepeated = [idsIn(frame, name) ?? name, named].some((other) =>
      other !== name && names.includes(other) && !isEmpty(other)
    );
    const among = index / names.length;
    if (isKey && !isRepeated) return { name, index, isKey, place: among };
    if (first !== undefined) return { name, index, isKey, place: 1 + first / 10 };
    const isNew = last !== undefined && (from === last || index === names.length - 1);
    const place = (isNew ? 2 : isNumeric(dtypes[index]!) ? 3 : 4) + among;
    return { name, index, isKey, place };
  });
}

/**
 * Returns whether a column states one value for all rows: an option that an analysis repeats, or a remark. Keys, what
 * an analysis found, and values that add up are never left out of a table.
 */
function isSaidOnce(frame: DataFrame, { name, index, isKey, place }: Placed, dtype: string) {
  const { from = null, adds = null } = columnIn(frame, name) ?? {};
  if (isKey || place < 2 || (adds ?? "none") !== "none") return false;
  // A number in `lower` is no name of a column, which the option of this name would be.
  const option = Object.hasOwn(OPTION_WORDS, name) ? OPTION_WORDS[name]! : "the column";
  const isOption = from !== null && !option.startsWith("the column");
  if (!isOption && !/^(String|Bool)/.test(dtype)) return false;
  const series = frame.toSeries(index);
  const [first] = series.head(1).toArray();
  // Where the first and the last value differ, nothing is searched.
  return first !== null && Object.is(first, series.tail(1).toArray()[0]) && series.nUnique() === 1;
}

/** Returns the rows and columns that the display of a frame shows. The cells are texts. */
export function excerptOf(
  frame: DataFrame,
  { rows, columns: wanted = MOST_COLUMNS, locale }: Extent,
): Excerpt {
  // Each member of a frame is read once, because polars makes the list of all names for each access.
  const { columns: names, height } = frame;
  const dtypes = dtypeNames(frame);
  // A column can have the name of a method of frames, such as `row`. Then the frame lacks this method.
  const [nulls] = frame.nullCount().toRecords() as Record<string, number>[];
  const isEmpty = (name: string) => height > 0 && nulls?.[name] === height;
  const asked = typeof wanted !== "number";
  const all = placedOf(frame, dtypes, isEmpty);
  const full = all.filter(({ name }) => !isEmpty(name));
  const once = asked || height < FEWEST
    ? []
    : full.filter((each) => isSaidOnce(frame, each, dtypes[each.index]!));
  const varying = full.filter((each) => !once.includes(each));
  const some = varying.length > 0 ? varying : all;
  const chosen = asked
    ? wanted.flatMap((name) => all[names.indexOf(name)] ?? [])
    : some.length <= wanted
    ? some
    : some.toSorted((a, b) => a.place - b.place).slice(0, wanted);

  const isCut = height > (rows ?? ALL);
  const count = rows ?? SOME;
  const half = Math.ceil(count / 2);
  let months: string | undefined;
  const columns = chosen.map(({ name, index, place }): ExcerptColumn => {
    const [dtype, series] = [dtypes[index]!, frame.toSeries(index)];
    const read = (part: typeof series): unknown[] =>
      // JavaScript rounds integers beyond 2^53, and cannot read decimals.
      (/^U?Int64$|^Decimal/.test(dtype) ? part.cast(pl.Utf8) : part).toArray();
    const values = isCut
      ? [...read(series.head(half)), ...read(series.tail(count - half))]
      : read(series);
    const shown = dtype === "String" ? shownIds(frame, name, values as string[]) : values;
    const [unit, kind] = unitsOf(frame, name, () => months ??= monthUnit(frame));
    const cells = columnTexts(shown, dtype, { unit: kind, locale, isTime: isTime(frame, name) });
    return {
      name,
      dtype,
      unit,
      unitLine: repeats(name, unit) ? "" : unit,
      numeric: isNumeric(dtype),
      place,
      named: shown.some((text, row) => !Object.is(text, values[row])),
      cells: isCut ? cells.toSpliced(half, 0, "…") : cells,
    };
  });
  const named = columns.filter((column) => column.named);
  const empty = asked || some === all ? [] : all.filter(({ name }) => isEmpty(name));
  const said = some === all ? [] : once.map(({ name, index }) => {
    const [dtype, one] = [dtypes[index]!, frame.toSeries(index).head(1).toArray()];
    const { unit } = columnIn(frame, name) ?? {};
    const [text] = columnTexts(one, dtype, {
      unit: unit ?? "",
      locale,
      isTime: isTime(frame, name),
    });
    return `${name} ${cellText(text!, unitText(frame, name), locale)}`;
  });
  return {
    columns,
    asked,
    locale,
    shape: (shown) => {
      const hidden = [...empty, ...said.length > 0 ? once : []].map(({ name }) => name);
      const more = names.filter((name) => !shown.includes(name) && !hidden.includes(name));
      const facts = [`${counted(height, "row")} × ${counted(names.length, "column")}`];
      if (more.length > 0) {
        // A user who named the columns knows the others.
        const names = asked ? "" : `: ${listed(more, 3)}`;
        facts.push(`… ${counted(more.length, "more column")}${names}`);
      }
      if (said.length > 0) facts.push(`in all rows: ${said.join(", ")}`);
      const lists = [["shown by name", named], ["all null", empty]] as const;
      for (const [what, list] of lists) {
        if (list.length > 0) facts.push(`${what}: ${listed(list.map(({ name }) => name), 3)}`);
      }
      return facts.join(" · ");
    },
  };
}
