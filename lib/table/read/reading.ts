import { counted, listed } from "../../platform/terminal.ts";
import { columnTitle, fieldNamed } from "../../schema/dictionary.ts";
import { ENDPOINTS } from "../../schema/endpoints.ts";
import { dayOf } from "../../schema/period.ts";
import { dtypeNames, isText } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { columnIn } from "../track/descriptions.ts";
import { annotationOf, inputsOf, responseOf } from "../track/provenance.ts";
import { idsIn, nameColumn, shownIds } from "./names.ts";
import { requireColumns } from "./requirements.ts";
import { holdsTimes } from "./times.ts";

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

const LONG_FORM = ["field", "row", "metric_id", "metric_aggregation_name", "aggregation"];

const NAMES = ["name", "title", "label"].map((word) => new RegExp(`(^|_|[a-z])${word}$`, "i"));
const IDS = /(^|_)(id|key|slug|address)$|[a-z]I[dD]$/;

/** Returns the columns that tell the rows of an entity apart. */
function timesOf(frame: DataFrame, date: string | undefined): string[] {
  const dtypes = dtypeNames(frame);
  const has = (dtype: RegExp) => (name: string) =>
    dtype.test(dtypes[frame.columns.indexOf(name)] ?? "");
  const long = LONG_FORM.filter((name) =>
    has(/^(String|Cat|Enum)/)(name) && columnIn(frame, name)?.role === "id"
  );
  const first = date ??
    ["date", "cohort", "cohort_date"].find((name) => frame.columns.includes(name)) ??
    frame.columns.find((name) => has(/^Date/)(name) && name !== "until");
  const month = ["month"].filter((name) =>
    (first === undefined || first.startsWith("cohort")) &&
    (has(/Int|Float/)(name) || columnIn(frame, name)?.role === "time")
  );
  return [...first === undefined ? [] : [first], ...month, ...long];
}

/** Returns the columns that name the entities of a result. */
function keysOf(frame: DataFrame): string[] {
  return frame.columns.filter((name) => {
    const column = columnIn(frame, name);
    return column?.key !== undefined && column.role !== "time";
  });
}

/** Returns the number of different rows of some columns. */
function distinct(frame: DataFrame, columns: readonly string[]): number {
  const [first, ...others] = columns;
  if (first === undefined) return Math.min(1, frame.height);
  if (others.length === 0) return frame.getColumn(first).nUnique();
  // Different hashes have different rows. Counting them is four times as fast as comparing rows.
  const rows = pl.struct(pl.cols(first, ...others)).hash().alias("(hash)");
  return frame.select(rows).getColumn("(hash)").nUnique();
}

