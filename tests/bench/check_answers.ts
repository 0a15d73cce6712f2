// Compares responses of a service with plain SQL over the raw facts, for requests drawn from a fixed
// seed. Nothing is shared with the service: neither its statements nor its tables. Run it with
// `deno run --config tests/deno.json --allow-all tests/bench/check_answers.ts FACTS DATA.duckdb [200]`,
// with what `tests/bench/large_facts.ts` wrote, and the file of data that was built from it.
import { GROUP_BYS, INTERVALS } from "../../lib/schema/vocabulary.ts";
import { type Database, openDuckdb, quoteText, type Row } from "../../lib/service/engine/duckdb.ts";
import { createService } from "../../lib/service/mod.ts";
import type { Question } from "../service/brute_force.ts";
import { seededRandom } from "../service/seeded_random.ts";

const TOKEN = "t0ken-of-a-check";
const FLOWS: Readonly<Record<string, string>> = {
  fees: "fees_usd",
  revenue: "revenue_usd",
  dex_trading_volume: "dex_trading_volume_usd",
  transaction_count: "transaction_count",
  gas_used: "gas_used",
  inflows: "inflows_usd",
  outflows: "outflows_usd",
  net_flows: "inflows_usd - outflows_usd",
};
const CAPS: Readonly<Record<string, string>> = {
  market_cap_fd: "market_cap_fd_usd",
  market_cap_circ: "market_cap_circ_usd",
  core_developers: "core_developers",
};
const ALL_METRICS = [...Object.keys(FLOWS), "active_users", "tvl", ...Object.keys(CAPS)];
const KEYS: Readonly<Record<string, readonly [string, string, string]>> = {
  projects: ["project_id", "NULL", "NULL"],
  chains: ["chain_id", "chain_id", "NULL"],
  "chain-project": ["project_id", "chain_id", "NULL"],
  "chain-product": ["product_id", "chain_id", "product_id"],
  "chain-market-sector": ["market_sector_id", "chain_id", "NULL"],
  "market-sector": ["market_sector_id", "NULL", "NULL"],
  product: ["product_id", "NULL", "product_id"],
};
const LISTS = ["project_ids", "product_ids", "chain_ids", "market_sector_ids"] as const;

interface Days {
  first: string;
  last: string;
}

function shift(day: string, by: number): string {
  return new Date(Date.parse(day) + by * 86_400_000).toISOString().slice(0, 10);
}

function length(start: string, end: string): number {
  return Math.round((Date.parse(end) - Date.parse(start)) / 86_400_000) + 1;
}

// The facts with the ids of what they belong to. A level goes on for some days without a fact: facts L
// have one for every day, which is looked at first.
async function load(database: Database, facts: string): Promise<Days> {
  const file = (name: string) =>
    `read_parquet(${quoteText(`${facts}/${name}.parquet`)}) AS ${name}`;
  await database.run(`
    CREATE TABLE place AS SELECT product_id, project_id, market_sector_id
      FROM ${file("products")} JOIN ${file("projects")} USING (project_id);
    CREATE TABLE project AS SELECT project_id, market_sector_id FROM ${file("projects")};
    CREATE TABLE chain AS SELECT chain_id FROM ${file("chains")};
    CREATE TABLE used AS SELECT activity.* EXCLUDE (account_address, user_address),
        substr(user_address, 2)::INTEGER AS user_no, product_id, project_id, market_sector_id
      FROM ${file("activity")} JOIN ${file("contracts")} USING (chain_id, account_address)
      JOIN place USING (product_id);
    CREATE TABLE deposited AS SELECT * FROM ${file("product_daily")} JOIN place USING (product_id);
    CREATE TABLE project_day AS SELECT * FROM ${
    file("project_daily")
  } JOIN project USING (project_id);
    CREATE TABLE chain_day AS SELECT * FROM ${file("chain_daily")};
    CREATE TABLE spot AS SELECT DISTINCT product_id, project_id, market_sector_id, chain_id FROM (
      SELECT chain_id, product_id FROM ${file("contracts")}
      UNION ALL SELECT chain_id, product_id FROM deposited) JOIN place USING (product_id)`);
  const [row] = await database.rows(`
    SELECT (SELECT max(day) FROM used) AS last, least((SELECT min(day) FROM used),
      (SELECT min(day) FROM deposited), (SELECT min(day) FROM project_day)) AS first,
      (SELECT count(*) = count(DISTINCT (product_id, chain_id)) * count(DISTINCT day)
        FROM deposited) AS whole`);
  if (row?.whole !== true) throw new Error("check_answers.ts: product_daily has gaps");
  return { first: String(row.first), last: String(row.last) };
}

function window({ interval, start, end }: Question, { first, last }: Days) {
  let from: string, to = last;
  if (start !== undefined || end !== undefined) {
    from = start ?? first;
    to = end ?? last;
    if (from < first) from = first;
    if (to > last) to = last;
  } else if (interval === "max") from = first;
  else if (interval === "ytd") from = `${last.slice(0, 4)}-01-01`;
  else from = shift(last, interval === "24h" ? 0 : 1 - Number.parseInt(interval));
  const size = length(from, to);
  return { start: from, end: to, before: shift(from, -size), base: shift(to, -size), size };
}

