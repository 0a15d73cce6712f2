import { readFile } from "node:fs/promises";
import { foreignCsv } from "../../lib/output/csv_table.ts";
import { noFindings } from "../../lib/output/findings.ts";
import { hasCode } from "../../lib/platform/file.ts";
import { type Operation, OPERATIONS } from "../../lib/schema/vocabulary.ts";
import { allFlags } from "./declared_options.ts";
import { optionsFrom } from "./option_values.ts";
import {
  type Arguments,
  camelName,
  flagName,
  type Io,
  type Option,
  several,
  tell,
  UsageError,
} from "./script.ts";

const isIds = (name: string) => /[-_]ids?$/.test(name);

/** Returns the options of a function of the service. Ids can be in a file. */
export function queryFlags(fn: string): Option[] {
  return allFlags(fn).map((each) => {
    const { name } = each;
    const column = `its column ${name.replaceAll("-", "_")}, else its first`;
    return isIds(name)
      ? several(name, "IDS", `Ids, comma separated, or @FILE.csv: ${column}.`)
      : each;
  });
}

/** The options that set fields of queries: one option for each field. */
export const QUERY_OPTIONS: readonly Option[] = [
  ...new Map(
    OPERATIONS.flatMap((operation) => queryFlags(camelName(operation)))
      .map((each) => [each.name, each]),
  ).values(),
];

/** Returns the query options with the given names. */
export function queryOptions(...names: readonly string[]): Option[] {
  return QUERY_OPTIONS.filter(({ name }) => names.includes(name));
}

/** Reads the columns of a CSV file as texts. */
async function readCsv(path: string, name: string): Promise<[string, (string | null)[]][]> {
  const bytes = await readFile(path).catch((error) => {
    if (!hasCode(error, "ENOENT")) throw error;
    throw new UsageError(`--${name}: no such file: ${path}`);
  });
  if (bytes.toString().trim() === "") throw new UsageError(`--${name}: the file is empty: ${path}`);
  try {
    return [...foreignCsv(bytes, {}, noFindings())]
      .map(([column, texts]) => [column, texts.toArray() as (string | null)[]]);
  } catch (error) {
    throw new UsageError(`--${name}: is not a CSV file: ${path}: ${(error as Error).message}`);
  }
}

/** Reads ids from a CSV file: from the column with the name of the option, or otherwise from the first column. */
async function idsIn(path: string, name: string, io: Io): Promise<string[]> {
  const columns = await readCsv(path, name);
  const field = name.replaceAll("-", "_");
  const found = columns.find(([column]) => [field, field.replace(/s$/, "")].includes(column));
  const [header, texts] = found ?? columns[0]!;
  if (found === undefined) {
    tell(io, `--${name}: ${path} has no column ${field}; reading its first column, ${header}`);
  }
  const cells = texts.map((text) => text?.trim() ?? "");
  const ids = cells.filter((id) => id !== "");
  const empty = cells.length - ids.length;
  if (empty > 0) tell(io, `--${name}: ${path}: ${empty} rows without an id left out`);
  return ids;
}

/** Returns the ids in the values of an option. A value is a list such as `a,b`, or a file such as `@ids.csv`. */
async function idList(
  given: Arguments,
  name: string,
  io: Io,
): Promise<string[]> {
  const lists = await Promise.all(
    given.all(name).map((value) =>
      value.startsWith("@")
        ? idsIn(value.slice(1), name, io)
        : value.split(",").map((id) => id.trim())
    ),
  );
  const ids = lists.flat();
  if (ids.length > 0) return ids;
  throw new UsageError(`--${name}: the file has no id: ${given.one(name)}`);
}

/** Returns the name of an operation as files and commands write it: `blockchain_comparison`. */
export function operationName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the query of a function of the service: `--chain-ids` becomes `chain_ids`. `only` has names of fields. */
export async function queryFrom(
  fn: string,
  given: Arguments,
  { io, only }: { readonly io: Io; readonly only?: readonly string[] },
): Promise<Record<string, unknown>> {
  const query = optionsFrom(fn, given, only);
  for (const name of Object.keys(query).filter(isIds)) {
    const flag = flagName(name);
    if (given.all(flag).some((value) => value.startsWith("@"))) {
      query[name] = await idList(given, flag, io);
    }
  }
  return query;
}

/**
 * Returns the query of an operation. The operation itself checks the values of the query.
 *
 * @throws {UsageError} for an option of another operation.
 */
export async function queryOf(
  operation: Operation,
  given: Arguments,
  io: Io,
): Promise<Record<string, unknown>> {
  const fn = camelName(operation);
  const names = queryFlags(fn).map(({ name }) => name);
  const other = QUERY_OPTIONS.find(({ name }) => given.has(name) && !names.includes(name));
  if (other === undefined) return await queryFrom(fn, given, { io });
  const list = names.map((name) => `--${name}`).join(", ");
  throw new UsageError(`--${other.name}: is not an option of ${operation}; options: ${list}`);
}
