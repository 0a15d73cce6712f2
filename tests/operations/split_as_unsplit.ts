import fc from "fast-check";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { connect, type Connection } from "../../lib/http/connect.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { errorsOf, provenanceOf } from "../../lib/table/track/provenance.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";

type Row = Readonly<Record<string, string | number | null>>;

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

/** Connects to a service without limits of its pace. */
export function connected(
  fetch: (request: Request) => Promise<Response>,
  options: ConnectOptions = {},
): Connection {
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
export function seen(frame: DataFrame): unknown {
  return [frame.columns, frame.dtypes.map(String), frame.toRecords(), errorsOf(frame).toRecords()];
}

/** Tests that split requests give the frame of one request, for random cases. Returns the most parts of a case. */
export async function splitAsUnsplit(
  { seed, numRuns }: Readonly<Record<"seed" | "numRuns", number>>,
): Promise<number> {
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
    { seed, numRuns },
  );
  return most;
}
