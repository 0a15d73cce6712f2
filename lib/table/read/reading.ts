import { listed } from "../../platform/terminal.ts";
import { type Column, columnTitle, describedColumn, fieldNamed } from "../../schema/dictionary.ts";
import { dayOf } from "../../schema/period.ts";
import { dtypeNames, isText } from "../build/dtypes.ts";
import { type DataFrame, pl } from "../build/polars.ts";
import { columnIn, columnsOf, setColumns } from "../track/descriptions.ts";
import { annotationOf, inputsOf, responseOf } from "../track/provenance.ts";
import { idsIn, shownIds } from "./names.ts";

/** Who the rows of a frame are, and when: the columns that identify a row. */
export interface Reading {
  /** The columns of the entity. Several columns identify it together. Empty if the frame has no entities. */
  readonly entity: readonly string[];
  /** The column of texts that names each entity, or null if the texts of the entity itself do. */
  readonly label: string | null;
  /** The columns that tell the rows of an entity apart: its date, its cohort and month, the field of a long table. */
  readonly times: readonly string[];
}

/** What a function asks of a frame. */
interface Question {
  readonly fn: string;
  /** The columns of the entity, if the user names them. */
  readonly entity?: string | readonly string[] | undefined;
  /** The column of dates, if the user names it. */
  readonly date?: string | undefined;
  /** Whether rows can repeat, because the function reports them. */
  readonly repeats?: boolean;
  /** The columns that the user groups by: an entity can be in several groups. */
  readonly groups?: readonly string[];
}

/** If one column makes this part of the rows unique, repeats are errors of the data. */
const NEARLY = 0.95;

/** The columns that identify a row of a response, by operation. */
const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  metric_aggregations: ["project_id"],
  blockchain_comparison: ["chain_id"],
  project_contracts: ["account_address", "chain_id"],
  cohort_analysis: ["project_id", "market_sector_id"],
  project: ["project_id"],
};

const LONG_FORM = ["field", "row", "metric_id", "metric_aggregation_name", "aggregation"];

const NAMES = ["name", "title", "label"].map((word) => new RegExp(`(^|_|[a-z])${word}$`, "i"));
const IDS = /(^|_)(id|key|slug|address)$|[a-z]I[dD]$/;
const DATES = /^\d{4}(-\d\d(-\d\d)?|-?Q[1-4])?$/;

/** Returns the columns that tell the rows of an entity apart. */
function timesOf(frame: DataFrame, date: string | undefined): string[] {
  const dtypes = dtypeNames(frame);
  const dtypeOf = (name: string) => dtypes[frame.columns.indexOf(name)] ?? "";
  const has = (name: string, dtype: RegExp) => dtype.test(dtypeOf(name));
  const long = LONG_FORM.filter((name) =>
    has(name, /^(String|Cat|Enum)/) && columnIn(frame, name)?.role === "id"
  );
  const isDate = (name: string) => has(name, /^Date/);
  if (date !== undefined) return [date, ...long];
  if (frame.columns.includes("date")) return ["date", ...long];
  const month = frame.columns.filter((name) =>
    name === "month" && (has(name, /Int|Float/) || columnIn(frame, name)?.role === "time")
  );
  const cohort = ["cohort", "cohort_date"].find((name) => frame.columns.includes(name));
  if (cohort !== undefined) return [cohort, ...month, ...long];
  const first = frame.columns.find((name) => isDate(name) && name !== "until");
  return [...first === undefined ? month : [first], ...long];
}

/** Returns the number of different rows of some columns. */
function distinct(frame: DataFrame, columns: readonly string[]): number {
  if (columns.length === 0) return Math.min(1, frame.height);
  if (columns.length === 1) return frame.getColumn(columns[0]!).nUnique();
  // Different hashes have different rows. Counting them is four times as fast as comparing rows.
  const rows = pl.struct(columns.map((name) => pl.col(name))).hash().alias("(hash)");
  const hashes = frame.select(rows).getColumn("(hash)").nUnique();
  return hashes === frame.height ? hashes : frame.select(...columns).unique().height;
}

function isConstant(frame: DataFrame, name: string): boolean {
  // The first rows mostly decide, at less cost.
  const column = frame.getColumn(name);
  return column.head(1_000).nUnique() <= 1 && column.nUnique() <= 1;
}

/** Returns whether a column of texts holds only dates, such as `2025-01` or `2025-Q1`. */
function holdsDates(frame: DataFrame, name: string): boolean {
  const isDate = (text: unknown) => DATES.test(String(text));
  const column = frame.getColumn(name);
  return frame.height > 0 && column.head(3).toArray().every(isDate) &&
    column.unique().toArray().every((text) => text === null || isDate(text));
}

