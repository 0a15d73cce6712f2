import type { Buffer } from "node:buffer";
import { isObject } from "../platform/check_options.ts";
import { inWords } from "../platform/statement.ts";
import { listed, shown } from "../platform/terminal.ts";
import { tableGuard, tableSize } from "../table/columns/empty_cells.ts";
import { checkJson } from "./check_text.ts";
import type { Findings } from "./findings.ts";

/** Where the rows are in JSON. */
export interface JsonPlace {
  readonly rows?: string;
  readonly keys?: readonly string[];
  readonly names?: readonly string[];
}

/** A number that is not parsed. `JSON.stringify` writes its digits. */
interface RawNumber {
  readonly rawJSON: string;
}

// The types of TypeScript do not have these functions yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};
export { isRawJSON };

/** Returns whether a value is an object of JSON. A number that is not parsed is no object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !isRawJSON(value);
}

/** Parses JSON, and keeps the digits of all numbers. This takes several times as long as `JSON.parse`. */
export function withDigits(text: string): unknown {
  const kept = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && String(value) !== context!.source
      ? rawJSON(context!.source!)
      : value;
  return JSON.parse(text, kept);
}

/** A row with the keys of its place. */
type Placed = readonly [key: string | null, value: unknown];

/** Returns the paths of lists near the root, for the message. */
function listsIn(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return [path.join(".")];
  if (!isRecord(value) || path.length > 3) return [];
  return Object.entries(value).flatMap(([name, each]) => listsIn(each, [...path, name]));
}

/** Returns the rows at a path. A `*` in the path stands for each member. Its name is the key. */
function rowsAt(root: unknown, path: string): Placed[] {
  const steps = path === "" ? [] : path.split(".");
  const star = steps.indexOf("*");
  if (star !== steps.lastIndexOf("*")) {
    throw new RangeError(`rows: must have one *; got ${shown(path)}`);
  }
  const at = (value: unknown, names: readonly string[], place: string) =>
    names.reduce((each, name) => {
      if (isRecord(each) && Object.hasOwn(each, name)) return each[name];
      const members = isRecord(each) ? Object.keys(each) : listsIn(root);
      throw new RangeError(
        `rows: ${shown(place)} has no member ${shown(name)}; it has ${listed(members) || "none"}`,
      );
    }, value);
  const list = (value: unknown): readonly unknown[] => {
    if (Array.isArray(value)) return value;
    const near = [...new Set(listsIn(root))].map(shown);
    throw new RangeError(
      `rows: must be the path of a list${
        near.length === 0 ? "" : ` such as ${listed(near)}`
      }; got ${shown(path)}`,
    );
  };
  if (star < 0) return list(at(root, steps, path)).map((row) => [null, row]);
  const outer = at(root, steps.slice(0, star), path);
  if (!isRecord(outer) && !Array.isArray(outer)) {
    throw new RangeError(`rows: * must stand for the members of an object; got ${shown(path)}`);
  }
  return Object.entries(outer).flatMap(([key, each]) => {
    const inner = at(each, steps.slice(star + 1), path);
    // An object without a list is one row.
    const rows = isRecord(inner) ? [inner] : list(inner);
    return rows.map((row): Placed => [key, row]);
  });
}

/** Returns the columns of rows that are objects, or lists with `names`. */
function columnsOf(placed: readonly Placed[], { keys, names, rows = "" }: JsonPlace) {
  const [key, ...more] = keys ?? [];
  const hasStar = rows.split(".").includes("*");
  if (more.length > 0 || hasStar !== (key !== undefined)) {
    throw new RangeError(
      `keys: must have one name for the * of rows; got ${shown(keys ?? [])} for ${shown(rows)}`,
    );
  }
  const columns = new Map<string, unknown[]>();
  const guard = tableGuard(
    placed.length,
    () => tableSize(placed.map(([, value]) => isRecord(value) ? value : {})),
  );
  const column = (name: string) => {
    let made = columns.get(name);
    if (made !== undefined) return made;
    if (names === undefined) guard();
    made = new Array<unknown>(placed.length).fill(null);
    columns.set(name, made);
    return made;
  };
  if (key !== undefined) placed.forEach(([of], row) => column(key)[row] = of);
  for (const name of names ?? []) {
    if (name === key) throw new RangeError(`names: must differ from keys; got ${shown(name)}`);
    column(name);
  }
  placed.forEach(([, value], row) => {
    if (names !== undefined && Array.isArray(value) && value.length === names.length) {
      names.forEach((name, at) => column(name)[row] = value[at]);
    } else if (names === undefined && isRecord(value)) {
      if (key !== undefined && Object.hasOwn(value, key)) {
        throw new RangeError(`keys: the rows already have a column ${shown(key)}`);
      }
      for (const [name, each] of Object.entries(value)) column(name)[row] = each;
    } else {
      const expected = names === undefined
        ? Array.isArray(value) ? "an object, or names for the values of a list" : "an object"
        : `a list of ${names.length} values`;
      const got = isRawJSON(value) ? value.rawJSON : shown(value);
      throw new RangeError(`row ${row}: expected ${expected}; got ${got}`);
    }
  });
  return columns;
}

