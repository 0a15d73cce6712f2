import { listed } from "../../platform/terminal.ts";
import { dtypeNames, isText } from "../columns/dtypes.ts";
import { type DataFrame, pl } from "../columns/polars.ts";
import { columnIn } from "../track/descriptions.ts";
import { type Count, counterOf } from "./numbered.ts";
import { candidatesOf, rankOf, SERVED } from "./entity_candidates.ts";
import { inWords, statementOf } from "../../platform/statement.ts";

/** What is asked about the entities of a frame. */
export interface Asked {
  readonly fn: string;
  /** Whether rows can repeat: `true` if the function reports them, `"sums"` if it adds them up. */
  readonly repeats?: boolean | "sums";
  /** Whether the caller refuses two rows of an entity at one time. Then they are not searched for. */
  readonly isChecked?: boolean;
  /** The columns that the user groups by: an entity can be in several groups. */
  readonly groups?: readonly string[];
}

/** The entity that a frame shows. */
export interface Found {
  readonly entity: readonly string[];
  /** The column that names rows, if each row is an event or a thing with a date. */
  readonly events?: string | undefined;
  /** The columns that can name the entity of events. */
  readonly others?: readonly string[];
  /** The columns that name rows, and were left out. */
  readonly left?: readonly string[];
  /** Whether rows can repeat. */
  readonly isUnchecked?: boolean;
}

/** If one column makes this part of the rows unique, repeats are errors of the data. */
const NEARLY = 0.95;
/** The part of the cells of entities and times that a table of entities over time fills at least. */
const FILLED = 0.5;
/** The part by which the smallest distance between dates can be exceeded: months have 28 to 31 days. */
const EQUAL = 1.15;
/** Names of columns that number rows, whatever the table is about. */
const ROW_IDS = /^_?(id|uuid|guid|key|index|row(_?(id|key|number))?)$/i;

/** Returns whether a column numbers the rows: by its name, and by whole numbers that differ. */
export function numbersRows(frame: DataFrame, name: string): boolean {
  if (!ROW_IDS.test(name) || frame.height < 2) return false;
  const values = frame.getColumn(name).toArray() as unknown[];
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (typeof value !== "number" || !Number.isInteger(value)) return false;
    [least, most] = [Math.min(least, value), Math.max(most, value)];
  }
  // An index can also be that of prices.
  const isRun = most - least === values.length - 1;
  return (isRun || !/^_?(?:index|key)$/i.test(name)) && new Set(values).size === values.length;
}

/** Returns the line that keeps the first of the rows that have the same values in some columns. */
function keptOnce(columns: readonly string[]): string {
  const subset = JSON.stringify(columns).replaceAll(",", ", ");
  return `frame.unique({ subset: ${subset}, keep: "first", maintainOrder: true })`;
}

/** Returns the first column of texts that names no entity because it has nulls, if the rows have no other names. */
function namesWithNulls(frame: DataFrame, columns: readonly string[]): string | undefined {
  const dtypes = dtypeNames(frame);
  const isDate = (name: string) => dtypes[frame.columns.indexOf(name)]!.startsWith("Date");
  if (!columns.every(isDate)) return undefined;
  return frame.columns.find((name, at) =>
    isText(dtypes[at]!) && columnIn(frame, name)?.role !== "note" &&
    frame.getColumn(name).nullCount() > 0
  );
}

/** Shows the two rows that have the same values in some columns. */
export function refuseRepeated(frame: DataFrame, columns: readonly string[], fn: string): never {
  const repeated = pl.struct(columns.map((name) => pl.col(name))).isDuplicated();
  const rows = frame.withRowIndex("(row)").filter(repeated).sort([...columns, "(row)"]).head(2)
    .select("(row)", ...columns).toRecords() as Record<string, unknown>[];
  const texts = rows.map(({ "(row)": row, ...values }) => {
    const cells = Object.entries(values).map(([name, value]) =>
      `${name} ${value instanceof Date ? value.toISOString().slice(0, 10) : value}`
    );
    return `row ${row}: ${cells.join(", ")}`;
  });
  const lacking = namesWithNulls(frame, columns);
  const column = JSON.stringify(lacking);
  throw new RangeError(
    `${fn}: entity: two rows have the same ${listed(columns)}; got ${texts.join("; ")}; ` +
      (lacking === undefined ? "" : `${lacking} has nulls; fill them: ` +
        `frame.withColumns(pl.col(${column}).fillNull(pl.lit("none"))), or `) +
      "name the columns of the entity, or keep " +
      inWords({ flags: "one", code: `the first: ${keptOnce(columns)}` }),
  );
}