/** Returns the first column of texts that hold only dates. */
export function datesAsText(frame: DataFrame): string | undefined {
  const dtypes = dtypeNames(frame);
  return frame.columns.find((name, at) => isText(dtypes[at]!) && holdsDates(frame, name));
}

/** 2 for ids, 0 for names, 1 for other texts: columns with a lower rank are left out first. */
function rankOf(frame: DataFrame, name: string): number {
  const role = columnIn(frame, name)?.role;
  if (role === "id" || role === undefined && IDS.test(name)) return 2;
  return role === "name" || NAMES.some((pattern) => pattern.test(name)) ? 0 : 1;
}

/** Returns whether a column can be a part of the entity. */
function isCandidate(frame: DataFrame, name: string, dtype: string): boolean {
  const column = columnIn(frame, name);
  if (column?.role === "note" || column?.role === "time") return false;
  if (column?.role === "value" && (column === fieldNamed(name) || column.from !== null)) {
    return false;
  }
  if (isText(dtype)) return true;
  const isNumber = /^(U?Int|Float)/.test(dtype) && name.endsWith("_id");
  return isNumber && frame.getColumn(name).toArray().every((id) => Number.isInteger(Number(id)));
}

/** Returns the ids that the response of a frame was grouped by, if the frame still has them. */
function identityOf(frame: DataFrame): readonly string[] | undefined {
  const response = responseOf(frame);
  if (response === undefined) return undefined;
  const groupBy = String(response.query.group_by ?? "");
  const ids = response.operation === "metric_breakdown"
    ? /^chain-/.test(groupBy) ? ["data_id", "chain_id"] : ["data_id"]
    : IDENTITY[response.operation] ?? [];
  const there = ids.filter((name) => frame.columns.includes(name));
  return there[0] === ids[0] ? there : undefined;
}

/** Shows the two rows that have the same entity and time. */
function refuseRepeated(frame: DataFrame, columns: readonly string[], fn: string): never {
  const repeated = pl.struct(columns.map((name) => pl.col(name))).isDuplicated();
  const rows = frame.withRowIndex("(row)").filter(repeated).sort([...columns, "(row)"]).head(2)
    .select("(row)", ...columns).toRecords() as Record<string, unknown>[];
  const texts = rows.map(({ "(row)": row, ...values }) => {
    const cells = Object.entries(values).map(([name, value]) =>
      `${name} ${value instanceof Date ? value.toISOString().slice(0, 10) : value}`
    );
    return `row ${row}: ${cells.join(", ")}`;
  });
  throw new RangeError(
    `${fn}: entity: two rows have the same ${listed(columns)}; got ${texts.join("; ")}; ` +
      "keep one, or name the columns of the entity",
  );
}

/** Throws a RangeError that shows two rows if two rows have the same entity and the same times. */
export function refuseTwice(frame: DataFrame, { entity, times }: Reading, fn: string): void {
  const columns = [...entity, ...times];
  if (distinct(frame, columns) < frame.height) refuseRepeated(frame, columns, fn);
}

/** Finds the smallest set of columns that, with the times, makes rows unique. */
function smallestKey(
  frame: DataFrame,
  { candidates, times, fn, repeats = false, groups = [] }: {
    readonly candidates: readonly string[];
    readonly times: readonly string[];
  } & Pick<Question, "fn" | "repeats" | "groups">,
): string[] {
  const most = distinct(frame, [...candidates, ...times]);
  const isEnough = (columns: readonly string[]) => distinct(frame, [...columns, ...times]) === most;
  let key = [...candidates];
  for (const rank of [0, 1, 2]) {
    for (const name of candidates.filter((each) => rankOf(frame, each) === rank).toReversed()) {
      const less = key.filter((each) => each !== name);
      if (less.length > 0 && isEnough(less)) key = less;
    }
  }
  if (repeats) return key;
  const near = key.find((name) =>
    key.some((other) => other !== name && !groups.includes(other)) &&
    distinct(frame, [name, ...times]) >= NEARLY * frame.height
  );
  if (near !== undefined) refuseRepeated(frame, [near, ...times], fn);
  if (most < frame.height) refuseRepeated(frame, [...key, ...times], fn);
  return key;
}

