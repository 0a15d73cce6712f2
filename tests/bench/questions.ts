// Measures what questions to a service cost on facts L.
import { createServer } from "node:http";
import { GROUP_BYS } from "../../lib/schema/vocabulary.ts";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { createService, listen, type Service } from "../../lib/service/mod.ts";
import { inTurn, type Measured } from "./measure.ts";

const TOKEN = "t0ken-of-a-bench";
const METRICS = ["fees", "active_users", "tvl"];
const ALMOST_ALL_CHAINS = Array.from({ length: 29 }, (_, index) => `c${index}`);

/** The most milliseconds that a breakdown of one day is to take. */
const DAY_REACH: Readonly<Record<string, number>> = {
  chains: 60,
  "market-sector": 60,
  projects: 150,
};

/** The same figures by SQL that a person would write over the served file, of the last year. */
const BY_HAND: Readonly<Record<string, string>> = {
  projects: "project_id",
  chains: "chain_id",
  "chain-project": "chain_id, project_id",
  "chain-product": "chain_id, product_id",
  "chain-market-sector": "chain_id, market_sector_id",
  "market-sector": "market_sector_id",
  product: "product_id",
};

function handSql(ids: string): string {
  return `SELECT * FROM (
      SELECT ${ids}, sum(fees) AS fees FROM data.cell_daily JOIN data.cell USING (cell)
      WHERE day > DATE '2025-06-17' GROUP BY ${ids}
    ) JOIN (
      SELECT ${ids}, sum(users) AS active_users FROM (
        SELECT DISTINCT day, set_no, users, ${ids} FROM data.user_set JOIN data.cell USING (cell)
        WHERE day > DATE '2025-06-17'
      ) GROUP BY ${ids}
    ) USING (${ids}) JOIN (
      SELECT ${ids}, sum(tvl) FILTER (day = DATE '2026-06-17') AS tvl
      FROM data.cell_daily JOIN data.cell USING (cell) GROUP BY ${ids}
    ) USING (${ids})`;
}

/** Asks over a socket and counts what comes: a client that did more would be what is measured. */
async function received(port: number, path: string): Promise<number> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await connection.write(new TextEncoder().encode(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        `Authorization: Bearer ${TOKEN}\r\n\r\n`,
    ));
    const buffer = new Uint8Array(1 << 20);
    let size = 0;
    for (;;) {
      const read = await connection.read(buffer);
      if (read === null) return size;
      size += read;
    }
  } finally {
    connection.close();
  }
}

/** All aggregations, which are read while they are sent, against the same server sending bytes it holds. */
async function sending(service: Service, runs: number): Promise<Measured[]> {
  const path = "/v2/metric-aggregations?project_ids=all";
  const headers = { authorization: `Bearer ${TOKEN}` };
  const bytes = await (await service.fetch(new Request(`http://service${path}`, { headers })))
    .bytes();
  const asked = await listen(service, { port: 0 });
  const held = createServer((_, response) => {
    response.writeHead(200, { "content-length": String(bytes.length) });
    response.end(bytes);
  });
  await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
  const { port } = held.address() as { port: number };
  try {
    const [all, sent] = await inTurn(runs, [
      async () => {
        const size = await received(asked.port, path);
        if (size < bytes.length) throw new Error(`${path}: ${size} of ${bytes.length} bytes`);
      },
      () => received(port, "/"),
    ]);
    return [{
      what: `all aggregations, ${(bytes.length / 1e6).toFixed(1)} MB`,
      against: "sending the bytes only",
      ms: all!,
      base: sent!,
      reach: { ratio: 2 },
    }];
  } finally {
    held.close();
    await asked.close(0);
  }
}

/** Times breakdowns and aggregations on a file of data. */
export async function questions(
  data: string,
  short: boolean,
): Promise<Measured[]> {
  const runs = short ? 1 : 7;
  const service = await createService({ tokens: [TOKEN], data });
  const database = await openDuckdb({ file: data });
  const ask = async (path: string, body?: object) => {
    const response = await service.fetch(
      new Request(`http://service${path}`, {
        headers: {
          authorization: `Bearer ${TOKEN}`,
          "content-type": "application/json",
        },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      }),
    );
    const length = (await response.arrayBuffer()).byteLength;
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    return length;
  };
  // Nothing is asked twice: an unknown id makes a request of its own, and changes no figure.
  let asked = 0;
  const breakdown = (
    interval: string,
    group_by: string,
    filters: object = {},
  ) =>
    ask("/v2/metric-breakdown", {
      metric_ids: [...METRICS, `unknown${asked++}`],
      interval,
      group_by,
      ...filters,
    });
  const measured: Measured[] = [];
  try {
    for (const group_by of GROUP_BYS) {
      const filtered = { chain_ids: ALMOST_ALL_CHAINS };
      const sectors = { market_sector_ids: ["s1", "s2", "s3"] };
      const [whole, some, most, year, hand] = await inTurn(runs, [
        () => breakdown("24h", group_by),
        () => breakdown("24h", group_by, sectors),
        () => breakdown("24h", group_by, filtered),
        () => breakdown("365d", group_by),
        () => database.rows(handSql(BY_HAND[group_by]!)),
      ]);
      const day = DAY_REACH[group_by];
      const of24 = (what: string, ms: number): Measured => ({
        what: `breakdown, 24 h, ${group_by}${what}`,
        against: "365 d",
        ms,
        base: year!,
        ...(day === undefined ? {} : { reach: { most: day } }),
      });
      measured.push(
        of24("", whole!),
        of24(", 3 sectors", some!),
        of24(", 29 chains", most!),
        {
          what: `breakdown, 365 d, ${group_by}`,
          against: "SQL by hand",
          ms: year!,
          base: hand!,
          reach: { ratio: 1.2, most: 500 },
        },
      );
    }
    measured.push(...await sending(service, runs));
  } finally {
    database.close();
    await service.close();
  }
  return measured;
}
