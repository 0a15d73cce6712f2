import { FactsError } from "../../lib/service/mod.ts";
import { type Arguments, type Io, option, tell, UsageError } from "./script.ts";

/** The option for the folder of the facts. Scripts that read facts also have the option `MEMORY`. */
export const FACTS = option("facts", "DIR", "The folder of the facts, as Parquet or CSV.");
export const MEMORY = option(
  "memory",
  "SIZE",
  "The memory limit, such as 512MB or 2GB (default: half of the machine's). The rest goes to disk.",
);
export const SHARDS = option(
  "shards",
  "FILE",
  'JSON: {"shards": ["https://…:8443"], "database": "…", "user": "…"}. The password is in ' +
    "CHAINFRAME_CLICKHOUSE_PASSWORD, or in the file that its password_file names.",
);

/** Returns the option `memory` of `buildData` and `loadShards` from `--memory`. */
export function memoryOf(given: Arguments): { memory?: string } {
  const memory = given.one("memory");
  if (memory === undefined) return {};
  if (/^\d+(\.\d+)?(MB|GB|TB)$/.test(memory)) return { memory };
  throw new UsageError(`--memory: must be an amount such as 512MB or 2GB; got "${memory}"`);
}

/** Runs a function that reads facts. If the facts are invalid, prints the problems and throws `outcome` as an error. */
export async function onFacts<Result>(
  io: Io,
  outcome: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FactsError)) throw error;
    for (const problem of error.problems) tell(io, problem);
    const count = error.problems.length === 1 ? "1 problem" : `${error.problems.length} problems`;
    throw new Error(`${outcome.replace("{}", count)}`, { cause: error });
  }
}

/** Prints how many amounts were rounded, unless there are none. */
export function tellRounded(io: Io, verb: string, rounded: number): void {
  if (rounded === 0) return;
  tell(io, `${verb}: ${rounded} amounts had more than nine decimals and were rounded to nine`);
}
