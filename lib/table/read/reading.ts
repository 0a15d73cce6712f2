import { counted, listed, notify } from "../../platform/terminal.ts";
import { columnTitle } from "../../schema/dictionary.ts";
import { dayOf } from "../../schema/period.ts";
import { dtypeNames, isText } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { columnIn, columnsOf, describedKeys, setColumns } from "../track/descriptions.ts";
import { watchRows } from "../track/kept_rows.ts";
import { annotationOf, inputsOf } from "../track/provenance.ts";
import { type RowTimes, timesOf } from "./date_found.ts";
import { distinct, isTracked } from "./numbered.ts";
import { candidatesOf, NAMES } from "./entity_candidates.ts";
import { type Asked, entityOf, type Found, refuseRepeated } from "./entity_found.ts";
import { idsIn, nameColumn, shownIds } from "./names.ts";
import { requireColumns } from "./requirements.ts";
import { statementOf } from "../../platform/statement.ts";
import { holdsTimes } from "./times.ts";

/** Who the rows of a frame are, and when: the columns that identify a row. */
export interface Reading {
  /** The columns of the entity. Several columns identify it together. Empty if the frame has no entities. */
  readonly entity: readonly string[];
  /** The column of texts that names each entity, or null if the texts of the entity itself do. */
  readonly label: string | null;
  /** The columns that tell the rows of an entity apart: its date, its cohort and month, the field of a long table. */
  readonly times: readonly string[];
  /** The column that names rows, if each row is an event or a thing with a date. */
  readonly events?: string | undefined;
}

/** What a function asks of a frame. */
interface Question extends Asked {
  /** The columns of the entity, if the user names them. */
  readonly entity?: string | readonly string[] | undefined;
  /** The column of dates, if the user names it. */
  readonly date?: string | undefined;
  /** Whether the function compares times, so that an entity must occur at several. */
  readonly series?: boolean;
}

/** Throws a RangeError that shows two rows if two rows have the same entity and the same times. */
export function refuseTwice(frame: DataFrame, { entity, times }: Reading, fn: string): void {
  const columns = [...entity, ...times];
  if (distinct(frame, columns) < frame.height) refuseRepeated(frame, columns, fn);
}

