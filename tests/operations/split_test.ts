import fc from "fast-check";
import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { connect } from "../../lib/http/connect.ts";
import type { ConnectOptions } from "../../lib/http/options.ts";
import type { Connection } from "../../lib/http/connect.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { project } from "../../lib/operations/project.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { createService } from "../../lib/service/mod.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import type { DataFrame } from "../../lib/table/build/polars.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";

type Row = Readonly<Record<string, string | number | null>>;
type Ask = (connection: Connection) => Promise<DataFrame>;

function points(text: string): number[] {
  return [...text].map((character) => character.codePointAt(0)!);
}

function before(a: string | number, b: string | number): boolean {
  if (typeof a === "number" || typeof b === "number") return a < b;
  const [left, right] = [points(a), points(b)];
  const at = left.findIndex((point, index) => point !== right[index]);
  return at < 0 ? left.length < right.length : right[at] !== undefined && left[at]! < right[at];
}

function order(field: string, sign: number): (a: Row, b: Row) => number {
  return (a, b) => {
    const [x, y] = [a[field] ?? null, b[field] ?? null];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    return before(x, y) ? -sign : before(y, x) ? sign : 0;
  };
}

/** A service in a few lines: filters, sorts with nulls last and ties by the ids, and cuts. */
function contractService(rows: readonly Row[]): (request: Request) => Promise<Response> {
  return (request) => {
    const asked = new URL(request.url).searchParams;
    let data = rows.filter((row) =>
      ["project", "chain"].every((thing) => {
        const ids = asked.get(`${thing}_ids`)?.split(",");
        return ids === undefined || ids.includes(String(row[`${thing}_id`]));
      })
    );
    const by = asked.get("order_by");
    const sorts = ["project_id", "chain_id", "account_address"].map((key) => order(key, 1));
    if (by !== null) sorts.unshift(order(by, asked.get("order_direction") === "desc" ? -1 : 1));
    for (const sort of sorts.reverse()) data = data.toSorted(sort);
    const limit = asked.get("limit");
    return Promise.resolve(Response.json({ data: limit === null ? data : data.slice(0, +limit) }));
  };
}

function connected(fetch: (request: Request) => Promise<Response>, options: ConnectOptions = {}) {
  return connect({
    baseUrl: "http://127.0.0.1:9",
    token: "t0ken-of-a-test",
    fetch,
    requestsPerMinute: Infinity,
    onMissing: "ignore",
    ...options,
  });
}

/** The parts that must be equal for every way of sending. */
function seen(frame: DataFrame): unknown {
  return [frame.columns, frame.dtypes.map(String), frame.toRecords(), errorsOf(frame).toRecords()];
}

Deno.test("split and unsplit give the same frame, for any ids, order, limit and size", async () => {
  const ids = ["a", "b", "B", "ab", "ä", "10", "9", "\uffee", "😀", "z z"];
  const number = fc.option(fc.constantFrom(-1.5, 0, 1, 2, 10, 9e15), { nil: null });
  const rows = fc.uniqueArray(
    fc.record({
      project_id: fc.constantFrom(...ids),
      chain_id: fc.constantFrom(...ids.slice(0, 4)),
      account_address: fc.constantFrom("0x1", "0x2", "0x3"),
      project_name: fc.option(fc.constantFrom(...ids), { nil: null }),
      inflows_1d_sum: number,
    }),
    {
      maxLength: 40,
      selector: ({ project_id, chain_id, account_address }) =>
        `${project_id},${chain_id},${account_address}`,
    },
  );
  const some = fc.option(fc.shuffledSubarray([...ids, "ghost"], { minLength: 1 }), {
    nil: undefined,
  });
  const cases = fc.record({
    rows,
    project_ids: some,
    chain_ids: some,
    order_by: fc.constantFrom(undefined, "inflows_1d_sum", "project_name", "chain_id"),
    order_direction: fc.constantFrom(undefined, "asc", "desc"),
    limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    maxUrlLength: fc.integer({ min: 1, max: 260 }),
  });
  let most = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, maxUrlLength, ...given }) => {
      const fetch = contractService(rows);
      const query = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      );
      const whole = await projectContracts(query, connected(fetch, { maxUrlLength: 9_999 }));
      const split = await projectContracts(query, connected(fetch, { maxUrlLength }));
      deepStrictEqual(seen(split), seen(whole));
      strictEqual(provenanceOf(whole).requests, 1);
      most = Math.max(most, provenanceOf(split).requests!);
    }),
    { seed: 4, numRuns: 150 },
  );
  ok(most > 20, `the most parts were ${most}`);
});