function entityOf(
  frame: DataFrame,
  times: readonly string[],
  about: Pick<Question, "fn" | "repeats" | "groups">,
): readonly string[] {
  const identity = identityOf(frame);
  if (identity?.length === 1) return identity;
  const dtypes = dtypeNames(frame);
  const all = identity ??
    frame.columns.filter((name, at) =>
      !times.includes(name) && isCandidate(frame, name, dtypes[at]!) &&
      frame.getColumn(name).nullCount() === 0 && !holdsDates(frame, name)
    );
  const ids = all.filter((name) => columnIn(frame, name)?.role === "id");
  if (frame.height < 2) return (ids.length > 0 ? ids : all).slice(0, 1);
  const candidates = all.filter((name) => !isConstant(frame, name));
  const constant = all.filter((name) => !candidates.includes(name));
  const varying = ids.filter((name) => candidates.includes(name));
  // A frame of one entity, whose other texts are remarks. Ids are no remarks.
  const isOne = constant.length > 0 && times.length > 0 && candidates.length > 0 &&
    candidates.every((name) => rankOf(frame, name) < 2) && distinct(frame, times) === frame.height;
  if (candidates.length === 0 || isOne) {
    const best = Math.max(...constant.map((name) => rankOf(frame, name)));
    return constant.filter((name) => rankOf(frame, name) === best).slice(0, 1);
  }
  if (candidates.length === 1) return candidates;
  const enough = varying.length > 0 &&
    distinct(frame, [...varying, ...times]) === frame.height;
  return enough && varying.length === 1
    ? varying
    : smallestKey(frame, { candidates: enough ? varying : candidates, times, ...about });
}

/** Returns the column whose texts name each entity: one text for each entity, and the reverse. */
function labelOf(frame: DataFrame, entity: readonly string[]): string | null {
  if (entity.length !== 1 || frame.height === 0) return null;
  const [id] = entity as [string];
  if (NAMES.some((pattern) => pattern.test(id))) return null;
  const dtypes = dtypeNames(frame);
  const found = NAMES.flatMap((pattern) =>
    frame.columns.filter((name, at) =>
      name !== id && pattern.test(name) && isText(dtypes[at]!) &&
      columnIn(frame, name)?.role !== "note"
    )
  );
  if (found.length === 0) return null;
  const count = distinct(frame, [id]);
  return found.find((name) =>
    distinct(frame, [name]) === count && distinct(frame, [id, name]) === count
  ) ?? null;
}

/**
 * Reads who the rows of a frame are, and when.
 *
 * The entity is the option `entity`; else the ids that the response was grouped by; else the smallest set of columns of
 * texts that, with the times, makes rows unique. Names are left out before other texts, and other texts before ids. The
 * columns that are found keep the role `id`, so that frames made from this frame have the same entity.
 *
 * @throws {RangeError} when rows repeat, so that no set of columns identifies them, and when a column is missing.
 */
export function readingOf(frame: DataFrame, question: Question): Reading {
  const { fn, entity, date, repeats = false } = question;
  const times = timesOf(frame, date);
  const found = entity === undefined ? entityOf(frame, times, question) : [entity].flat();
  const dated = times.length === 0 && entity === undefined && !repeats
    ? datesAsText(frame)
    : undefined;
  if (dated !== undefined && distinct(frame, found) < frame.height) {
    throw new RangeError(
      `${fn}: ${dated}: holds dates as texts; cast it, as in ` +
        `frame.withColumn(pl.col("${dated}").str.strptime(pl.Date, "%Y-%m-%d"))`,
    );
  }
  const dates = found.find((name) => times.includes(name));
  if (dates !== undefined && entity !== undefined) {
    throw new RangeError(
      `${fn}: entity: must name who the rows are; got ${dates}, which tells the time`,
    );
  }
  const missing = found.find((name) => !frame.columns.includes(name));
  if (missing !== undefined) {
    throw new RangeError(`${fn}: entity: unknown column ${missing}; got ${listed(frame.columns)}`);
  }
  const unknown = found.filter((name) => columnIn(frame, name) === undefined);
  if (unknown.length > 0) {
    const described = unknown.map((name): [string, Column] => [
      name,
      describedColumn(name, { role: "id" }),
    ]);
    setColumns(frame, new Map([...columnsOf(frame), ...described]));
  }
  return { entity: found, label: labelOf(frame, found), times };
}

/** Throws a RangeError if a frame has no column that names entities. */
export function requireEntity({ entity }: Reading, fn: string): void {
  if (entity.length > 0) return;
  throw new RangeError(`${fn}: entity: the frame has no column of texts that names the entities`);
}

/** The text between the parts of a key of several columns. */
const BETWEEN = " · ";

