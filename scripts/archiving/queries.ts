import { readFile } from "node:fs/promises";
import { isObject, mustBeOneOf } from "../../lib/platform/check_options.ts";
import { hasCode } from "../../lib/platform/file.ts";
import type { Connection, DataFrame } from "../../mod.ts";
import { operationName } from "../cli/query.ts";
import { UsageError } from "../cli/script.ts";
import { operationOf, SOURCES } from "../recipe/run_recipe.ts";

/** The operations and `timeline`, by name. */
const OPERATIONS = new Map(SOURCES.map((name) => [name, operationOf(name)]));

/** One query of the list. */
export interface ArchivedQuery {
  readonly name: string;
  readonly operation: (query: object, connection: Connection) => Promise<DataFrame>;
  readonly query: object;
}

const MEMBERS = ["operation", "query"];

function queryFrom(value: unknown, place: string): ArchivedQuery {
  const refuse = (rule: string): never => {
    throw new UsageError(`QUERIES.json: ${place}: ${rule}`);
  };
  if (!isObject(value)) {
    return refuse(
      'must be an object such as { "operation": "blockchain_comparison", "query": {} }',
    );
  }
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return refuse(`${unknown}: must be one of ${MEMBERS.join(", ")}`);
  const { operation: given, query = {} } = value;
  const name = operationName(String(given));
  const operation = OPERATIONS.get(name) as ArchivedQuery["operation"] | undefined;
  if (operation === undefined) {
    const rule = given === undefined
      ? `is required, one of ${[...OPERATIONS.keys()].join(", ")}`
      : `${mustBeOneOf([...OPERATIONS.keys()], name)}; got ${JSON.stringify(given)}`;
    return refuse(`operation: ${rule}`);
  }
  if (!isObject(query)) return refuse(`query: must be an object; got ${JSON.stringify(query)}`);
  return { name, operation, query };
}

/** Reads the list of queries. */
export async function readQueries(path: string): Promise<ArchivedQuery[]> {
  let list: unknown;
  try {
    list = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "no such file";
    if (!(error instanceof SyntaxError || hasCode(error, "ENOENT"))) throw error;
    throw new UsageError(`QUERIES.json: ${why}: ${path}`);
  }
  if (!Array.isArray(list) || list.length === 0) {
    throw new UsageError(`QUERIES.json: must be a list of queries: ${path}`);
  }
  return list.map((value, index) => queryFrom(value, `query ${index + 1}`));
}
