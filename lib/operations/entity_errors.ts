import { type Connection, settingsOf } from "../http/settings.ts";
import { notify, terminalText } from "../platform/terminal.ts";
import type { Operation } from "../schema/vocabulary.ts";
import type { Answer } from "../http/envelope.ts";
import { NotFoundError } from "../http/errors.ts";
import { nearest } from "../platform/check_options.ts";
import { ERROR_RECORD } from "../schema/records.ts";
import { utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { remember } from "../table/remember.ts";
import { mergeEntityErrors } from "./merge.ts";

/** Who asked, over which connection. */
interface Asker {
  readonly operation: Operation;
  readonly connection: Connection;
}

/** The texts that were read as null, by the field that they stood in. */
export type NoNumbers = Map<string, string[]>;

/** What was said in answers and becomes no row. */
interface Said {
  /** What stood beside data and errors. */
  readonly remarks: readonly string[];
  readonly noNumbers: NoNumbers;
}

const MOST_SHOWN = 5;
const LONGEST_SHOWN = 200;

/** Tells something once for each connection, however often it is said. */
function tell({ operation, connection }: Asker, what: string, said: readonly string[]): void {
  if (said.length === 0) return;
  const shown = said.slice(0, MOST_SHOWN)
    .map((text) => text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
  if (said.length > shown.length) shown.push(`and ${said.length - shown.length} more`);
  const told = `chainframe: ${operation}: ${what}: ${shown.join(", ")}`;
  settingsOf(connection).warn(terminalText(told));
}

function quoted(texts: readonly string[]): string {
  return [...new Set(texts)].map((text) => JSON.stringify(text)).join(", ");
}

/**
 * The notes of a frame's provenance, a text for each thing said: what answers say beside data and errors,
 * and how many texts of which field were read as null. Tells of each of the two.
 */
export function tellNotes(about: Asker, { remarks, noNumbers }: Said): string[] {
  const { redact } = settingsOf(about.connection);
  const said = [...new Set(remarks)].map(redact);
  const nulls = [...noNumbers].map(([field, texts]) =>
    redact(`${field}: ${texts.length} read as null: ${quoted(texts)}`)
  );
  tell(about, "the answer says more than data and errors, kept in provenance.notes", said);
  tell(about, "texts that say there is no number", nulls);
  return [...said, ...nulls];
}

/** The ids of a query, by the key that they were given under. */
export type AskedIds = Readonly<Record<string, readonly string[]>>;

/** An entity error, as `errorsOf` gives it. */
export interface EntityError {
  readonly code: string | null;
  readonly field: string | null;
  readonly value: string | null;
}

/** Whose entity errors they are. */
interface About extends Asker {
  /** The query as it was given. */
  readonly query: object;
  readonly answers: readonly Answer[];
}

/** Tells of the ids of a query from whose ends blanks were cut off before they were asked for. */
export function tellBlanks(about: About): void {
  for (const [name, given] of Object.entries(about.query)) {
    if (!/_ids?$/.test(name)) continue;
    const ids = [given].flat().filter((id) => typeof id === "string" && id !== id.trim());
    tell(about, `${name}: blanks around an id are cut off`, ids.map((id) => JSON.stringify(id)));
  }
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const isText = typeof value === "string" ? value.isWellFormed() : typeof value !== "object";
  return isText ? String(value) : JSON.stringify(value);
}

function membersOf(item: unknown): Readonly<Record<string, unknown>> | null {
  return typeof item === "object" && item !== null && !Array.isArray(item)
    ? item as Record<string, unknown>
    : null;
}

/** Reads an item of `errors`, whatever its shape: one that is no object is its text in `value`. */
function entityErrorOf(item: unknown): EntityError {
  const members = membersOf(item);
  if (members === null) return { code: null, field: null, value: textOf(item) ?? "null" };
  const own = (name: string) => Object.hasOwn(members, name) ? textOf(members[name]) : null;
  return { code: own("code"), field: own("field"), value: own("value") };
}

/** What an item of `errors` says beside code, field and value, with all of it; null where it says no more. */
function noteOf(item: unknown): string | null {
  const names = Object.keys(membersOf(item) ?? {});
  const more = names.some((name) => !ERROR_RECORD.some((field) => field.name === name));
  return more ? `errors: ${JSON.stringify(item)}` : null;
}

/** The entity errors of answers, each once, in the order of a single answer, and what they say besides. */
export function entityErrorsOf({ answers, query }: About): [EntityError[], string[]] {
  if (answers.every(({ errors }) => errors.length === 0)) return [[], []];
  const items = mergeEntityErrors(answers.map(({ errors }) => errors), query);
  const notes = items.map(({ value }) => noteOf(value)).filter((note) => note !== null);
  return [items.map(({ value }) => entityErrorOf(value)), notes];
}

/** The frame of entity errors. */
export function errorFrame(errors: readonly EntityError[]): DataFrame {
  const columns = ERROR_RECORD.map(({ name }) => utf8(name, errors.map((error) => error[name])));
  return remember(pl.DataFrame(columns));
}

/** The column that holds the ids which a query key takes. */
function columnOf(field: string): string {
  return field.replace(/s$/, "");
}

function idsIn(frame: DataFrame, column: string): string[] {
  if (!frame.columns.includes(column)) return [];
  return frame.getColumn(column).unique({ maintainOrder: true }).toArray() as string[];
}

/**
 * The ids asked for that no row carries and no entity error names: a dataset leaves unknown ids out in
 * silence, so their code is ours. `all`, which selects all by the interface (4.6), is none where rows came.
 */
export function notInAnswer(
  asked: AskedIds,
  frame: DataFrame,
  errors: readonly EntityError[],
): EntityError[] {
  return Object.entries(asked).flatMap(([field, ids]) => {
    const there = new Set(idsIn(frame, columnOf(field)));
    for (const error of errors) if (error.field === field) there.add(error.value ?? "");
    if (frame.height > 0) there.add("all");
    return ids.filter((id) => !there.has(id))
      .map((value) => ({ code: "NOT_IN_ANSWER", field, value }));
  });
}

const ID_COLUMNS = ["project_id", "chain_id", "market_sector_id", "product_id", "metric_id"];

const seen = new WeakMap<Connection, Map<string, Set<string>>>();

/** Keeps the ids that a frame holds, to name the nearest to one that is not found. */
export function rememberIds(connection: Connection, frame: DataFrame): void {
  const known = seen.get(connection) ?? new Map<string, Set<string>>();
  seen.set(connection, known);
  // polars lists its columns anew for each look at them.
  const columns = new Set(frame.columns);
  for (const column of ID_COLUMNS.filter((name) => columns.has(name))) {
    const ids = known.get(column) ?? new Set();
    known.set(column, ids);
    for (const id of idsIn(frame, column)) if (id !== null) ids.add(id);
  }
}

function describe({ code, field, value }: EntityError, connection: Connection): string {
  const ids = seen.get(connection)?.get(columnOf(field ?? "")) ?? [];
  const near = value === null ? undefined : nearest(value, ids);
  const said = [
    code === null || code === "NOT_FOUND" ? null : code,
    near === undefined ? null : `nearest: ${near}`,
  ].filter((text) => text !== null);
  const name = [field, value].filter((text) => text !== null).join(" ") || "(not named)";
  return said.length === 0 ? name : `${name} (${said.join(", ")})`;
}

/** What there is to report. */
interface Missing {
  readonly errors: readonly EntityError[];
  readonly frame: DataFrame;
  readonly url: string;
  /** What the message says besides. */
  readonly hint: string;
  /** The 404 that stands for the first of them, where one does. */
  readonly cause: NotFoundError | undefined;
}

/**
 * Warns of entities that were not found, as the connection says.
 *
 * @throws {NotFoundError} with `onMissing: "throw"`; it carries the error frame.
 */
export function reportMissing(
  { operation, connection }: About,
  { errors, frame, url, hint, cause }: Missing,
): void {
  if (errors.length === 0 || connection.onMissing === "ignore") return;
  const list = errors.slice(0, 5).map((error) => describe(error, connection));
  if (errors.length > list.length) list.push(`and ${errors.length - list.length} more`);
  const { redact } = settingsOf(connection);
  const told = terminalText(redact(`${operation}: not found: ${list.join(", ")}${hint}`));
  if (connection.onMissing === "throw") {
    const { status, attempts } = cause ?? {};
    throw new NotFoundError(told, { operation, url, errors: frame, status, attempts, cause });
  }
  notify(`${told}; errorsOf(frame) lists them`);
}
