import { TOKEN } from "../../service/call_service.ts";

const WORDS = [
  ...`c1 p1 x1 s1 nowhere all , ,, fees active_users tvl chain_id month_0 ecosystem_fees_30d_sum asc
desc 1 0 -1 50 51 1e9 NaN null undefined true [] {} ' " $1 $project_ids % %2 %00 %2C %E0%A4%A
../ ..%2f 2026-01-31 2026-02-30 9999-12-31 0000-00-00 30d 24h ytd max chains projects
chain-product market-sector __proto__ constructor toString hasOwnProperty Bearer * gzip br
application/json`.split(/\s/),
  "",
  " ",
  "';DROP TABLE data.chain;--",
  "\u0000",
  "\uFFFD",
  "💥",
  "é",
  "x".repeat(300),
  "9".repeat(40),
  'W/"x"',
];
const OPERATIONS = `/v2/metric-breakdown /v2/metric-aggregations /v2/projects/p1
/v2/datasets/blockchain_comparison /v2/datasets/project_contracts /v2/datasets/cohort_analysis`
  .split(/\s/);
const PATHS = `/healthz /openapi.json /reference/start.js / // /v2 /v3/metric-breakdown /v2/datasets
/v2/datasets/ /v2/projects/`.split(/\s/);
const PARAMETERS =
  `chain_ids project_ids market_sector_ids product_ids metric_ids order_by order_direction limit
start __proto__ constructor ORDER_BY`.split(/\s/).concat("");
const METHODS = `GET GET GET POST POST POST HEAD PUT DELETE OPTIONS PATCH`.split(" ");
const HEADERS = `accept-encoding if-none-match content-type origin range x-any accept`.split(" ");
const KEYS =
  `metric_ids interval group_by project_ids product_ids chain_ids market_sector_ids start end
__proto__ x`.split(/\s/);

/**
 * Makes random requests of the operations and around them, most of them nearly right, for `origin`.
 * The same random numbers make the same requests.
 */
export function randomRequests(random: () => number, origin: string): () => Request {
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const chance = (p: number) => random() < p;
  const some = <T>(make: () => T, max: number): T[] => Array.from({ length: below(max + 1) }, make);
  const word = () =>
    chance(0.9) ? pick(WORDS) : String.fromCodePoint(...some(() => below(0xd7ff), 6));
  const value = (depth = 0): unknown => {
    const kind = below(depth > 3 ? 4 : 7);
    if (kind === 0) return word();
    if (kind === 1) return below(1e6) - 5e5;
    if (kind === 2) return pick([null, true, false, 1e308, -0.5]);
    if (kind === 3) return pick(["fees", "c1", "p1", "30d", "chains"]);
    if (kind === 4) return Object.fromEntries(some(() => [word(), value(depth + 1)], 3));
    return some(() => value(depth + 1), 4);
  };
  const body = (): string => {
    if (chance(0.1)) return some(word, 20).join(pick(["", ",", "{", "["]));
    if (chance(0.05)) return "[".repeat(below(20_000));
    const right: [string, unknown][] = [
      ["metric_ids", [pick(["fees", "tvl", "active_users", "nothing"])]],
      ["interval", pick(["24h", "30d", "ytd", "max"])],
      ["group_by", pick(["chains", "projects", "chain-product", "market-sector"])],
      ...some((): [string, unknown] => [pick(KEYS), chance(0.5) ? [word()] : value()], 3),
    ];
    if (chance(0.1)) right.splice(below(3), 1);
    return JSON.stringify(Object.fromEntries(right));
  };
  return (): Request => {
    let path = chance(0.9) ? pick(OPERATIONS) : pick(PATHS);
    const fits = path === OPERATIONS[0] ? "POST" : "GET";
    if (chance(0.05)) path += encodeURI(word()).replaceAll("?", "");
    if (chance(0.03)) path = "/" + some(() => encodeURIComponent(word()), 4).join("/");
    const query = some(() => {
      const text = chance(0.5) ? encodeURIComponent(some(word, 3).join(",")) : pick(WORDS);
      return `${chance(0.97) ? pick(PARAMETERS) : encodeURIComponent(word())}=${text}`;
    }, 3).join("&");
    const headers = new Headers();
    if (chance(0.9)) headers.set("authorization", `Bearer ${TOKEN}`);
    else if (chance(0.5)) {
      headers.set("authorization", pick(["Bearer", "Bearer x", "Basic eA==", "x"]));
    }
    for (const name of some(() => pick(HEADERS), 2)) {
      headers.set(name, pick(WORDS).replace(/[^\x20-\x7e]/g, ""));
    }
    const method = chance(0.85) ? fits : pick(METHODS);
    const bare = method === "GET" || method === "HEAD";
    if (!bare && chance(0.95)) headers.set("content-type", "application/json");
    return new Request(`${origin}${path}${query === "" ? "" : `?${query}`}`, {
      method,
      headers,
      ...(bare ? {} : { body: body() }),
    });
  };
}
