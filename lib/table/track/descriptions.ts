import {
  type Adds,
  type Column,
  type ColumnPart,
  type ColumnRole,
  columnTitle,
  describedColumn,
  fieldNamed,
  type Unit,
} from "../../schema/dictionary.ts";
import type { DataFrame } from "../columns/polars.ts";

/** The descriptions of the columns of a frame, by name. Undefined for a column of which nothing is known. */
export type Columns = ReadonlyMap<string, Column | undefined>;

/** The key under which frames, lazy frames and groupings store the object of polars. */
export const BARE = Symbol("bare");
// The key under which they store their columns.
const COLUMNS = Symbol("columns");

/** Returns the descriptions of the columns of a frame, lazy frame or grouping. */
export function columnsOf(frame: object): Columns {
  return (frame as { [COLUMNS]?: Columns })[COLUMNS] ?? new Map();
}

/** Sets the descriptions of the columns of a frame and returns the frame. */
export function setColumns<Given extends object>(frame: Given, columns: Columns): Given {
  return Object.assign(frame, { [COLUMNS]: columns });
}

/** Returns the description of a column of a frame, or undefined if nothing is known of it. */
export function columnIn(frame: object, name: string): Column | undefined {
  return columnsOf(frame).get(name);
}

/** Returns the title of a column of a frame. Of an unknown column, the title is made from its name. */
export function titleIn(frame: object, name: string): string {
  return columnIn(frame, name)?.title ?? columnTitle(name);
}

/** Returns columns of a frame as the parts of which another column is made. */
export function partsIn(frame: object, names: readonly string[]): ColumnPart[] {
  return names.map((name) => (
    { name, title: titleIn(frame, name), unit: columnIn(frame, name)?.unit ?? null }
  ));
}

/** Returns whether the values of a column are amounts per day of their periods, such as the totals of shares. */
export function isPerDay(column: Column | undefined): boolean {
  return column?.per === "day" && column.unit === column.of?.[0]?.unit;
}

const NO_TEXT = ["fraction", "change", "count", "statistic", "retention"];

const SIGNS: Readonly<Record<string, string>> = { usd: "US$", percent: "%" };

/**
 * Returns the unit of a column as text for a heading. Empty for texts, dates and plain numbers, and for fractions, whose
 * cells have their `%`.
 */
export function unitText(frame: object, name: string): string {
  const column = columnIn(frame, name);
  const unit = column?.unit ?? "";
  const text = NO_TEXT.includes(unit) ? "" : SIGNS[unit] ?? unit;
  return isPerDay(column) ? `${text} a day`.trimStart() : text;
}

/** Returns descriptions of which none is a key. */
export function unkeyed(columns: Columns): Columns {
  return new Map([...columns].map(([name, column]) => {
    const { key: _, ...rest } = column ?? {};
    return [name, column && rest as Column];
  }));
}

/** Who the rows of a frame are, and when: the columns of the entity, and the column of dates. */
export interface Keys {
  readonly entity?: readonly string[] | undefined;
  readonly date?: string | undefined;
}

/**
 * Returns descriptions in which the given columns, and no others, name the entities or are the date. A column of names
 * keeps its role. Columns of which only the user knows that they are keys stay `stated`.
 */
export function describedKeys(
  columns: Columns,
  { entity, date }: Keys,
  key: "stated" | "found",
): Columns {
  const others = [...columns].map(([name, column]) => {
    const isReplaced = (column?.role === "time" ? date : entity) !== undefined;
    return [name, isReplaced ? unkeyed(new Map([[name, column]])).get(name) : column] as const;
  });
  const described = (name: string, role: ColumnRole): [string, Column] => {
    const before = columns.get(name) ?? describedColumn(name, { role });
    const isStated = before.key === "stated" || key === "stated";
    const kept = before.role === "name" && role === "id" ? "name" : role;
    return [name, { ...before, role: kept, key: isStated ? "stated" : "found" }];
  };
  return new Map([
    ...others,
    ...(entity ?? []).map((name) => described(name, "id")),
    ...date === undefined ? [] : [described(date, "time")],
  ]);
}

/** Returns the descriptions of fields of the service. */
export function servedColumns(names: readonly string[]): Columns {
  return new Map(names.map((name) => [name, fieldNamed(name)]));
}

/**
 * Returns the descriptions of the columns that are not described as fields of the service, for the side-car of a file.
 * Null for a column of which nothing is known.
 */
export function ownDescriptions(frame: DataFrame): Record<string, Column | null> {
  const own = frame.columns.map((name) => [name, columnIn(frame, name)] as const)
    .filter(([name, column]) => column !== fieldNamed(name));
  return Object.fromEntries(own.map(([name, column]) => [name, column ?? null]));
}

/**
 * The kind of a column that a function computes: its unit, its role if it is not a number, `number` without a unit, or
 * `field` for the unit of the column on which the function was called. `over` states over what the values can be added.
 */
type Kind = Unit | Exclude<ColumnRole, "value"> | "number" | "field";

/** A kind of column. `over groups` or `over both` states over what its values can be added. */
export type ColumnKind = Kind | `${Kind} over ${"groups" | "both"}`;

/** Returns the description of a column that a function computes. `field` describes the column it was called on. */
export function computedColumn(name: string, kind: ColumnKind, field?: Column): Column {
  const [what, adds] = kind.split(" over ") as [Kind, Adds?];
  const isText = what === "id" || what === "name" || what === "time" || what === "note";
  const unit = isText || what === "number" ? null : what === "field" ? field?.unit ?? null : what;
  const role = isText ? what : ["month", "event_time"].includes(name) ? "time" : "value";
  return describedColumn(name, { role, unit, from: "", ...adds !== undefined && { adds } });
}

/** Returns the descriptions of columns that a function computes. Each element is a kind and its columns. */
export function computedColumns(
  columns: readonly (readonly [ColumnKind, ...string[]])[],
  field?: Column,
): Columns {
  return new Map(
    columns.flatMap(([kind, ...names]) =>
      names.map((name): [string, Column] => [name, computedColumn(name, kind, field)])
    ),
  );
}
