import { readFile } from "node:fs/promises";
import { foreignCsv } from "../../lib/output/csv_table.ts";
import { noFindings } from "../../lib/output/findings.ts";
import { hasCode } from "../../lib/platform/file.ts";
import { ENDPOINTS } from "../../lib/schema/endpoints.ts";
import type { Operation } from "../../lib/schema/vocabulary.ts";
import { declaredFlags } from "./declared_options.ts";
import { type Arguments, type Io, type Option, several, tell, UsageError } from "./script.ts";

function idsOption(name: string, more = ""): Option {
  const field = name.replaceAll("-", "_");
  const column = `its column ${field}, else its first`;
  return several(name, "IDS", `Ids, comma separated, or @FILE.csv: ${column}.${more}`);
}

/** The options that set fields of queries: one option for each field. */
export const QUERY_OPTIONS: readonly Option[] = [
  idsOption("project-ids"),
  idsOption("chain-ids"),
  idsOption("market-sector-ids"),
  idsOption("product-ids"),
  idsOption("metric-ids"),
  idsOption("project-id", " For project."),
  ...declaredFlags("metricBreakdown", "interval", "group_by", "start", "end"),
  ...declaredFlags("blockchainComparison", "order_by", "order_direction", "limit"),
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
export async function idList(
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

/** Converts command-line options to query fields: `--chain-ids` becomes `chain_ids`. */
export async function queryFrom(
  names: readonly string[],
  given: Arguments,
  io: Io,
): Promise<Record<string, unknown>> {
  const query: Record<string, unknown> = {};
  for (const name of names.filter((each) => given.has(each))) {
    query[name.replaceAll("-", "_")] = /-ids?$/.test(name)
      ? await idList(given, name, io)
      : name === "limit"
      ? given.whole(name, 1)
      : given.one(name);
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
  const names = Object.keys(ENDPOINTS[operation].parameters).map((field) =>
    field.replaceAll("_", "-")
  );
  const other = QUERY_OPTIONS.find(({ name }) => given.has(name) && !names.includes(name));
  if (other === undefined) return await queryFrom(names, given, io);
  const list = names.map((name) => `--${name}`).join(", ");
  throw new UsageError(`--${other.name}: is not an option of ${operation}; options: ${list}`);
}