/** Throws a RangeError if it is not known who the rows of a frame are, or if an entity has two rows at one time. */
export function refuseUnread(frame: DataFrame, fn: string): void {
  const reading = readingOf(frame, { fn });
  // Rows without names are values.
  if (reading.entity.length > 0) refuseTwice(frame, reading, fn);
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

/** Returns the columns that are described as the entity of a frame: they were stated, or a function found them. */
function keysOf(frame: DataFrame) {
  const keys = frame.columns.flatMap((name) => {
    const column = columnIn(frame, name);
    return column?.key === undefined || column.role === "time" ? [] : [{ name, key: column.key }];
  });
  return {
    entity: keys.map(({ name }) => name),
    isStated: keys.some(({ key }) => key === "stated"),
  };
}

/** What was found in a frame: its entity, its times, and the label of the entity. */
type Finding = Found & RowTimes & Partial<Pick<Reading, "label">>;

/** What was found in frames, by what was asked. */
const memory = new WeakMap<DataFrame, Map<string, Finding>>();
/** The notices that were shown of frames. They hold for frames of some of their rows. */
const noticed = new WeakMap<DataFrame, Set<string>>();

/** Shows once which columns of a frame were chosen or left out. */
function notice(
  frame: DataFrame,
  { entity, left = [], times: [date], dates }: Finding,
  fn: string,
) {
  if (left.length + dates.length === 0) return;
  const words = [
    ...left.length === 0 ? [] : [
      entity.length === 0
        ? `read as one series: ${listed(left)} names rows`
        : `read ${listed(entity)} as the entity: ${listed(left)} ${
          left.length > 1 ? "name" : "names"
        } rows`,
    ],
    ...dates.length === 0 ? [] : [`read ${date} as the date, not ${listed(dates)}`],
  ];
  const statement = statementOf({
    ...left.length > 0 && { entity },
    ...dates.length > 0 && { date },
  });
  const text = words.join("; ") +
    (entity.length === 0 && dates.length === 0 ? "" : `; to state it: ${statement}`);
  const known = noticed.get(frame) ?? new Set();
  if (known.has(text)) return;
  noticed.set(frame, known.add(text));
  notify(`${fn}: ${text}`);
}

/** Finds who the rows are, and when, or returns what was found before for the same frame. */
function found(frame: DataFrame, question: Question): Finding {
  const { fn, repeats = false, isChecked = false, groups = [], date } = question;
  const keyOf = (isUnchecked: boolean) => JSON.stringify([repeats, groups, date, isUnchecked]);
  const before = memory.get(frame);
  const known = before?.get(keyOf(false)) ?? (isChecked ? before?.get(keyOf(true)) : undefined);
  if (known !== undefined) return known;
  const when = timesOf(frame, question);
  const keys = keysOf(frame);
  const entity = keys.entity.filter((name) => !when.times.includes(name));
  const isKnown = entity.length > 0 && (keys.isStated || repeats === true ||
    distinct(frame, [...entity, ...when.times]) === frame.height);
  const who = isKnown ? { entity } : entityOf(frame, when.times, question);
  const made = { ...who, ...when, label: labelOf(frame, who.entity) };
  if (repeats !== true) notice(frame, made, fn);
  if (isTracked(frame)) {
    memory.set(frame, (before ?? new Map()).set(keyOf(made.isUnchecked ?? false), made));
  }
  return made;
}

/** Returns whether a column of texts has one value. The first and the last row mostly decide. */
function isConstant(frame: DataFrame, name: string): boolean {
  const column = frame.getColumn(name);
  return column.head(1).toArray()[0] === column.tail(1).toArray()[0] && column.nUnique() === 1;
}

/**
 * Describes who the rows of a frame are, if they are the rows of one entity of another frame: its name is then one of
 * several constant texts, and the one that named the entity before. Notices on that frame are not repeated.
 */
watchRows((from, rows) => {
  const known = noticed.get(from);
  if (known !== undefined) noticed.set(rows, new Set(known));
  const { columns: names, height } = rows;
  if (height === 0 || height === from.height || !Array.isArray(names)) return;
  if (keysOf(rows).entity.length > 0) return;
  const dtypes = dtypeNames(rows);
  const constant = names.filter((name, at) => isText(dtypes[at]!) && isConstant(rows, name));
  if (constant.length < 2) return;
  const entity = found(from, { fn: "filter", repeats: true }).entity
    .filter((name) => constant.includes(name) && !isConstant(from, name)).slice(0, 1);
  if (entity.length > 0) setColumns(rows, describedKeys(columnsOf(rows), { entity }, "found"));
});

/** Finds the column that names events, if the rows of an entity repeat and are added up. */
function eventsOf(
  frame: DataFrame,
  { entity, times }: Pick<Reading, "entity" | "times">,
): string | undefined {
  // The first rows mostly decide, at less cost.
  const isUnique = (name: string) =>
    [frame.head(1_000), frame].every((rows) => distinct(rows, [name]) === rows.height);
  const events = candidatesOf(frame, times).find((name) =>
    !entity.includes(name) && isUnique(name)
  );
  if (events === undefined) return undefined;
  return distinct(frame, [...entity, ...times]) === frame.height ? undefined : events;
}

/**
 * Reads who the rows of a frame are, and when.
 *
 * The entity is the option `entity`; else what `withSource` stated, or what a function found that made the frame; else
 * the columns that {@linkcode entityOf} finds. A reading without options is kept beside the frame, which stays as it is.
 *
 * @throws {RangeError} when rows repeat, so that no set of columns identifies them, when two sets of columns do, and when
 * a column is missing.
 */
export function readingOf(frame: DataFrame, question: Question): Reading {
  const { fn, entity: named, date } = question;
  requireColumns(frame, { fn, source: "a frame", columns: date === undefined ? [] : [date] });
  const made: Finding = named === undefined
    ? found(frame, question)
    : { entity: [named].flat(), ...timesOf(frame, question) };
  const { entity, times } = made;
  const wrong = entity.find((name) => !frame.columns.includes(name) || times.includes(name));
  if (wrong !== undefined) {
    const others = frame.columns.filter((name) => !times.includes(name));
    throw new RangeError(`${fn}: entity: must be of ${listed(others)}; got ${wrong}`);
  }
  const events = made.events ??
    (question.repeats === "sums" ? eventsOf(frame, { entity, times }) : undefined);
  if (question.series && made.events !== undefined && distinct(frame, times.slice(0, 1)) > 1) {
    const others = made.others?.length ? made.others.slice(0, 1) : [made.events];
    const state = statementOf({ entity: others });
    throw new RangeError(
      `${fn}: entity: each ${events} occurs at one ${
        times[0]
      } only, so it names rows and not entities; ` +
        `make periods with resample, or state the entity: ${state}`,
    );
  }
  const label = made.label === undefined ? labelOf(frame, entity) : made.label;
  return { entity, label, times, events };
}

/**
 * Returns the column of dates of a frame of periods, if it has one. Cohorts are no periods, and with `events: false`, nor
 * are dates of events and things.
 */
export function datesOf(frame: DataFrame, fn: string, { events = false } = {}): string[] {
  const { times: [date], events: names } = readingOf(frame, { fn, repeats: true });
  if (date === undefined || !events && names !== undefined || date.startsWith("cohort")) return [];
  const isKnown = date === "date" || columnIn(frame, date)?.key !== undefined;
  const dtype = dtypeNames(frame)[frame.columns.indexOf(date)]!;
  return isKnown || dtype.startsWith("Date") || holdsTimes(frame, date) ? [date] : [];
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

/**
 * Returns a title in lower case. Words with a digit or in capitals keep their case, if the user wrote them so: `L2`,
 * `DEX`, but `dex` of a column `dex`.
 */
function inLowerCase(title: string, given: string): string {
  return title.replace(/\S+/g, (word) => {
    const isKept = /\d|^\p{Lu}{2,}s?$/u.test(word) && given.includes(word);
    return isKept ? word : word.toLowerCase();
  });
}

/** Returns the noun for the entities of a frame, from the titles or names of their columns. */
export function entityNoun(frame: DataFrame, { entity }: Pick<Reading, "entity">): Noun {
  const words = entity.flatMap((name) => name.split(BETWEEN)).map((name) => {
    if (name === "account_address") return "contract";
    const kind = idsIn(frame, name) ?? name;
    const given = columnIn(frame, name)?.title ?? columnTitle(name);
    const isStated = given !== columnTitle(name);
    const title = isStated ? given : columnTitle(kind.replace(/_(id|name|key|slug)$/, ""));
    return title.toLowerCase() === "data" ? "group" : inLowerCase(title, isStated ? given : kind);
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
  // Of several columns, those with one value name nothing. A single column stays the unit.
  const least = there.length > 0 ? groups : entity.length > 1 ? 1 : 0;
  return entity.filter((name) =>
    !there.includes(name) && distinct(frame, [...there, name]) > least
  );
}

/**
 * Returns the last day on which data can be complete, as a number of days since 1 January 1970: the last day that the
 * service states; else the last day of own data, which is the day before it was retrieved, if `through` does not state it.
 * Null if none is known.
 */
export function lastFullDay(frame: DataFrame): number | null {
  const provenance = annotationOf(frame)?.provenance;
  const inputs = inputsOf(provenance);
  const isServed = inputs.some(({ kind, data_through }) => kind === "response" && data_through);
  if (isServed) return dayOf(provenance!.data_through!);
  const days = inputs.flatMap(({ kind, data_through, retrieved_at }) =>
    kind !== "given"
      ? []
      : data_through
      ? [dayOf(data_through)]
      : retrieved_at
      ? [dayOf(retrieved_at) - 1]
      : []
  );
  return days.length === 0 ? null : Math.min(...days);
}
