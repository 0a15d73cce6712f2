import { type DataFrame, errorsOf, NotFoundError, pl, save } from "../../mod.ts";
import { terminalTable } from "../../lib/output/terminal_table.ts";
import { type Arguments, onlyOneOf, type Option } from "./arguments.ts";
import { checkFile } from "./output.ts";
import { hasColor, tell, terminalWidth } from "./terminal.ts";

/** What the scripts understand about entities that do not exist. */
export const ENTITY_ERROR_OPTIONS: readonly Option[] = [
  {
    name: "on-missing",
    value: "WHAT",
    about: "About entities that do not exist: warn (a table on stderr; as it is, if not given), " +
      "throw (the same, and exit code 1, without data), ignore.",
  },
  {
    name: "errors",
    value: "FILE",
    about: "Writes the entity errors there, too: code, field, value.",
  },
];

/** Checks the options before anything is asked. */
export async function checkErrorOptions(given: Arguments): Promise<void> {
  onlyOneOf(given, "on-missing", ["warn", "throw", "ignore"]);
  const path = given.one("errors");
  if (path !== undefined) await checkFile("errors", path, given.has("force"), "frame");
}

/**
 * Reports the entities that were not found as the options ask, and throws where they ask for that.
 *
 * @throws {NotFoundError}
 */
export async function reportMissing(frame: DataFrame, given: Arguments): Promise<void> {
  const errors = errorsOf(frame);
  const path = given.one("errors");
  if (path !== undefined) {
    await save(errors, path, { source: frame, force: given.has("force") });
  }
  const what = given.one("on-missing") ?? "warn";
  if (errors.height === 0 || what === "ignore") return;
  const color = hasColor(Deno.stderr);
  const width = terminalWidth();
  // Columns know no provenance, which the table of the frame itself will show.
  const plain = pl.DataFrame(errors.getColumns());
  tell(`Not found:\n${terminalTable(plain, { width, color, rows: 100 })}`);
  if (what !== "throw" && frame.height > 0) return;
  const names = (errors.toRecords() as { field: string; value: string }[])
    .map(({ field, value }) => `${field} ${value}`);
  const more = names.length > 3 ? `, and ${names.length - 3} more` : "";
  throw new NotFoundError(`not found: ${names.slice(0, 3).join(", ")}${more}`, { errors });
}