type Window = ReturnType<typeof window>;

const SINGULAR = {
  project_ids: "project_id",
  product_ids: "product_id",
  chain_ids: "chain_id",
  market_sector_ids: "market_sector_id",
} as const;

function where(question: Question): string {
  const conditions = LISTS.flatMap((list) => {
    const ids = question[list];
    if (ids === undefined) return [];
    return [`${SINGULAR[list]} IN (${["", ...ids].map((id) => quoteText(id)).join(", ")})`];
  });
  return ["true", ...conditions].join(" AND ");
}

// The numbers of a window: six per group.
function summed(daily: string, { start, end, before, base }: Window): string {
  const within = (from: string, to: string) =>
    `FILTER (day BETWEEN DATE '${from}' AND DATE '${to}')`;
  return `SELECT a, b, c, min(day) FILTER (v IS NOT NULL) AS first,
    sum(v) ${within(start, end)}::DOUBLE AS sum, count(v) ${within(start, end)} AS count,
    sum(v) ${within(end, end)}::DOUBLE AS latest, sum(v) ${within(base, base)}::DOUBLE AS was,
    sum(v) ${within(before, shift(start, -1))}::DOUBLE AS earlier,
    count(v) ${within(before, shift(start, -1))} AS earlier_count
    FROM (${daily}) GROUP BY a, b, c`;
}

function dailySql(metric: string, question: Question, { before, end }: Window): string | null {
  const [a, b, c] = KEYS[question.group_by]!;
  const keys = `${a} AS a, ${b}::VARCHAR AS b, ${c}::VARCHAR AS c, day`;
  const chosen = where(question);
  const given = LISTS.filter((list) => question[list] !== undefined);
  if (metric in FLOWS) {
    return `SELECT ${keys}, sum(${FLOWS[metric]}) AS v FROM used WHERE ${chosen} GROUP BY ALL`;
  }
  if (metric === "active_users") {
    // Of days outside the window it counts only whether there are any.
    return `SELECT ${keys}, count(DISTINCT user_no) AS v FROM used
      WHERE ${chosen} AND day BETWEEN DATE '${before}' AND DATE '${end}' GROUP BY ALL
      UNION ALL SELECT ${a}, ${b}, ${c}, min(day), 0 FROM used
      WHERE ${chosen} AND day < DATE '${before}' GROUP BY ALL`;
  }
  if (metric === "tvl") {
    return `SELECT ${keys}, sum(tvl_usd) AS v FROM deposited WHERE ${chosen} GROUP BY ALL`;
  }
  const only = (...lists: string[]) => given.every((list) => lists.includes(list));
  const from = ["projects", "market-sector"].includes(question.group_by)
    ? only("project_ids", "market_sector_ids") ? "project_day" : null
    : question.group_by === "chains" && only("chain_ids")
    ? "chain_day"
    : null;
  if (from === null || (from === "chain_day" && metric === "market_cap_circ")) return null;
  return `SELECT ${keys}, sum(${CAPS[metric]}) AS v FROM ${from} WHERE ${chosen} GROUP BY ALL`;
}

function figures(metric: string, found: Row | undefined, bounds: Window) {
  const { start, end, before, base } = bounds;
  const number = (name: string) => found?.[name] as number | null ?? null;
  const first = found?.first as string | null ?? null;
  const grown = (now: number | null, was: number | null) =>
    now === null || was === null || was === 0 ? null : (now - was) / Math.abs(was);
  const flow = metric in FLOWS;
  if (flow || metric === "active_users") {
    const known = first !== null && first <= end;
    const sum = known ? number("sum") ?? 0 : null;
    const days = known ? length(first > start ? first : start, end) : null;
    const latest = known ? number("latest") ?? 0 : null;
    return {
      sum: flow ? sum : null,
      avg: sum === null ? null : sum / days!,
      latest,
      change: first !== null && first <= base ? grown(latest, number("was") ?? 0) : null,
      trend: first !== null && first <= before ? grown(sum, number("earlier") ?? 0) : null,
      ...(flow ? { days } : {}),
    };
  }
  const mean = (sum: string, count: string) => number(count) ? number(sum)! / number(count)! : null;
  return {
    sum: null,
    avg: mean("sum", "count"),
    latest: number("latest"),
    change: grown(number("latest"), number("was")),
    trend: first !== null && first <= before
      ? grown(mean("sum", "count"), mean("earlier", "earlier_count"))
      : null,
  };
}

// Every group that has a place among what is chosen; and those that are on no chain, while none is asked.
async function groups(database: Database, question: Question): Promise<Row[]> {
  const [a, b, c] = KEYS[question.group_by]!;
  const { group_by, chain_ids } = question;
  const keys = `${a} AS a, ${b}::VARCHAR AS b, ${c}::VARCHAR AS c`;
  const sources = ["spot"];
  if (!group_by.includes("chain") && chain_ids === undefined) sources.push("place");
  if (group_by === "chains" && LISTS.every((list) => list === "chain_ids" || !question[list])) {
    sources.push("chain");
  }
  const selects = sources.map((from) => `SELECT ${keys} FROM ${from} WHERE ${where(question)}`);
  return await database.rows(
    `SELECT DISTINCT * FROM (${selects.join(" UNION ALL ")}) ORDER BY a, b, c`,
  );
}

