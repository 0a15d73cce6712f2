import { parseCsv } from "./parse_csv.ts";
import type { Arguments } from "./read_arguments.ts";
import { tell } from "./tell.ts";
import { UsageError } from "./usage_error.ts";

function rowsOf(path: string, text: string, option: string): string[][] {
  try {
    return parseCsv(text.replace(/^\ufeff/, ""));
  } catch (error) {
    throw new UsageError(`--${option}: is no CSV file: ${path}: ${(error as Error).message}`);
  }
}

/** The ids in the column of the option's name, or in the first: `project_ids`, `project_id`. */
async function idsIn(path: string, option: string): Promise<string[]> {
  const text = await Deno.readTextFile(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(`--${option}: there is no such file: ${path}`);
  });
  const [header, ...rows] = rowsOf(path, text, option);
  if (header === undefined) throw new UsageError(`--${option}: the file is empty: ${path}`);
  const name = option.replaceAll("-", "_");
  const found = header.findIndex((column) => [name, name.replace(/s$/, "")].includes(column));
  const index = Math.max(0, found);
  const cells = rows.map((row) => row[index]?.trim() ?? "");
  const ids = cells.filter((id) => id !== "");
  const empty = cells.length - ids.length;
  if (found === -1) {
    tell(`--${option}: ${path} has no column ${name}; taken: its first, ${header[0]}`);
  }
  if (empty > 0) tell(`--${option}: ${path}: ${empty} rows have no id, and were left out`);
  return ids;
}

/**
 * The ids that an option names: `a,b`, or `@ids.csv` for a column of a file; undefined when it was not
 * given. They are texts, whatever they look like.
 */
export async function idList(given: Arguments, option: string): Promise<string[] | undefined> {
  if (!given.has(option)) return undefined;
  const lists = await Promise.all(
    given.all(option).map((value) =>
      value.startsWith("@")
        ? idsIn(value.slice(1), option)
        : value.split(",").map((id) => id.trim())
    ),
  );
  const ids = lists.flat();
  if (ids.length === 0) {
    throw new UsageError(`--${option}: the file holds no id: ${given.one(option)}`);
  }
  return ids;
}
