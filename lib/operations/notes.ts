import { type Connection, sessionOf } from "../http/connection.ts";
import { terminalText } from "../host/terminal.ts";
import type { Operation } from "../schema/vocabulary.ts";

/** Whose notes they are. */
interface About {
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
function tell({ operation, connection }: About, what: string, said: readonly string[]): void {
  if (said.length === 0) return;
  const shown = said.slice(0, MOST_SHOWN)
    .map((text) => text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
  if (said.length > shown.length) shown.push(`and ${said.length - shown.length} more`);
  const told = `chainframe: ${operation}: ${what}: ${shown.join(", ")}`;
  sessionOf(connection).warn(terminalText(told));
}

function quoted(texts: readonly string[]): string {
  return [...new Set(texts)].map((text) => JSON.stringify(text)).join(", ");
}

/**
 * The notes of a frame's provenance, a text for each thing said: what answers say beside data and errors,
 * and how many texts of which field were read as null. Tells of each of the two.
 */
export function tellNotes(about: About, { remarks, noNumbers }: Said): string[] {
  const { redact } = sessionOf(about.connection).settings;
  const said = [...new Set(remarks)].map(redact);
  const nulls = [...noNumbers].map(([field, texts]) =>
    redact(`${field}: ${texts.length} read as null: ${quoted(texts)}`)
  );
  tell(about, "the answer says more than data and errors, kept in provenance.notes", said);
  tell(about, "texts that say there is no number", nulls);
  return [...said, ...nulls];
}

/** Tells that blanks around the ids of a query key were cut off before they were asked for. */
export function tellBlanks(about: About, name: string, ids: readonly string[]): void {
  tell(about, `${name}: blanks around an id are cut off`, ids.map((id) => JSON.stringify(id)));
}
