import { nearest, type Refuse } from "../../platform/check_options.ts";
import { meantWord } from "../../platform/option_words.ts";
import { optionOf } from "../../platform/statement.ts";
import { listed, shown } from "../../platform/terminal.ts";
import { dtypeNames, isNumeric, isText } from "../columns/dtypes.ts";
import { USED_MEMBERS } from "../track/member_names.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { dateAdvice } from "./date_advice.ts";

/** Checks that a value is a frame. */
export function aFrame(value: unknown, refuse: Refuse): DataFrame {
  return pl.DataFrame.isDataFrame(value) ? value : refuse("must be a DataFrame");
}

/** The columns that a function needs, and texts for error messages. */
interface Requirement {
  /** Name of the function, for messages. */
  readonly fn: string;
  /** A description of a frame that has these columns, such as `a frame of cohortAnalysis`. */
  readonly source: string;
  /** Required columns of any dtype. */
  readonly columns?: readonly string[];
  /** Required columns of numbers. */
  readonly numbers?: readonly string[];
  /** Required columns of certain dtypes, by name: `{ complete: "Bool" }`. */
  readonly dtypes?: Readonly<Record<string, string>>;
}

const NUMERIC = /^(U?Int|Float)\d+$|^(Decimal|Null)$/;

/** Maximum number of columns in a message. */
const MOST_LISTED = 10;

/** Returns the end of a message for a missing column: the columns of the frame, and of a long list the nearest one. */
export function columnsNear(missing: string, names: readonly string[]): string {
  if (names.length === 0) return "no columns";
  const near = meantWord(missing, names) ??
    (names.length > MOST_LISTED ? nearest(missing, names) : undefined);
  return listed(names, MOST_LISTED) +
    (near === undefined ? "" : `; nearest to ${missing}: ${near}`);
}

const TIMES = /time|date|day|^ts$/i;
/** Seconds from 1990 to 2060. */
const [EARLIEST, LATEST] = [631_152_000, 2_871_763_200];

/** Returns the unit of numbers that can be times of the years 1990 to 2060. */
function epochOf(frame: DataFrame, name: string): string | undefined {
  const values = frame.getColumn(name).dropNulls().toArray() as unknown[];
  const units = [["seconds", 1], ["milliseconds", 1_000], ["microseconds", 1_000_000]] as const;
  return units.find(([, count]) =>
    values.length > 0 &&
    values.every((value) =>
      typeof value === "number" && value >= EARLIEST * count && value < LATEST * count
    )
  )?.[0];
}

/** Returns the end of a message for a missing date: a column of numbers or texts that can be days, and how to read it. */
function textDates(frame: DataFrame): string {
  const dtypes = dtypeNames(frame);
  for (const [at, name] of frame.columns.entries()) {
    const advice = isText(dtypes[at]!) ? dateAdvice(frame, name) : "";
    if (advice !== "") return `; ${name} is text${advice}`;
    const unit = isNumeric(dtypes[at]!) && TIMES.test(name) ? epochOf(frame, name) : undefined;
    if (unit !== undefined) {
      return `; ${name} can be ${unit} since 1970: open the file with ${
        optionOf("dates", name, unit)
      }`;
    }
  }
  return "";
}

/**
 * Checks that a value is a frame with the columns that a function needs. A column of the dtype Null counts as numeric.
 *
 * @throws {RangeError} when the value is not a frame, or columns are missing. The message names all missing columns.
 * @throws {TypeError} when a column does not have the required dtype.
 */
export function requireColumns(
  frame: DataFrame,
  { fn, source, columns = [], numbers = [], dtypes: wanted = {} }: Requirement,
): void {
  if (!pl.DataFrame.isDataFrame(frame)) {
    throw new RangeError(`${fn}: expected ${source}; got ${shown(frame)}`);
  }
  const names = frame.columns;
  const needed = [...columns, ...Object.keys(wanted), ...numbers];
  // If a column is named `columns`, this member is the column.
  const there = new Set(Array.isArray(names) ? names : ["columns"]);
  const hidden = [...USED_MEMBERS].find((name) => there.has(name));
  if (needed.length > 0 && hidden !== undefined) {
    throw new RangeError(
      `${fn}: column ${hidden}: frames have a member of this name; rename the column`,
    );
  }
  const missing = needed.filter((name) => !there.has(name));
  if (missing.length > 0) {
    const got = columnsNear(String(missing[0]), names);
    const lacking = missing.map((name) => typeof name === "string" ? name : shown(name)).join(", ");
    const advice = missing.includes("date") ? textDates(frame) : "";
    throw new RangeError(`${fn}: expected ${source}; missing: ${lacking}; got ${got}${advice}`);
  }
  // `frame.schema` is not used, because it takes milliseconds on a wide frame.
  const dtypes = dtypeNames(frame);
  const dtypeOf = (name: string) => dtypes[names.indexOf(name)]!;
  const refuse = (name: string, expected: string): never => {
    throw new TypeError(`${fn}: column ${name}: expected ${expected}; got dtype ${dtypeOf(name)}`);
  };
  for (const name of numbers) if (!NUMERIC.test(dtypeOf(name))) refuse(name, "numbers");
  // Skips this check for a frame without rows.
  for (const [name, dtype] of frame.height === 0 ? [] : Object.entries(wanted)) {
    if (!dtype.split(" or ").includes(dtypeOf(name))) refuse(name, dtype);
  }
}

/** Accepts the names of one or several columns. */
export function columnNames(value: unknown, refuse: Refuse): string[] {
  const names = typeof value === "string" ? [value] : value;
  return Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === "string")
    ? names
    : refuse("must name a column, or list names of columns");
}