/** Returns the members beside the rows, at each level of their path. */
function besides(root: unknown, path: string): [name: string, value: unknown][] {
  const found: [string, unknown][] = [];
  let at = root;
  const steps: string[] = [];
  for (const step of path.split(".")) {
    if (!isRecord(at) || step === "*") break;
    const others = Object.entries(at).filter(([name]) => name !== step);
    for (const [name, value] of others) found.push([[...steps, name].join("."), value]);
    steps.push(step);
    at = at[step];
  }
  return found;
}

/** Returns the members of objects at each level, with their paths. */
function inside([name, value]: [name: string, value: unknown], level = 0): [string, unknown][] {
  if (!isRecord(value)) return [[name, value]];
  if (level === 3) return [];
  return Object.entries(value).flatMap(([each, inner]) =>
    inside([`${name}.${each}`, inner], level + 1)
  );
}

/** Maximum length of a value in a note. */
const LONGEST = 200;

function textOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Names of members that lead to more rows. */
const LEADS = /^(?:next\w*|has_?(?:more|next)\w*|(?!prev)\w*cursor)$/i;
/** Names of members that count the rows of all pages. */
const COUNTS = /^(?:total_?)?(?:rows?_?)?count$/i;

/** Notes the members beside the rows, and warns of those that state more rows than there are. */
function noteBesides(
  roots: readonly unknown[],
  { rows, path, isLast, isFile = false }: {
    readonly rows: number;
    readonly path: string;
    readonly isLast: boolean;
    readonly isFile?: boolean | undefined;
  },
  { notes, warnings }: Findings,
): void {
  const members = besides(roots[0], path);
  for (const [name, value] of members) notes.push(`${name}: ${textOf(value)}`);
  for (const [place, value] of members.flatMap((each) => inside(each))) {
    const name = place.split(".").at(-1)!;
    const isEmpty = value === null || value === false || value === "" ||
      (Array.isArray(value) && value.length === 0);
    if (!isLast && LEADS.test(name) && !isEmpty) {
      const advice = isFile || typeof value === "boolean"
        ? ""
        : `; pass ${inWords({ flags: `--next ${place}`, code: `next: ${shown(place)}` })}`;
      warnings.push(
        `the response seems to be one page of several: ${place} is ${textOf(value)}${advice}`,
      );
    }
    if (COUNTS.test(name) && typeof value === "number" && value > rows) {
      warnings.push(`the response has ${rows} of ${value} rows, as its member ${place} states`);
    }
  }
}

/** Returns the value at a path of names in a JSON text. */
export function memberAt(bytes: Uint8Array, path: string): unknown {
  let at = withDigits(new TextDecoder().decode(bytes));
  for (const name of path.split(".")) {
    at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return isRawJSON(at) ? at.rawJSON : at;
}

/**
 * Returns the columns of the rows of a JSON text, or of several pages. `isLast` states that no page follows.
 *
 * @throws {RangeError} when an option does not fit the text.
 */
export function jsonColumns(
  pages: readonly Buffer[],
  { format, isLast, isFile, ...place }: JsonPlace & {
    readonly format: "json" | "ndjson";
    readonly isLast: boolean;
    readonly isFile?: boolean;
  },
  findings: Findings,
): Map<string, unknown[]> {
  const { rows: path = "" } = place;
  const roots = pages.map((bytes) => {
    checkJson(bytes, { lines: format === "ndjson" });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return format === "json"
      ? withDigits(text)
      : text.split("\n").filter((line) => line.trim() !== "").map(withDigits);
  });
  const placed = roots.flatMap((root) => rowsAt(root, path));
  noteBesides(roots, { rows: placed.length, path, isLast, isFile }, findings);
  return columnsOf(placed, place);
}