Deno.test("split and unsplit give the same frame on the reference service", async () => {
  const service = await createService({ tokens: ["t0ken-of-a-test"] });
  const fetch = (request: Request) => service.fetch(request);
  try {
    const all = connected(fetch);
    const idsOf = (frame: DataFrame, column: string) =>
      [...new Set(frame.getColumn(column).toArray().map(String))].toReversed();
    const chains = idsOf(await blockchainComparison({}, all), "chain_id");
    const projects = idsOf(await metricAggregations({}, all), "project_id");
    const list = [...projects.slice(0, 14), "ghost", "spectre"];
    const sum = "inflows_1d_sum";
    const cases: [string, Ask][] = [
      ["chains", (c) => blockchainComparison({ chain_ids: chains }, c)],
      [
        "chains by fees",
        (c) =>
          blockchainComparison(
            { chain_ids: chains, order_by: "ecosystem_fees_30d_sum", limit: 5 },
            c,
          ),
      ],
      [
        "chains by name, descending",
        (c) =>
          blockchainComparison({
            chain_ids: chains,
            order_by: "chain_name",
            order_direction: "desc",
          }, c),
      ],
      [
        "contracts",
        (c) => projectContracts({ project_ids: list.slice(0, 8), chain_ids: chains }, c),
      ],
      ["contracts, few", (c) => projectContracts({ project_ids: list, limit: 7 }, c)],
      [
        "contracts by inflows, descending",
        (c) =>
          projectContracts(
            { project_ids: list, order_by: sum, order_direction: "desc", limit: 30 },
            c,
          ),
      ],
      [
        "contracts by a text with ties",
        (c) =>
          projectContracts({ project_ids: list, order_by: "market_sector_name", limit: 50 }, c),
      ],
      ["cohorts", (c) => cohortAnalysis({ project_ids: list }, c)],
      [
        "cohorts by month_11, most of it null",
        (c) =>
          cohortAnalysis({ project_ids: list, order_by: "month_11", order_direction: "desc" }, c),
      ],
      ["aggregations", (c) => metricAggregations({ project_ids: list }, c)],
      [
        "aggregations of some metrics",
        (c) =>
          metricAggregations({
            // In the order of the service, which sorts metrics of one response.
            metric_ids: ["fees", "nothing", "tvl", "naught"],
            project_ids: list,
          }, c),
      ],
    ];
    for (const [name, ask] of cases) {
      const whole = seen(await ask(all));
      for (const maxUrlLength of [1, 180]) {
        const frame = await ask(connected(fetch, { maxUrlLength }));
        deepStrictEqual(seen(frame), whole, `${name}, ${maxUrlLength}`);
        ok(maxUrlLength > 1 || provenanceOf(frame).requests! > 1, `${name}: was not split`);
      }
    }
  } finally {
    await service.close();
  }
});

Deno.test("a row in two parts is kept once, and duplicates within a response stay", async () => {
  const twin = { chain_id: "alder", chain_name: "Alder" };
  const connection = connected(() => Promise.resolve(Response.json({ data: [twin, twin] })), {
    maxUrlLength: 1,
  });
  const frame = await blockchainComparison({ chain_ids: ["alder", "ALDER"] }, connection);
  strictEqual(frame.height, 2);
});

Deno.test("responses with another order are stacked in the order of the ids", async () => {
  const connection = connected((request) => {
    const ids = new URL(request.url).searchParams.get("chain_ids")!.split(",");
    return Promise.resolve(Response.json({ data: ids.map((chain_id) => ({ chain_id })) }));
  }, { maxUrlLength: 75 });
  const frame = await blockchainComparison(
    { chain_ids: ["d", "c", "b", "a", "f", "e", "g"] },
    connection,
  );
  deepStrictEqual(frame.getColumn("chain_id").toArray(), ["d", "c", "b", "a", "f", "e", "g"]);
  ok(provenanceOf(frame).requests! > 1);
});

Deno.test("the error of a malformed row names its row in the part, and limit does not hide it", async () => {
  const bodies: Record<string, unknown[]> = {
    a: [{ chain_id: "a", ecosystem_fees_1d_sum: 1 }],
    b: [{ chain_id: "b", ecosystem_fees_1d_sum: 2 }, {
      chain_id: "c",
      ecosystem_fees_1d_sum: "many",
    }],
  };
  const connection = connected(
    (request) => Promise.resolve(Response.json({ data: bodies[request.url.slice(-1)] })),
    { maxUrlLength: 1 },
  );
  const query = { limit: 1, order_by: "ecosystem_fees_1d_sum", chain_ids: ["a", "b"] } as const;
  await rejects(blockchainComparison(query, connection), {
    name: "ResponseError",
    row: 1,
    field: "ecosystem_fees_1d_sum",
    got: "many",
    url:
      "http://127.0.0.1:9/v2/datasets/blockchain_comparison?limit=1&order_by=ecosystem_fees_1d_sum&chain_ids=b",
  });
});

Deno.test("entity errors are listed once, in the order of an unsplit response", async () => {
  const known = new Set(["a", "fees"]);
  const connection = (maxUrlLength: number) =>
    connected((request) => {
      const errors = [];
      for (const field of ["project_ids", "metric_ids"]) {
        for (const value of new URL(request.url).searchParams.get(field)!.split(",")) {
          if (!known.has(value)) errors.push({ code: "NOT_FOUND", field, value });
        }
      }
      return Promise.resolve(Response.json({ data: [], errors }));
    }, { maxUrlLength });
  const query = { metric_ids: ["x", "fees", "w"], project_ids: ["z", "a", "y", "b"] };
  const whole = errorsOf(await metricAggregations(query, connection(999))).toRecords();
  strictEqual(whole.length, 5);
  for (const maxUrlLength of [1, 75, 80, 85]) {
    deepStrictEqual(
      errorsOf(await metricAggregations(query, connection(maxUrlLength))).toRecords(),
      whole,
    );
  }
});

Deno.test("several projects report progress as one call", async () => {
  const totals: [number, number][] = [];
  const connection = connected(
    (request) =>
      Promise.resolve(
        request.url.endsWith("ghost")
          ? Response.json({ message: "no" }, { status: 404 })
          : Response.json({ data: { project_id: request.url.slice(-1) } }),
      ),
    { concurrency: 1, onProgress: ({ done, total }) => totals.push([done, total]) },
  );
  const frame = await project({ project_id: ["b", "ghost", "a"] }, connection);
  deepStrictEqual(frame.getColumn("project_id").toArray(), ["b", "a"]);
  deepStrictEqual(totals, [[0, 3], [1, 3], [2, 3], [3, 3]]);
  strictEqual(provenanceOf(frame).requests, 2);
});
