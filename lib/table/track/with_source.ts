import {
  boolean,
  checkOptions,
  mustBeOneOf,
  oneOf,
  required,
  type Rule,
} from "../../platform/check_options.ts";
import { type Adds, describedColumn } from "../../schema/dictionary.ts";
import { aDay, aLastDay } from "../read/day_rule.ts";
import { dateOfDay } from "../../schema/period.ts";
import { inputName } from "../show/display.ts";
import { frameDigest } from "./frame_digest.ts";
import {
  columnIn,
  type Columns,
  columnsOf,
  describedKeys,
  type Keys,
  setColumns,
} from "./descriptions.ts";
import { dtypeNames, isText } from "../columns/dtypes.ts";
import { type DataFrame, type Frame, pl } from "../columns/polars.ts";
import { annotate, annotationOf, inputsOf, noteSource, noteStep } from "./provenance.ts";
import { columnNames, requireColumns } from "../read/requirements.ts";
import { requireTimes } from "../read/times.ts";
import { track } from "./track.ts";

/** The description of a column of own data. */
interface OwnColumn {
  readonly unit?: string;
  readonly title?: string;
  readonly adds?: Adds;
}

const text: Rule<string> = (value, refuse) =>
  typeof value === "string" && value.trim() !== "" ? value : refuse("must be a text");

const url: Rule<string> = (value, refuse) =>
  typeof value === "string" && URL.canParse(value) ? value : refuse("must be a URL");

const COLUMN = { unit: text, title: text, adds: oneOf(["both", "groups", "none"]) };

/** Accepts descriptions of columns of a frame, by name. */
function ownColumns(frame: DataFrame, fn: string): Rule<Record<string, OwnColumn>> {
  return (value, refuse) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return refuse('must be an object, such as { vc_usd: { unit: "usd", adds: "both" } }');
    }
    for (const [name, column] of Object.entries(value)) {
      if (!frame.columns.includes(name)) return refuse(mustBeOneOf(frame.columns, name));
      const { adds } = checkOptions(column, COLUMN, `${fn}: columns.${name}`);
      const isAdded = adds === "both" || adds === "groups";
      if (isAdded && isText(dtypeNames(frame.select(name))[0]!)) {
        return refuse(`${name} is text, which cannot be added: adds must be "none"`);
      }
    }
    return value as Record<string, OwnColumn>;
  };
}

/** Options that describe a frame, whatever its source is. */
const DESCRIBING: readonly string[] = ["entity", "date", "columns"];

/** Accepts a column of a frame that has no nulls. */
function keyColumn(frame: DataFrame): Rule<string> {
  return (name, refuse) => {
    if (typeof name !== "string" || !frame.columns.includes(name)) {
      return refuse(mustBeOneOf(frame.columns, name));
    }
    const column = frame.getColumn(name);
    if (column.nullCount() === 0) return name;
    const row = column.toArray().findIndex((value) => value === null);
    return refuse(`must have no nulls, but ${name} has null in row ${row}`);
  };
}

/** Accepts the columns of the entity: one, or several. */
function entityColumns(frame: DataFrame, fn: string): Rule<string[]> {
  const column = keyColumn(frame);
  return (value, refuse) =>
    columnNames(value, refuse).map((name) =>
      column(name, (message) => {
        throw new RangeError(`${fn}: entity: ${message}; got ${name}`);
      })
    );
}

/** Accepts the column of dates. */
function dateColumn(frame: DataFrame, fn: string): Rule<string> {
  const column = keyColumn(frame);
  return (value, refuse) => {
    const name = column(value, refuse);
    requireTimes(frame, name, `${fn}: date`);
    return name;
  };
}

/** Returns the descriptions of columns that options state. */
function describedBy(
  frame: DataFrame,
  { columns = {}, ...keys }: { readonly columns?: Record<string, OwnColumn> | undefined } & Keys,
): Columns {
  const own = Object.entries(columns).map(([name, stated]) => {
    // The unit of a column that gets a title stays, and so do the days of a sum.
    const known = columnIn(frame, name) ?? { role: "value", adds: null } as const;
    return [name, describedColumn(name, { ...known, ...stated })] as const;
  });
  return describedKeys(new Map([...columnsOf(frame), ...own]), keys, "stated");
}

/**
 * States the source of own data, who its rows are, and the units of its columns.
 *
 * Returns a new frame with the rows and columns of the frame. Its provenance has the kind `"given"`, so that captions,
 * files and combinations with other frames name the source. `frame_sha256` of the provenance is the digest of the values.
 *
 * With no other options than `entity`, `date` and `columns`, the frame can have a source, which stays. What is stated
 * follows filters, new names, joins (of the left frame), results and files, until it is stated again.
 *
 * @example Own data beside that of the service
 * ```ts
 * import { blockchainComparison, pl, provenanceOf, withSource } from "@chainframe/chainframe";
 *
 * const mine = withSource(pl.DataFrame({ chain_id: ["alder", "basalt"], vc_usd: [5e6, 2e6] }), {
 *   citation: "VC database, export of 3 June 2026",
 *   columns: { vc_usd: { unit: "usd", title: "Venture capital", adds: "both" } },
 * });
 * const joined = (await blockchainComparison()).join(mine, { on: "chain_id" });
 * console.log(provenanceOf(joined).kind); // "combined"
 * ```
 *
 * @throws {RangeError} when the frame is that of an operation, has a source already, or was made from such frames; for an
 * unknown column, and for an option that is not as described.
 * @category Frames
 */
