import {
  checkOptions,
  integer,
  isObject,
  oneOf,
  required,
  type Rule,
  string,
} from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import { NUMBER_WAYS, type NumberWay, patternReader } from "../schema/grammar.ts";
import { aDay, aLastDay } from "../table/read/day_rule.ts";
import { columnNames } from "../table/read/requirements.ts";
import { SEPARATORS } from "./csv_table.ts";
import { FORMATS } from "./foreign_table.ts";
import { EPOCHS, isWay } from "./stated_column.ts";

/** A dtype that `columns` can ask for. */
const DTYPE =
  /^(?:String|Bool|Date|Datetime|Categorical|U?Int(?:8|16|32|64)|Float(?:32|64)|(?:List|Struct)\(.+\))$/;

const isText = (value: unknown) => typeof value === "string" && value.trim() !== "";
const text: Rule<string> = (value, refuse) =>
  isText(value) ? value as string : refuse("must be a text");
const names: Rule<string[]> = (value, refuse) =>
  Array.isArray(value) && value.length > 0 && value.every(isText) &&
    new Set(value).size === value.length
    ? value
    : refuse("must be a list of different names");
const path: Rule<string> = (value, refuse) =>
  isText(value) && !(value as string).split(".").includes("")
    ? value as string
    : refuse('must be the path of a member, such as "paging.next"');

const times: Rule<Record<string, string>> = (value, refuse) => {
  const units = Object.keys(EPOCHS);
  const isTime = (each: unknown) =>
    typeof each === "string" && (units.includes(each) || patternReader(each) !== null);
  return isObject(value) && Object.values(value).every(isTime)
    ? value as Record<string, string>
    : refuse(
      `must be an object with ${units.join(", ")}, or a pattern of %Y, %m or %b, %d, %H, %M, %S, ` +
        'such as { time: "seconds", day: "%d.%m.%Y" }',
    );
};

const numbers: Rule<NumberWay | Record<string, NumberWay>> = (value, refuse) =>
  isWay(value) || (isObject(value) && Object.values(value).every(isWay))
    ? value as NumberWay
    : refuse(
      `must be one of ${NUMBER_WAYS.map(shown).join(", ")}, or an object with one for each column`,
    );

const columns: Rule<Record<string, { readonly dtype?: string }>> = (value, refuse) => {
  if (!isObject(value) || !Object.values(value).every(isObject)) {
    return refuse('must be an object, such as { tvl: { unit: "usd", adds: "groups" } }');
  }
  const made = value as Record<string, { readonly dtype?: string }>;
  for (const { dtype } of Object.values(made)) {
    if (dtype !== undefined && !(isText(dtype) && DTYPE.test(dtype))) {
      return refuse(
        `dtype must be one such as String, Float64, Date or List(String); got ${shown(dtype)}`,
      );
    }
  }
  return made;
};

const encoding: Rule<string> = (value, refuse) => {
  try {
    return new TextDecoder(value as string).encoding;
  } catch {
    return refuse('must be the name of an encoding, such as "windows-1252"');
  }
};

const RULES = {
  citation: text,
  license: text,
  retrievedAt: aDay,
  through: aLastDay,
  rows: string,
  next: path,
  parameter: text,
  format: oneOf(FORMATS),
  keys: names,
  names,
  dates: times,
  numbers,
  separator: oneOf(SEPARATORS),
  header: integer(1),
  footer: integer(0),
  encoding,
  columns,
  entity: columnNames,
  date: text,
  maxBytes: integer(1),
  secret: names,
};

/**
 * The options of {@linkcode openFrame} for a table of another source: a file, or an address.
 *
 * @category Output
 */