/** Returns whether half of the distances between dates are the smallest one, as those of days or months are. */
function isRegular(frame: DataFrame, time: string): boolean {
  if (!/^Date/.test(dtypeNames(frame)[frame.columns.indexOf(time)]!)) return true;
  const times = frame.getColumn(time).unique().cast(pl.Float64).toTypedArray().sort();
  const gaps = Array.from(times.subarray(1), (each, at) => Number(each) - Number(times[at]));
  const least = gaps.reduce((a, b) => Math.min(a, b), Infinity);
  return gaps.filter((gap) => gap <= least * EQUAL).length >= gaps.length / 2;
}

/** Returns whether the first entity occurs at several times, so that the column does not name rows. */
function isAtSeveral(frame: DataFrame, name: string, time: string): boolean {
  const first = frame.filter(pl.col(name).eq(pl.col(name).first()));
  return first.getColumn(time).nUnique() > 1;
}

/** The candidates of a frame. */
interface Candidates {
  readonly frame: DataFrame;
  readonly times: readonly string[];
  readonly asked: Asked;
  /** Counts rows. */
  readonly size: Count;
  /** Counts rows of columns and the times. */
  readonly count: Count;
  /** The candidates with several values, in the order of the frame. */
  readonly names: readonly string[];
  /** The constant column that names the entity best, if there is one. */
  readonly constant: readonly string[];
}

/** The candidates of a frame, and which of them name rows. */
interface Search extends Candidates {
  /** The candidates whose values occur at one time each: they name rows. */
  readonly once: readonly string[];
  /** The other candidates. */
  readonly rest: readonly string[];
}

function candidatesIn(frame: DataFrame, times: readonly string[], asked: Asked): Candidates {
  const size = counterOf(frame);
  const all = candidatesOf(frame, times);
  const isConstant = (name: string) =>
    // The first rows mostly decide, at less cost.
    frame.getColumn(name).head(1_000).nUnique() <= 1 && size([name]) <= 1;
  const constant = all.filter(isConstant).sort((a, b) => rankOf(frame, b) - rankOf(frame, a));
  return {
    frame,
    times,
    asked,
    size,
    count: (columns) => size([...columns, ...times]),
    names: all.filter((name) => !constant.includes(name)),
    constant: constant.slice(0, 1),
  };
}

function searchOf(candidates: Candidates): Search {
  const { times: [time], size, names } = candidates;
  // Values that occur at one time each are at least as many as the times.
  const isOnce = (name: string) =>
    !SERVED.has(name) && size([name]) >= size([time!]) && size([name, time!]) === size([name]);
  const once = time !== undefined && size([time]) > 1 ? names.filter(isOnce) : [];
  return { ...candidates, once, rest: names.filter((name) => !once.includes(name)) };
}

/** Returns the candidates, those to leave out first at the beginning: names, then texts, then ids, from the right. */
function orderOf({ frame, names }: Candidates): string[] {
  const ranks = new Map(names.map((name) => [name, rankOf(frame, name)]));
  return names.toReversed().sort((a, b) => ranks.get(a)! - ranks.get(b)!);
}

/** Returns whether columns and the times can make rows unique: if they have enough combinations. */
function canBeUnique({ frame, size, times }: Candidates, columns: readonly string[]): boolean {
  let combinations = 1;
  for (const name of [...columns, ...times]) combinations *= size([name]);
  return combinations >= frame.height;
}

/** Leaves out columns one by one, as long as the others make as many rows unique. */
function leastOf(search: Candidates, from: readonly string[]): readonly string[] {
  const { frame: { height }, count } = search;
  // The whole is counted only if a part of it does not make all rows unique.
  const isAsMany = (less: readonly string[]) =>
    canBeUnique(search, less)
      ? count(less) === height || count(less) === count(from)
      : count(from) < height && count(less) === count(from);
  return orderOf(search).filter((name) => from.includes(name)).reduce((key, name) => {
    const less = key.filter((each) => each !== name);
    return less.length > 0 && isAsMany(less) ? less : key;
  }, from);
}

/** Returns whether two sets of columns make the same groups. */
function areSame({ size }: Search, one: readonly string[], other: readonly string[]): boolean {
  return size(one) === size(other) && size([...one, ...other]) === size(one);
}

/** Returns the smallest set of columns that makes rows unique: without those that name rows, if the others do. */
function keyOf(search: Search): readonly string[] {
  const { frame, names, rest, count } = search;
  const least = leastOf(search, rest);
  const isEnough = rest.length > 0 && count(least) === frame.height;
  const key = isEnough ? least : leastOf(search, names);
  // One column can say the same as several, unless a function made these.
  if (key.length < 2 || key.every((name) => columnIn(frame, name)?.role === "id")) return key;
  if (count(key) < frame.height) return key;
  const single = orderOf(search).findLast((name) => areSame(search, [name], key));
  return single === undefined ? key : [single];
}