function drawn(random: () => number, { last }: Days, counts: Record<string, number>): Question {
  const below = (n: number) => Math.floor(random() * n);
  const some = (prefix: string, count: number, most: number) =>
    Array.from({ length: 1 + below(Math.min(most, count)) }, () => `${prefix}${below(count)}`);
  const question: Question = {
    metric_ids: ALL_METRICS.filter(() => random() < 0.25),
    interval: INTERVALS[below(INTERVALS.length)]!,
    group_by: GROUP_BYS[below(GROUP_BYS.length)]!,
  };
  if (question.metric_ids.length === 0) question.metric_ids = ["fees", "active_users", "tvl"];
  if (random() < 0.25) question.start = shift(last, -below(380));
  if (random() < 0.25) question.end = shift(question.start ?? last, below(60) - 20);
  if (question.start! > (question.end ?? last)) delete question.start;
  if (question.end! < shift(last, -300)) delete question.end;
  if (random() < 0.2) question.project_ids = some("p", counts.projects!, 400);
  if (random() < 0.15) question.product_ids = some("q", counts.products!, 900);
  if (random() < 0.2) question.market_sector_ids = some("s", 20, 8);
  if (random() < 0.3) {
    // Some chains, or all but one.
    question.chain_ids = random() < 0.5
      ? some("c", 30, 6)
      : Array.from({ length: 29 }, (_, chain) => `c${chain}`);
  }
  return question;
}

function near(actual: unknown, expected: number | null): boolean {
  if (expected === null || typeof actual !== "number") return actual === expected;
  return Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
}

/** The result of a check. */
export interface Checked {
  readonly questions: number;
  readonly items: number;
  readonly figures: number;
  /** The first ten figures that differ, with their questions. */
  readonly wrong: readonly string[];
}

/** Sends random requests to a service, and compares each number of each response. */
export async function checkAnswers(
  { facts, data }: { readonly facts: string; readonly data: string },
  questions: number,
  seed = 200,
): Promise<Checked> {
  const database = await openDuckdb();
  const service = await createService({ tokens: [TOKEN], data });
  const random = seededRandom(seed);
  const wrong: string[] = [];
  const checked = { questions, items: 0, figures: 0, wrong };
  try {
    const days = await load(database, facts);
    const [counts] = await database.rows(
      "SELECT count(*) AS products, count(DISTINCT project_id) AS projects FROM place",
    );
    for (let index = 0; index < questions; index++) {
      const question = drawn(random, days, counts as Record<string, number>);
      const asked = JSON.stringify(question);
      const bounds = window(question, days);
      const answer = await service.fetch(
        new Request("http://service/v2/metric-breakdown", {
          method: "POST",
          headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
          body: asked,
        }),
      );
      const { data: items, message } = await answer.json();
      if (answer.status !== 200) throw new Error(`${asked}: ${message}`);
      const expected = await groups(database, question);
      const keyOf = (...ids: unknown[]) => JSON.stringify(ids);
      const said = items.map((item: Row) => keyOf(item.data_id, item.chain_id, item.product_id));
      if (said.join() !== expected.map(({ a, b, c }) => keyOf(a, b, c)).join()) {
        wrong.push(`other groups: ${asked}`);
      }
      checked.items += items.length;
      for (const metric of question.metric_ids) {
        const daily = dailySql(metric, question, bounds);
        const rows = daily === null ? [] : await database.rows(summed(daily, bounds));
        const found = new Map(rows.map((row) => [keyOf(row.a, row.b, row.c), row]));
        for (const [place, item] of items.entries()) {
          const figured = figures(metric, found.get(said[place]), bounds);
          const actual = item.metrics[metric];
          if (Object.keys(actual).join() !== Object.keys(figured).join()) {
            wrong.push(`other figures of ${metric}: ${asked}`);
          }
          for (const [name, value] of Object.entries(figured)) {
            checked.figures++;
            if (near(actual[name], value)) continue;
            wrong.push(`${said[place]} ${metric}.${name}: ${actual[name]} for ${value}: ${asked}`);
          }
        }
      }
    }
  } finally {
    database.close();
    await service.close();
  }
  return { ...checked, wrong: wrong.slice(0, 10) };
}

if (import.meta.main) {
  const [facts, data, questions = "200"] = Deno.args;
  if (facts === undefined || data === undefined) {
    throw new Error("check_answers.ts: give it the folder of the facts and the file of data");
  }
  const { items, figures, wrong } = await checkAnswers({ facts, data }, Number(questions));
  console.log(`${questions} questions, ${items} items, ${figures} figures`);
  console.log(wrong.length === 0 ? "all agree" : `wrong:\n${wrong.join("\n")}`);
  Deno.exitCode = wrong.length === 0 ? 0 : 1;
}