/** Returns the first column of texts that holds only times. */
export function timesAsText(frame: DataFrame): string | undefined {
  return frame.columns.find((name) => holdsTimes(frame, name));
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

/** Returns the columns that can be parts of the entity: the ids of the response that the frame still has, or texts. */
function candidatesOf(frame: DataFrame, times: readonly string[]): string[] {
  const operation = responseOf(frame)?.operation as keyof typeof ENDPOINTS | undefined;
  const keys = operation === undefined ? [] : ENDPOINTS[operation].keys;
  if (keys.length > 0 && frame.columns.includes(keys[0]!)) {
    return keys.filter((name) => frame.columns.includes(name) && !times.includes(name));
  }
  const dtypes = dtypeNames(frame);
  return frame.columns.filter((name, at) =>
    !times.includes(name) && isCandidate(frame, name, dtypes[at]!) &&
    frame.getColumn(name).nullCount() === 0 && !holdsTimes(frame, name)
  );
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

/** Returns the smallest set of columns that, with the times, makes rows unique. */
function entityOf(
  frame: DataFrame,
  times: readonly string[],
  { fn, repeats = false, groups = [] }: Question,
): readonly string[] {
  const count = (columns: readonly string[]) => distinct(frame, [...columns, ...times]);
  const all = candidatesOf(frame, times).map((name) => ({ name, rank: rankOf(frame, name) }));
  const constant = all.filter(({ name }) => {
    // The first rows mostly decide, at less cost.
    const column = frame.getColumn(name);
    return column.head(1_000).nUnique() <= 1 && column.nUnique() <= 1;
  });
  const varying = all.filter((each) => !constant.includes(each));
  // A frame of one entity, whose other texts are remarks. Ids are no remarks.
  const isOne = constant.length > 0 && times.length > 0 &&
    varying.every(({ rank }) => rank < 2) && count([]) === frame.height;
  if (varying.length === 0 || isOne) {
    const best = constant.toSorted((a, b) => b.rank - a.rank);
    return best.slice(0, 1).map(({ name }) => name);
  }
  let key = varying.map(({ name }) => name);
  if (key.length === 1) return key;
  const most = count(key);
  for (const { name } of varying.toReversed().sort((a, b) => a.rank - b.rank)) {
    const less = key.filter((each) => each !== name);
    if (less.length > 0 && count(less) === most) key = less;
  }
  if (repeats) return key;
  const near = key.find((name) =>
    key.some((other) => other !== name && !groups.includes(other)) &&
    count([name]) >= NEARLY * frame.height
  );
  if (near !== undefined) refuseRepeated(frame, [near, ...times], fn);
  if (most < frame.height) refuseRepeated(frame, [...key, ...times], fn);
  return key;
}

/** Returns a column of texts that holds times, if the frame has no other times, and rows repeat without this column. */
function repeatedTimes(frame: DataFrame, entity: Question["entity"]): string | undefined {
  const texts = timesOf(frame, undefined).length > 0 ? undefined : timesAsText(frame);
  if (texts === undefined) return undefined;
  const columns = entity === undefined ? candidatesOf(frame, []) : [entity].flat();
  const known = columns.filter((name) => frame.columns.includes(name));
  return distinct(frame, known) < frame.height ? texts : undefined;
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
 * columns that a function found are described in its result, so that frames made from the result have the same entity.
 * The frame itself stays as it is.
 *
 * @throws {RangeError} when rows repeat, so that no set of columns identifies them, and when a column is missing.
 */
export function readingOf(frame: DataFrame, question: Question): Reading {
  const { fn, entity, date, repeats = false } = question;
  requireColumns(frame, { fn, source: "a frame", columns: date === undefined ? [] : [date] });
  const times = timesOf(frame, date ?? repeatedTimes(frame, entity));
  const keys = keysOf(frame).filter((name) => !times.includes(name));
  const isKnown = keys.length > 0 &&
    (repeats || distinct(frame, [...keys, ...times]) === frame.height);
  const found = entity !== undefined
    ? [entity].flat()
    : isKnown
    ? keys
    : entityOf(frame, times, question);
  const wrong = found.find((name) => !frame.columns.includes(name) || times.includes(name));
  if (entity !== undefined && wrong !== undefined) {
    const others = frame.columns.filter((name) => !times.includes(name));
    throw new RangeError(`${fn}: entity: must be of ${listed(others)}; got ${wrong}`);
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

/** Joins the texts of each row. Null if a text is null. */
function joinedTexts(parts: readonly (readonly (string | null)[])[], height: number) {
  return Array.from({ length: height }, (_, row) => {
    const texts = parts.map((part) => part[row] ?? null);
    return texts.includes(null) ? null : texts.join(BETWEEN);
  });
}

/** Returns the texts of a column of ids. Ids that are numbers are whole. */
export function idText(frame: DataFrame, name: string) {
  return pl.col(name).cast(frame.getColumn(name).isFloat() ? pl.Int64 : pl.Utf8).cast(pl.Utf8);
}

/** Returns the text of the entity of each row: its id, or `DE · ads` for several columns. Null if a part is null. */
export function entityTexts(
  frame: DataFrame,
  { entity }: Pick<Reading, "entity">,
): (string | null)[] {
  const parts = entity.map((name) =>
    frame.select(idText(frame, name)).getColumn(name).toArray() as (string | null)[]
  );
  return parts.length === 1 ? parts[0]! : joinedTexts(parts, frame.height);
}

/** Returns the text that readers see for the entity of each row: its label, its name, or its id. */
export function shownTexts(
  frame: DataFrame,
  { entity, label }: Pick<Reading, "entity" | "label">,
): (string | null)[] {
  if (label !== null) return entityTexts(frame, { entity: [label] });
  const parts = entity.map((id) => {
    const name = entity.length > 1 && frame.columns.includes(nameColumn(id)) ? nameColumn(id) : id;
    return shownIds(frame, name, entityTexts(frame, { entity: [name] }));
  });
  return joinedTexts(parts, frame.height);
}

/** The words for one entity, and for a number of entities. */
export interface Noun {
  /** Such as `chain`, or `protocol`. */
  readonly one: string;
  /** Returns such as `12 chains`, or `10 values of chain and project` for several columns. */
  counted(count: number): string;
}

/** Letters of other scripts, whose words have plurals of their own. */
const FOREIGN = /(?!\p{Script=Latin})\p{L}/u;

function nounOf(word: string, isJoined: boolean): Noun {
  return {
    one: word,
    counted: (count) =>
      isJoined || FOREIGN.test(word)
        ? `${counted(count, "value")} of ${word}`
        : counted(count, word),
  };
}

/** Returns a title in lower case. Words with a digit or in capitals keep their case: `L2`, `DEX`. */
function inLowerCase(title: string): string {
  return title.replace(
    /\S+/g,
    (word) => /\d|^\p{Lu}{2,}s?$/u.test(word) ? word : word.toLowerCase(),
  );
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
    return title.toLowerCase() === "data" ? "group" : inLowerCase(title);
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