export interface TableOptions {
  /**
   * The name of the source, as in a list of references. An address needs it.
   *
   * @default {the name of the file}
   */
  readonly citation?: string;
  /**
   * The license of the data.
   *
   * @default {not stated}
   */
  readonly license?: string;
  /**
   * The day on which a file was retrieved: a Date, or a text such as `2026-06-03`. Of an address, it is known.
   *
   * @default {not stated}
   */
  readonly retrievedAt?: string | Date;
  /**
   * The last day that the data covers: a Date, or a text such as `2026-05-31`; a month or a year means its last day. A
   * period that ends later is not complete.
   *
   * @default {the day before it was retrieved}
   */
  readonly through?: string | Date;
  /**
   * The path of the list of rows in JSON, such as `"data.prices"`. One name can be `*`, which stands for all members. Then
   * `keys` names the column of their names.
   *
   * @default {the whole response}
   */
  readonly rows?: string;
  /**
   * The path of the member of a JSON response that leads to the next page, such as `"next_page_token"`: an address of the
   * same origin, or a value that the next request sends as a parameter. All pages become one frame. Null, `""`, `false` and a
   * missing member are the end.
   *
   * @default {one page}
   */
  readonly next?: string;
  /**
   * The parameter that has the value of `next`.
   *
   * @default {the last name of `next`}
   */
  readonly parameter?: string;
  /**
   * The format of the table.
   *
   * @default {by the first bytes, or the ending of the name}
   */
  readonly format?: "json" | "ndjson" | "csv" | "parquet" | "arrow";
  /** The name of the column for the `*` in `rows`, in a list. */
  readonly keys?: readonly string[];
  /** The names of the columns, if each row is a list. */
  readonly names?: readonly string[];
  /**
   * How columns write times: a unit of the time since 1970 (`"seconds"`, `"milliseconds"`, `"microseconds"`, `"days"`), or a
   * pattern of `%Y`, `%m`, `%d`, `%b`, `%H`, `%M` and `%S`, such as `{ date: "%d.%m.%Y" }`. Times are in UTC.
   *
   * @default {ISO texts}
   */
  readonly dates?: Readonly<Record<string, string>>;
  /**
   * How texts write numbers for readers, in all text columns that fit, or by column. Signs of currency, spaces, parentheses
   * (minus) and `%` are read: `12.5%` is 0.125.
   *
   * @default {texts stay texts}
   */
  readonly numbers?: "1,234.5" | "1.234,5" | Readonly<Record<string, "1,234.5" | "1.234,5">>;
  /**
   * The character between fields of CSV.
   *
   * @default {the one with which all rows have the same number of fields}
   */
  readonly separator?: "," | ";" | "\t" | "|";
  /**
   * The row of CSV that has the names, from 1.
   *
   * @default {1}
   */
  readonly header?: number;
  /**
   * The number of rows at the end of CSV to leave out.
   *
   * @default {0}
   */
  readonly footer?: number;
  /**
   * The encoding of CSV, such as `"windows-1252"`.
   *
   * @default {UTF-8, or UTF-16 with a byte order mark}
   */
  readonly encoding?: string;
  /**
   * Columns by name: `unit`, `title` and `adds` as in `withSource`, and `dtype`, such as `"String"` for ids of digits, or
   * `"List(String)"`.
   *
   * @default {no units; it is not known whether values can be added}
   */
  readonly columns?: Readonly<
    Record<string, {
      readonly dtype?: string;
      readonly unit?: string;
      readonly title?: string;
      readonly adds?: "both" | "groups" | "none";
    }>
  >;
  /**
   * The column that names the entities, or several columns, as in `withSource`. A file with a side-car can have it.
   *
   * @default {found: `help(frame)` shows it}
   */
  readonly entity?: string | readonly string[];
  /**
   * The column of dates, as in `withSource`. A file with a side-car can have it.
   *
   * @default {found: `help(frame)` shows it}
   */
  readonly date?: string;
  /**
   * Maximum size of the table in bytes, after it is unpacked; of several pages, their sum.
   *
   * @default {268435456}
   */
  readonly maxBytes?: number;
  /**
   * Further parameters of the address whose values are secret, besides those that look like keys and tokens. Provenance,
   * files and messages have these names, and never their values.
   *
   * @default {none}
   */
  readonly secret?: readonly string[];
}

/** Options that only tables of one kind have. */
const ONLY = { address: ["next", "parameter", "secret"], file: ["retrievedAt"] } as const;

/** Checks the options of a table. Returns what states the source, how the table is read, and how it is fetched. */
export function tableOptions(given: TableOptions, kind: "file" | "address") {
  const fn = "openFrame";
  const rules = kind === "address" ? { ...RULES, citation: required(text) } : RULES;
  const checked = checkOptions<typeof RULES>(given, rules, fn);
  const other = kind === "address" ? "file" : "address";
  const wrong = ONLY[other].find((name) => checked[name] !== undefined);
  if (wrong !== undefined) {
    throw new RangeError(`${fn}: ${wrong}: is for ${kind === "file" ? "an address" : "a file"}`);
  }
  const { citation, license, retrievedAt: _, through: _day, entity, date, ...reading } = checked;
  const { maxBytes, secret, next, parameter, ...table } = reading;
  if (parameter !== undefined && next === undefined) {
    throw new RangeError(`${fn}: parameter: needs next, the path of its value`);
  }
  const columns = Object.entries(table.columns ?? {})
    .map(([name, { dtype: _, ...description }]) => [name, description] as const);
  return {
    table,
    source: {
      ...citation === undefined ? {} : { citation },
      ...license === undefined ? {} : { license },
      ...given.retrievedAt === undefined ? {} : { retrievedAt: given.retrievedAt },
      ...given.through === undefined ? {} : { through: given.through },
      ...entity === undefined ? {} : { entity },
      ...date === undefined ? {} : { date },
      columns: Object.fromEntries(columns),
    },
    fetching: {
      ...maxBytes === undefined ? {} : { maxBytes },
      ...secret === undefined ? {} : { secret },
      ...next === undefined ? {} : { next },
      ...parameter === undefined ? {} : { parameter },
    },
  };
}