/** Returns the text of the entity of each row: its id, or `DE · ads` for several columns. Null if a part is null. */
export function entityTexts(
  frame: DataFrame,
  { entity }: Pick<Reading, "entity">,
): (string | null)[] {
  if (entity.length === 0) return Array<string | null>(frame.height).fill("");
  const columns = entity.map((name) => {
    const column = pl.col(name);
    const whole = frame.getColumn(name).isFloat() ? column.cast(pl.Int64) : column;
    return frame.select(whole.cast(pl.Utf8)).getColumn(name).toArray() as (string | null)[];
  });
  const [first, ...others] = columns;
  return first!.map((text, row) =>
    others.reduce((key: string | null, column) => {
      const part = column[row] ?? null;
      return key === null || part === null ? null : `${key}${BETWEEN}${part}`;
    }, text)
  );
}

/** Returns the text that readers see for the entity of each row: its label, its name, or its id. */
export function shownTexts(
  frame: DataFrame,
  { entity, label }: Pick<Reading, "entity" | "label">,
): (string | null)[] {
  if (label !== null) {
    return frame.select(pl.col(label).cast(pl.Utf8)).getColumn(label)
      .toArray() as (string | null)[];
  }
  const parts = entity.map((name) => shownIds(frame, name, entityTexts(frame, { entity: [name] })));
  return Array.from({ length: frame.height }, (_, row) => {
    const texts = parts.map((part) => part[row] ?? null);
    return texts.includes(null) ? null : texts.join(BETWEEN);
  });
}

/** The words for one entity, and for a number of entities. */
export interface Noun {
  /** Such as `chain`, or `protocol`. */
  readonly one: string;
  /** Returns such as `12 chains`, or `10 values of protocol` if the plural of the word is not known. */
  counted(count: number): string;
}

/** Words whose plural is known. All others are written as `values of WORD`. */
const PLURALS: Readonly<Record<string, string>> = Object.fromEntries(
  `chain project product sector contract cohort token user wallet pool asset region group market
   exchange bridge vault validator fund account funnel`.split(/\s+/).map((
    word,
  ) => [word, `${word}s`])
    .concat([["country", "countries"], ["category", "categories"], ["address", "addresses"]]),
);

function nounOf(word: string, isJoined: boolean): Noun {
  const last = word.split(" ").at(-1)!;
  const plural = Object.hasOwn(PLURALS, last) && !isJoined
    ? `${word.slice(0, -last.length)}${PLURALS[last]}`
    : `values of ${word}`;
  return {
    one: word,
    counted: (count) => `${count} ${count === 1 && !plural.startsWith("values") ? word : plural}`,
  };
}

/** Returns the noun for the entities of a frame, from the titles or names of their columns. */
export function entityNoun(frame: DataFrame, { entity }: Pick<Reading, "entity">): Noun {
  const words = entity.map((name) => {
    if (name === "account_address") return "contract";
    const kind = idsIn(frame, name) ?? name;
    const given = columnIn(frame, name)?.title ?? columnTitle(name);
    const title = given === columnTitle(name)
      ? columnTitle(kind.replace(/_(id|name|key|slug)$/, ""))
      : given;
    return title.toLowerCase() === "data" ? "group" : title.toLowerCase();
  });
  return nounOf(words.length === 0 ? "group" : words.join(" and "), words.length > 1);
}

/**
 * Returns the columns of the unit of independence: what is left of the entity after the columns of groups, and the
 * columns that these determine, are taken out. Empty if each group is one entity.
 */
export function unitOf(
  frame: DataFrame,
  { entity, by }: { readonly entity: readonly string[]; readonly by: readonly string[] },
): readonly string[] {
  const there = by.filter((name) => frame.columns.includes(name));
  const groups = distinct(frame, there);
  return entity.filter((name) =>
    !there.includes(name) && (there.length === 0 || distinct(frame, [...there, name]) > groups)
  );
}

/**
 * Returns the last day on which data can be complete, as a number of days since 1 January 1970: the last day that the
 * service states, or the day before own data was retrieved. Null if neither is known.
 */
export function lastFullDay(frame: DataFrame): number | null {
  const provenance = annotationOf(frame)?.provenance;
  if (provenance?.data_through) return dayOf(provenance.data_through);
  const days = inputsOf(provenance).flatMap(({ kind, retrieved_at }) =>
    kind === "given" && retrieved_at ? [dayOf(retrieved_at) - 1] : []
  );
  return days.length === 0 ? null : Math.min(...days);
}
