import { shown } from "../platform/terminal.ts";
import { numberIn } from "../schema/grammar.ts";
import { nestedColumn } from "../table/columns/cell_values.ts";
import { dtypeNames } from "../table/columns/dtypes.ts";
import { tableGuard, tableSize } from "../table/columns/empty_cells.ts";
import { pl, type Series } from "../table/columns/polars.ts";
import { checkJson } from "./check_text.ts";
import { isRawJSON, isRecord, withDigits } from "./json_table.ts";

/** Returns the dtype of the elements of a list; undefined for other dtypes. */
function elementOf(dtype: string): string | undefined {
  return /^(?:List|Array)\((.*)\)$/.exec(dtype)?.[1];
}

/** Returns the names of the members of a struct; undefined for other dtypes. */
function membersOf(dtype: string): readonly string[] | undefined {
  return /^Struct\((.*)\)$/.exec(dtype)?.[1]?.split(", ");
}

/** Returns an example value of a dtype, from which polars can infer the dtype. */
function example(dtype: string): unknown {
  const element = elementOf(dtype);
  if (element !== undefined) return [example(element)];
  const members = membersOf(dtype);
  if (members !== undefined) return Object.fromEntries(members.map((name) => [name, ""]));
  return dtype.startsWith("Float") ? 0.5 : /^U?Int/.test(dtype) ? 1 : dtype === "Bool" ? true : "";
}

function isInt64(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/**
 * Returns a reader of values of JSON. It returns the value as polars reads it as a dtype: numbers keep their digits, also as
 * texts. It returns undefined for values that polars would refuse without a row, or change in silence.
 */
function readerOf(dtype: string): (value: unknown) => unknown {
  const element = elementOf(dtype);
  if (element !== undefined) {
    const read = orNull(readerOf(element));
    return (value) => {
      const made = Array.isArray(value) ? value.map(read) : [undefined];
      return made.includes(undefined) ? undefined : made;
    };
  }
  const members = membersOf(dtype);
  if (members !== undefined) {
    const known = new Set(members);
    const read = orNull(readerOf(""));
    return (value) => {
      if (!isRecord(value)) return undefined;
      const made = Object.entries(value).map(([name, each]) => [name, read(each)] as const);
      const fits = made.every(([name, each]) => each !== undefined && known.has(name));
      return fits ? Object.fromEntries(made) : undefined;
    };
  }
  if (dtype === "Bool") return (value) => typeof value === "boolean" ? value : undefined;
  return (value) => {
    const isNumber = typeof value === "number" || isRawJSON(value);
    const text = isRawJSON(value) ? value.rawJSON : String(value);
    if (dtype.startsWith("Float")) {
      return isNumber && numberIn(text) !== undefined ? value : undefined;
    }
    if (/^U?Int/.test(dtype)) return isNumber && isInt64(text) ? value : undefined;
    if (isNumber) return text;
    return dtype === "String" && typeof value === "object" ? undefined : value;
  };
}

/** Returns a reader that also reads null. */
function orNull(read: (value: unknown) => unknown): (value: unknown) => unknown {
  return (value) => value === null ? null : read(value);
}

/** Returns the objects in values, at any level. */
function objectsIn(values: readonly unknown[]): Record<string, unknown>[] {
  const objects: Record<string, unknown>[] = [];
  for (const inside = [...values]; inside.length > 0;) {
    const each = inside.pop();
    if (typeof each !== "object" || each === null || isRawJSON(each)) continue;
    if (!Array.isArray(each)) objects.push(each as Record<string, unknown>);
    for (const member of Object.values(each)) inside.push(member);
  }
  return objects;
}

/** Checks that structs, in which polars gives each object all members, have not too many empty members. */
function checkMembers(objects: readonly Record<string, unknown>[]): void {
  const size = tableSize(objects);
  const guard = tableGuard(size.rows, () => size);
  for (let column = 0; column < size.columns; column++) guard();
}

/**
 * Makes a column of lists or structs from JSON texts. Null stays null.
 *
 * @throws {RangeError} for a text that is not of the dtype, with its row.
 */
export function nestedFrom(
  name: string,
  dtype: string,
  texts: readonly (string | null)[],
): Series {
  checkJson(new TextEncoder().encode(`[${texts.filter((text) => text !== null)}]`));
  const read = readerOf(dtype);
  const values = texts.map((text, row) => {
    if (text === null) return null;
    let value: unknown;
    try {
      value = read(withDigits(text)) ?? undefined;
    } catch {
      value = undefined;
    }
    if (value !== undefined) return value;
    throw new RangeError(`row ${row}, ${name}: expected ${dtype}; got ${shown(text)}`);
  });
  checkMembers(objectsIn(values));
  const column = nestedColumn(name, example(dtype), values.map((each) => JSON.stringify(each)));
  const [made] = dtypeNames(pl.DataFrame([column]));
  if (made === dtype && column.nullCount() === values.filter((each) => each === null).length) {
    return column;
  }
  throw new RangeError(`${name}: expected ${dtype}; got ${made}`);
}