/** Throws a RangeError that shows two rows if the key, or other columns, make nearly all rows unique, but not all. */
function refuseNearly(search: Search, key: readonly string[]): void {
  const { frame, times, asked: { fn, groups = [] }, once, rest, count } = search;
  const some = [...key.map((name) => [name]), ...rest.length > 0 ? [leastOf(search, rest)] : []];
  const near = some.find((columns) => {
    const unique = count(columns);
    const isPart = key.some((name) => !columns.includes(name) && !groups.includes(name));
    return unique < frame.height && unique >= NEARLY * frame.height && isPart &&
      !once.includes(columns[0]!);
  });
  if (near !== undefined) refuseRepeated(frame, [...near, ...times], fn);
  if (count(key) < frame.height) refuseRepeated(frame, [...key, ...times], fn);
}

/** Throws a RangeError if rows stay unique without one of the columns, and the others group them otherwise. */
function refuseSecond(search: Search, key: readonly string[]): void {
  const { frame, rest, count, asked: { fn } } = search;
  for (const name of key) {
    const others = rest.filter((each) => each !== name);
    if (others.length === 0 || !canBeUnique(search, others)) continue;
    if (count(others) < frame.height) continue;
    const other = leastOf(search, others);
    if (areSame(search, key, other)) continue;
    throw new RangeError(
      `${fn}: entity: ${listed(key)} and ${listed(other)} both make rows unique, as different ` +
        `entities; state one: ${statementOf({ entity: key })}`,
    );
  }
}

/** Reads rows that the times alone make unique: one series, or things with a date. */
function seriesOf(search: Search, key: readonly string[], events: string | undefined): Found {
  const { frame, times: [time], asked: { fn, repeats }, constant, rest } = search;
  if (constant.length > 0) return { entity: constant };
  if (events === undefined) {
    if (rest.length === 0 || repeats === true) return { entity: key };
    throw new RangeError(
      `${fn}: entity: the dates alone make rows unique; state the entity: ${
        statementOf({ entity: key })
      }, or leave ${listed(rest)} out`,
    );
  }
  const isSeries = rest.length === 0 && ROW_IDS.test(events) && isRegular(frame, time!);
  if (isSeries) return { entity: [], left: [events] };
  return eventsOf(search, [events], events);
}

/** Reads rows of which each is an event, named by a column. Events are added up by the one column that is left. */
function eventsOf(
  { asked: { fn, repeats }, rest }: Search,
  key: readonly string[],
  events: string | undefined,
): Found {
  if (repeats !== "sums") return { entity: key, events, others: rest };
  if (rest.length < 2) {
    return { entity: rest, events, left: events === undefined ? [] : [events] };
  }
  throw new RangeError(
    `${fn}: entity: rows are events, and ${listed(rest)} can name the entity; state it: ${
      statementOf({ entity: rest.slice(0, 1) })
    }`,
  );
}

/**
 * Finds the columns that name the entities: the smallest set of columns that, with the times, makes rows unique. Columns
 * whose values occur at one time each name rows. They are left out if the others are enough.
 *
 * @throws {RangeError} when rows repeat, and when two sets of columns make rows unique as different entities.
 */
export function entityOf(frame: DataFrame, times: readonly string[], asked: Asked): Found {
  const candidates = candidatesIn(frame, times, asked);
  const { names, constant, size, count } = candidates;
  const { height } = frame;
  const isStrict = asked.repeats !== true;
  if (names.length === 0) return { entity: constant };
  if (names.length === 1 && times.length === 0) return { entity: names };
  const isPlain = asked.isChecked && names.length === 1 && times.length === 1;
  if (isPlain && size(times) < height && isAtSeveral(frame, names[0]!, times[0]!)) {
    return { entity: names, isUnchecked: true };
  }
  const served = names.filter((name) => SERVED.has(name));
  if (served.length > 0 && count(served) === height) return { entity: leastOf(candidates, served) };
  const search = searchOf(candidates);
  const { once, rest } = search;
  const key = keyOf(search);
  if (isStrict) refuseNearly(search, key);
  const [time] = times;
  const hasServed = key.some((name) => SERVED.has(name));
  if (hasServed || time === undefined || size([time]) <= 1 || count(names) < height) {
    return { entity: key };
  }
  const events = once.find((name) => size([name, ...times.slice(1)]) === height);
  if (count(rest) < height) return eventsOf(search, key, events);
  if (count([]) === height) return seriesOf(search, key, events);
  if (events !== undefined && height < FILLED * size(key) * size([time])) {
    return eventsOf(search, [events], events);
  }
  if (isStrict) refuseSecond(search, key);
  return { entity: key, left: once };
}
