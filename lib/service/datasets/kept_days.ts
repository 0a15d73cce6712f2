import { type Database, quoteText } from "../engine/duckdb.ts";
import { dataPath } from "../engine/paths.ts";
import { FACT_LAYOUT, FactsError } from "../facts/fact_layout.ts";
import { readFacts } from "../facts/read_facts.ts";

/**
 * The version of what is kept, and of what it means: a file of another one is not reused. It goes up
 * with any change of the parts that read the activity, or of how facts are loaded.
 */
const KEPT_LAYOUT = 3;

/** What can be reused of the last build. */
interface Reuse {
  /** The activity of the days before one; missing when nothing is reused. */
  readonly reused?: {
    /** The first day whose activity is read. */
    readonly since: string;
    /** The last day before it with activity; null when there is none. */
    readonly lastDay: string | null;
  };
  /** Why nothing is reused. */
  readonly because?: string;
}

/** A file of data that is built again, and the first day that may have been restated since. */
interface BuiltAgain {
  readonly out: string;
  readonly since: string;
}

/** Where the facts are that it is built from. */
interface BuiltFrom {
  readonly facts: string;
  /** Whether the activity is on shards, which keep the months of users themselves. */
  readonly onShards: boolean;
}

/** The file that is kept beside a file of data. */
export function keptPath(out: string): string {
  return `${out}.kept`;
}

// The names that days of contracts, sets of users and months of users are counted under.
function contracts(schema: string): string {
  const table = (name: string, ...columns: string[]) =>
    `(SELECT ${columns.map((column) => `CAST(${column} AS VARCHAR) AS ${column}`).join(", ")}
      FROM ${schema}.${name}) AS ${name}`;
  return `SELECT concat(chain_id, ',', account_address) AS contract,
    concat_ws(', ', product_id, project_id, market_sector_id) AS place
  FROM ${table("contracts", "chain_id", "account_address", "product_id")}
  JOIN ${table("products", "product_id", "project_id")} USING (product_id)
  JOIN ${table("projects", "project_id", "market_sector_id")} USING (project_id)`;
}

const LEVELS = ["product_daily", "project_daily", "chain_daily"].map((name) =>
  `SELECT '${name}' AS level, min(day) AS first_day FROM facts.${name}`
).join(" UNION ALL ");

// What is kept of each day, by names that are the same in every build.
const DAYS: Readonly<Record<string, string>> = {
  contract_daily: "CAST(contract AS VARCHAR) AS contract",
  user_set: "CAST(cells AS VARCHAR[]) AS cells",
  user_month: "CAST(project_id AS VARCHAR) AS project_id",
};

function keepDays(table: string, since: string | null): string {
  const rows = `SELECT * REPLACE (${DAYS[table]}) FROM work.${table}`;
  if (since === null) return `CREATE TABLE keeping.${table} AS ${rows} ORDER BY day;`;
  const again = `day >= DATE '${since}'`;
  return `DELETE FROM keeping.${table} WHERE ${again};
    INSERT INTO keeping.${table} BY NAME ${rows} WHERE ${again} ORDER BY day;`;
}

/**
 * Writes what the next build needs of the days of this one, in a file of its own: the days of
 * contracts, the sets of users, the months of users and their numbers where they were read here,
 * cohorts, and the names that all of them are counted under. Of the days before `since` it has what
 * was kept.
 *
 * @param build the name of this build, which the file of data has as well
 */
export async function writeKept(
  database: Database,
  path: string,
  { out, since, build }: { readonly since: string | null; readonly out: string; build: string },
): Promise<void> {
  if (since !== null) await Deno.copyFile(keptPath(out), path);
  const here = await database.rows(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = 'work' AND table_name = 'user_month'",
  );
  const numbers = since === null
    ? "CREATE TABLE keeping.user_number AS FROM work.user_number;"
    : "INSERT INTO keeping.user_number BY NAME FROM work.new_user;";
  const gone = "DROP TABLE IF EXISTS keeping.user_month; DROP TABLE IF EXISTS keeping.user_number;";
  await database.run(`
    ATTACH ${quoteText(dataPath(path))} AS keeping;
    ${keepDays("contract_daily", since)}
    ${keepDays("user_set", since)}
    ${here.length === 0 ? gone : keepDays("user_month", since) + numbers}
    CREATE OR REPLACE TABLE keeping.cohort_count AS
      SELECT * REPLACE (CAST(project_id AS VARCHAR) AS project_id) FROM work.cohort_count;
    CREATE OR REPLACE TABLE keeping.contract AS ${contracts("facts")};
    CREATE OR REPLACE TABLE keeping.level AS ${LEVELS};
    CREATE OR REPLACE TABLE keeping.state AS
      SELECT ${KEPT_LAYOUT} AS layout, ${quoteText(build)} AS build;
    CHECKPOINT keeping;
    DETACH keeping;
  `);
}

/**
 * Puts the days before one, which were kept, beside those that were read.
 *
 * @throws {FactsError} when facts of days that are kept are gone from a table that is read whole, or
 * all days together count too much.
 */