export function withSource(frame: DataFrame, options: {
  /**
   * The name of the source, as in a list of references.
   *
   * @default {required, unless only `entity`, `date` and `columns` are stated}
   */
  readonly citation?: string;
  /**
   * The column that names the entities, or several columns.
   *
   * @default {found: `help(frame)` shows it}
   */
  readonly entity?: string | readonly string[];
  /**
   * The column of dates.
   *
   * @default {found: `help(frame)` shows it}
   */
  readonly date?: string;
  /**
   * The address of the source.
   *
   * @default {none}
   */
  readonly url?: string;
  /**
   * The day on which the data was retrieved: a Date, a text such as `2026-06-03`, or a moment with its zone, such as
   * `new Date().toISOString()`, which means its day in UTC.
   *
   * @default {not stated}
   */
  readonly retrievedAt?: string | Date;
  /**
   * The last day that the data covers: a Date, or a text such as `2026-05-31`; a month or a year means its last day. A
   * period that ends later is not complete.
   *
   * @default {the day before `retrievedAt`}
   */
  readonly through?: string | Date;
  /**
   * The license of the data.
   *
   * @default {not stated}
   */
  readonly license?: string;
  /**
   * Whether the data is invented.
   *
   * @default {false}
   */
  readonly sample?: boolean;
  /**
   * Columns by name. `unit` is a unit such as `"usd"` or `"fraction"`, or a text of your own; `title` is written on axes;
   * `adds` states over what values can be added: `"both"` (over groups and periods), `"groups"` (over groups only, such as
   * TVL), or `"none"` (users, ratios).
   *
   * @default {no units; it is not known whether values can be added}
   */
  readonly columns?: Readonly<
    Record<string, {
      readonly unit?: string;
      readonly title?: string;
      readonly adds?: "both" | "groups" | "none";
    }>
  >;
}): Frame {
  return sourced(frame, options, "withSource");
}

/** Does what {@linkcode withSource} does. Errors name the function that was called. */
export function sourced(
  frame: DataFrame,
  options: Parameters<typeof withSource>[1],
  fn: string,
): Frame {
  requireColumns(frame, { fn, source: "a frame" });
  const before = annotationOf(frame)?.provenance;
  const known = inputsOf(before).find(({ kind }) => kind !== "unknown");
  const names = Object.keys(Object(options));
  const isDescription = names.length > 0 && names.every((name) => DESCRIBING.includes(name));
  if (known !== undefined && !isDescription) {
    throw new RangeError(
      `${fn}: the frame already has a source: ${inputName(known)}; ` +
        "state the source of own data before you combine it, and state only entity, date and columns here",
    );
  }
  const rules = {
    citation: isDescription ? text : required(text),
    entity: entityColumns(frame, fn),
    date: dateColumn(frame, fn),
    url,
    retrievedAt: aDay,
    through: aLastDay,
    license: text,
    sample: boolean,
    columns: ownColumns(frame, fn),
  };
  const checked = checkOptions(options, rules, fn);
  const { citation = "", sample = false, columns = {}, entity, date, ...given } = checked;
  if (date !== undefined && entity?.includes(date)) {
    throw new RangeError(`${fn}: entity: must not be the column of dates; got ${date}`);
  }
  const described = describedBy(frame, { columns, entity, date });
  if (isDescription) {
    const made = track(frame).clone() as Frame;
    noteStep([track(frame)], made, { name: "withSource", args: [options] });
    return setColumns(made, described);
  }
  const read = before?.kind === "unknown" && before.steps.length === 0 ? before : null;
  const provenance = {
    kind: "given",
    citation,
    url: given.url ?? null,
    retrieved_at: given.retrievedAt === undefined ? null : dateOfDay(given.retrievedAt),
    data_through: given.through === undefined ? null : dateOfDay(given.through),
    license: given.license ?? null,
    sample,
    columns: frame.columns.toSorted(),
    frame_sha256: frameDigest(frame),
    file: read?.file ?? null,
    file_sha256: read?.file_sha256 ?? null,
    ...read?.notes !== undefined && { notes: read.notes },
    steps: [],
  } as const;
  const made = track(pl.DataFrame(frame.getColumns()));
  annotate(made, { provenance, errors: pl.DataFrame({}) });
  noteSource(frame, made, options);
  return setColumns(made, described);
}
