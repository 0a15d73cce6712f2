import {
  blockchainComparison,
  cohortAnalysis,
  type Connection,
  type DataFrame,
  metricAggregations,
  metricBreakdown,
  project,
  projectContracts,
  timeline,
} from "../../mod.ts";
import { nearest, UsageError } from "../cli/arguments.ts";

/** What can be asked again and again. */
const CALLS: Readonly<
  Record<string, (query: never, connection: Connection) => Promise<DataFrame>>
> = {
  metricBreakdown,
  metricAggregations,
  blockchainComparison,
  projectContracts,
  cohortAnalysis,
  project,
  timeline,
};

/** One question of the list. */
export interface ArchivedQuestion {
  readonly call: string;
  readonly ask: (query: object, connection: Connection) => Promise<DataFrame>;
  readonly query: object;
  /** The columns that tell rows apart; those of the operation where it is not given. */
  readonly keys: readonly string[] | undefined;
}

const MEMBERS = ["call", "query", "keys"];

function questionOf(value: unknown, place: string): ArchivedQuestion {
  const refuse = (told: string): never => {
    throw new UsageError(`QUESTIONS.json: ${place}: ${told}`);
  };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse('must be an object such as { "call": "blockchainComparison", "query": {} }');
  }
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    return refuse(`${unknown}: must be one of ${MEMBERS.join(", ")}`);
  }
  const { call, query = {}, keys } = value as Record<string, unknown>;
  const known = Object.keys(CALLS);
  if (typeof call !== "string" || !known.includes(call)) {
    const hint = typeof call === "string" ? ` (nearest: ${nearest(call, known)})` : "";
    return refuse(`call: must be one of ${known.join(", ")}${hint}: ${JSON.stringify(call)}`);
  }
  if (typeof query !== "object" || query === null || Array.isArray(query)) {
    return refuse(`query: must be an object: ${JSON.stringify(query)}`);
  }
  const names = keys === undefined ? undefined : keys as string[];
  if (names !== undefined && !(Array.isArray(names) && names.length > 0)) {
    return refuse(`keys: must be a list of columns: ${JSON.stringify(keys)}`);
  }
  return { call, ask: CALLS[call] as ArchivedQuestion["ask"], query, keys: names };
}

/** Reads the list of questions. */
export async function readQuestions(path: string): Promise<ArchivedQuestion[]> {
  let list: unknown;
  try {
    list = JSON.parse(await Deno.readTextFile(path));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "there is no such file";
    if (!(error instanceof SyntaxError || error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(`QUESTIONS.json: ${why}: ${path}`);
  }
  if (!Array.isArray(list) || list.length === 0) {
    throw new UsageError(`QUESTIONS.json: must be a list of questions: ${path}`);
  }
  return list.map((value, index) => questionOf(value, `question ${index + 1}`));
}
