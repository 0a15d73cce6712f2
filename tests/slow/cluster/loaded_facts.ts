import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { loadFacts } from "../../../lib/service/facts/load_facts.ts";
import type { Activity, Facts } from "../../service/facts_model.ts";
import { seededRandom } from "../../service/seeded_random.ts";
import { tinyFacts } from "../../service/tiny_facts.ts";
import { HAS_CLICKHOUSE, type Shard, withShards } from "./shards.ts";

/** The user of the shards of these tests. */
export const ACCOUNT = { user: "builder", password: "secret" };

/** The tables of a shard when nothing is under way. */
export const OURS = ["activity", "chainframe_shard", "manifest"];

/**
 * Repeats what fails until it holds: a shard that is busy may still be dropping what it was told to
 * when the statement was no longer waited for.
 */
export async function eventually(holds: () => Promise<void>): Promise<void> {
  for (let tries = 0;; tries++) {
    try {
      return await holds();
    } catch (error) {
      if (tries === 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** A test with two shards, or as many as it says, and a folder, which are gone afterwards. */
export function clusterTest(
  name: string,
  fn: (shards: readonly Shard[], folder: string) => Promise<void>,
  { count = 2 } = {},
): void {
  Deno.test({
    name,
    ignore: !HAS_CLICKHOUSE,
    fn: async () => {
      const folder = await Deno.makeTempDir();
      try {
        await withShards({ count, ...ACCOUNT }, (shards) => fn(shards, folder));
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** The n-th day of the facts, from 0 on. */
export function dayOf(n: number): string {
  return new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
}

/**
 * Irregular facts of some days: nulls, sub-cent amounts, late starters, days without a user, and
 * addresses with what a format takes for its own. The same seed gives the same rows of a day.
 */
export function irregularFacts(days: number, { seed = 1, users = 40 } = {}): Facts {
  const activity: Activity[] = [];
  for (let n = 0; n < days; n++) {
    const random = seededRandom(seed * 1_000 + n);
    const some = <T>(value: T) => random() < 0.7 ? value : null;
    const amount = () => some(Number((random() * 10 ** (random() * 21 - 6)).toFixed(9)));
    for (let u = 0; u < users; u++) {
      if (random() < 0.4 || u > n * 10 + 10) continue;
      for (const account_address of ["0xa", "0xb"]) {
        if (random() < 0.5) continue;
        const revenue = amount();
        activity.push({
          day: dayOf(n),
          user_address: u % 8 === 0 ? `u\\${u}\tof "many, lines"\nü\\N` : `u${u}`,
          chain_id: "c1",
          account_address,
          transaction_count: Math.floor(random() * 9),
          gas_used: some(Math.floor(random() * 1e6)),
          fees_usd: amount(),
          revenue_usd: revenue === null || random() < 0.5 ? revenue : -revenue,
          dex_trading_volume_usd: amount(),
          inflows_usd: amount(),
          outflows_usd: amount(),
        });
      }
    }
  }
  return { ...tinyFacts(), activity, product_daily: [] };
}

const COLUMNS = [
  "day",
  "user_address",
  "contract",
  "transaction_count",
  "gas_used",
  "fees",
  "revenue",
  "dex_trading_volume",
  "inflows",
  "outflows",
];

/** The rows of a folder of facts, each as one text, sorted. */
export async function rowsOfFacts(folder: string): Promise<string[]> {
  const database = await openDuckdb();
  await loadFacts(database, folder);
  const cells = COLUMNS.map((name) => `coalesce(CAST(${name} AS VARCHAR), '\\N')`).join(", ");
  const rows = await database.rows(`SELECT concat_ws('|', ${cells}) AS line FROM facts.activity`);
  database.close();
  return rows.map(({ line }) => String(line)).sort();
}

/** Asks a shard itself, past all that is tested. */
export async function ask({ url }: Shard, sql: string): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    body: sql,
    headers: { authorization: `Basic ${btoa(`${ACCOUNT.user}:${ACCOUNT.password}`)}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${sql}: ${text}`);
  return text;
}

/** The rows of the shards, each as one text, sorted; no user may be on two of them. */
export async function rowsOnShards(shards: readonly Shard[]): Promise<string[]> {
  const cells = COLUMNS.map((name) => `coalesce(toString(${name}), '\\\\N')`);
  // This server writes decimals with all nine places, as DuckDB does.
  const sql = `SELECT ${cells.join(", '|', ")} FROM facts.activity FORMAT JSONCompact`
    .replace(/^SELECT (.*) FROM/, "SELECT concat($1) AS line FROM");
  const seen = new Map<string, number>();
  const rows: string[] = [];
  for (const [index, shard] of shards.entries()) {
    const { data } = JSON.parse(await ask(shard, sql)) as { data: [string][] };
    for (const [line] of data) {
      const user = line.split("|")[1]!;
      if ((seen.get(user) ?? index) !== index) throw new Error(`${user} is on two shards`);
      seen.set(user, index);
      rows.push(line);
    }
  }
  return rows.sort();
}

/** The tables of each shard. */
export async function tablesOn(shards: readonly Shard[]): Promise<string[][]> {
  const sql = "SELECT name FROM system.tables WHERE database = 'facts' ORDER BY name FORMAT TSV";
  const texts = await Promise.all(shards.map((shard) => ask(shard, sql)));
  return texts.map((text) => text.split("\n").filter((name) => name !== ""));
}

/** Writes the file that lists the shards, and gives back its path. */
export async function writeShardList(
  folder: string,
  shards: readonly Shard[],
  changes: object = {},
): Promise<string> {
  const path = `${folder}/shards.json`;
  await Deno.writeTextFile(`${folder}/password`, ACCOUNT.password);
  const list = {
    shards: shards.map(({ url }) => url),
    database: "facts",
    user: ACCOUNT.user,
    password_file: "password",
    ...changes,
  };
  await Deno.writeTextFile(path, JSON.stringify(list));
  return path;
}