export async function addKeptDays(database: Database, since: string): Promise<void> {
  for (const table of ["contract_daily", "user_set"]) {
    await database.run(
      `INSERT INTO work.${table} BY NAME SELECT * FROM kept.${table} WHERE day < DATE '${since}'`,
    );
  }
  const counts = ["transaction_count", "gas_used"];
  const [sums] = await database.rows(
    `SELECT ${counts.map((name) => `sum(${name}_sum) > 9e18 AS ${name}`).join(", ")}
     FROM work.contract_daily`,
  );
  const over = counts.filter((name) => sums?.[name] === true);
  const levels = await database.rows(
    `SELECT level, was.first_day AS was, found.first_day AS found
     FROM kept.level AS was JOIN (${LEVELS}) AS found USING (level)
     WHERE was.first_day < DATE '${since}' AND coalesce(found.first_day > was.first_day, true)
       AND was.first_day <= (SELECT max(day) FROM work.contract_daily)
     ORDER BY level`,
  );
  const problems = [
    ...over.map((name) =>
      `activity: ${name} adds up to more than 9e18 with the days before ${since}`
    ),
    ...levels.map(({ level, was, found }) =>
      `${level}: it ${
        found === null ? "has no row" : `begins on ${found}`
      }, and in the last build it ` +
      `began on ${was}: of the days before ${since} only activity is kept, the rest is read whole`
    ),
  ];
  if (problems.length > 0) throw new FactsError(problems);
}

/** A value of the file of data that the last build left; null when there is none. */
async function lastBuilt(database: Database, out: string, select: string): Promise<string | null> {
  try {
    await database.run(`ATTACH ${quoteText(dataPath(out))} AS last_built (READ_ONLY)`);
    const [row] = await database.rows(select);
    return row?.value as string | null;
  } catch {
    return null;
  } finally {
    await database.run("DETACH DATABASE IF EXISTS last_built");
  }
}

// What is kept of a contract stands under its product and project: when these change, it is void.
async function changedContracts(database: Database, facts: string): Promise<string | null> {
  const needed = ["projects", "products", "contracts"];
  const tables = FACT_LAYOUT.map(({ name }) => name).filter((name) => !needed.includes(name));
  await readFacts(database, facts, { tables });
  const [row] = await database.rows(
    `SELECT count(*) AS changed, min(contract) AS contract, arg_min(was.place, contract) AS was,
       arg_min(now.place, contract) AS now
     FROM kept.contract AS was LEFT JOIN (${contracts("raw")}) AS now USING (contract)
     WHERE was.place IS DISTINCT FROM now.place`,
  );
  await database.run("DROP SCHEMA raw CASCADE");
  if (row === undefined || row.changed === 0) return null;
  const { changed, contract, was, now } = row;
  const example = now === null ? "is gone" : `was of ${was} and is of ${now}`;
  return `contracts, products or projects have changed: ${contract} ${example}` +
    (changed === 1 ? "" : ` (and ${Number(changed) - 1} more)`);
}

/**
 * Opens what was kept of the last build under the name `kept`, and says from which day on the activity
 * has to be read: the first that may have been restated, or that the last build did not have.
 */
export async function reuseDays(
  database: Database,
  { out, since, facts, onShards }: BuiltAgain & BuiltFrom,
): Promise<Reuse> {
  const path = keptPath(out);
  if (!await Deno.stat(path).then(({ isFile }) => isFile, () => false)) {
    return { because: `there is no ${path}` };
  }
  try {
    await database.run(`ATTACH ${quoteText(dataPath(path))} AS kept (READ_ONLY)`);
  } catch {
    return { because: `${path} cannot be read` };
  }
  const [state] = await database.rows("SELECT layout, build FROM kept.state").catch(() => []);
  if (state?.layout !== KEPT_LAYOUT) return { because: `${path} is of another version` };
  if (
    state.build !==
      await lastBuilt(database, out, "SELECT build AS value FROM last_built.data.layout")
  ) {
    return { because: `${path} and ${out} are not of the same build` };
  }
  const [months] = await database.rows(
    "SELECT 1 FROM duckdb_tables() WHERE database_name = 'kept' AND table_name = 'user_month'",
  );
  if (!onShards && months === undefined) {
    return {
      because: `${path} is of a build from shards, which keep the months of users themselves`,
    };
  }
  const changed = await changedContracts(database, facts);
  if (changed !== null) return { because: changed };
  const [row] = await database.rows(
    `SELECT from_day AS since, (SELECT max(day) FROM kept.contract_daily WHERE day < from_day) AS last_day
     FROM (SELECT least($since::DATE, max(day) + 1) AS from_day FROM kept.contract_daily)`,
    { since },
  );
  const lastDay = row?.last_day as string | null;
  return { reused: { since: String(row?.since), lastDay } };
}

/**
 * Refuses facts that begin later than those of the last build, where all have to be read: whoever gives
 * new and restated days alone would lose the others.
 *
 * @throws {FactsError} when they do.
 */
export async function refuseLostDays(
  database: Database,
  { out, since }: BuiltAgain,
  because: string,
): Promise<void> {
  const was = await lastBuilt(
    database,
    out,
    "SELECT min(day) AS value FROM last_built.data.user_set",
  );
  const [row] = await database.rows("SELECT min(day) AS day FROM facts.activity");
  const now = String(row?.day);
  if (was === null || since <= was || now <= was) return;
  throw new FactsError([
    `activity: it begins on ${now}, and in the last build it began on ${was}: every day has to be ` +
    `read, as ${because}`,
  ]);
}
