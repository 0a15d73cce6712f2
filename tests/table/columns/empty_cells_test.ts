import fc from "fast-check";
import { deepStrictEqual, match, ok, rejects, throws } from "node:assert/strict";
import { blockchainComparison, connect, metricBreakdown, openFrame } from "../../../mod.ts";
import { emptyCellGuard } from "../../../lib/table/columns/empty_cells.ts";
import { inFolder } from "../../in_folder.ts";

const connection = (data: unknown) =>
  connect({
    baseUrl: "https://metrics.example",
    token: "t",
    retries: 0,
    fetch: () => Promise.resolve(Response.json({ data })),
  });
const rows = <Row>(count: number, of: (row: number) => Row): Row[] =>
  Array.from({ length: count }, (_, row) => of(row));
const own = (row: number) => ({ [`own${row}`]: row });

/** A frame of rows in each place that makes columns of names: fields, metrics, members of a metric, and files. */
const PLACES: Readonly<
  Record<string, (made: readonly object[], folder: string) => Promise<unknown>>
> = {
  fields: (made) =>
    blockchainComparison({}, connection(made.map((row, at) => ({ chain_id: `c${at}`, ...row })))),
  metrics: (made) =>
    metricBreakdown(
      { metric_ids: ["fees"], group_by: "chains", interval: "7d" },
      connection(made.map((row, at) => ({ data_id: `c${at}`, metrics: row }))),
    ),
  members: (made) =>
    metricBreakdown(
      { metric_ids: ["fees"], group_by: "chains", interval: "7d" },
      connection(made.map((row, at) => ({ data_id: `c${at}`, metrics: { fees: row } }))),
    ),
  json: async (made, folder) => {
    await Deno.writeTextFile(`${folder}/t.json`, JSON.stringify(made));
    return await openFrame(`${folder}/t.json`);
  },
  ndjson: async (made, folder) => {
    await Deno.writeTextFile(
      `${folder}/t.ndjson`,
      made.map((row) => JSON.stringify(row)).join("\n"),
    );
    return await openFrame(`${folder}/t.ndjson`);
  },
};

for (const [place, made] of Object.entries(PLACES)) {
  Deno.test(`a table of mostly empty cells is refused, with rows and columns: ${place}`, () =>
    inFolder(async (folder) => {
      for (const count of [6_000, 1_500]) {
        const started = performance.now();
        await rejects(made(rows(count, own), folder), (error: Error) => {
          match(error.name, /^(RangeError|ResponseError)$/);
          ok(
            error.message.includes(`${count} rows and ${count} columns with ${count} values`),
            error.message,
          );
          match(error.message, /at most 2,000,000 empty cells|at most 3,000,000 empty cells/);
          return true;
        });
        ok(performance.now() - started < 1_000);
      }
      await made(rows(300, own), folder);
    }));
}

Deno.test("sparse tables of few names are read, and rows with one name of their own up to 1 000", async () => {
  const sparse = (count: number, each: number, names: number) =>
    rows(count, (row) => ({
      chain_id: `c${row}`,
      ...Object.fromEntries(rows(each, (at) => [`n${(row * 7 + at * 31) % names}`, row] as const)),
    }));
  const frame = await blockchainComparison({}, connection(sparse(2_500, 3, 1_000))) as {
    height: number;
    width: number;
  };
  deepStrictEqual([frame.height, frame.width], [2_500, 97 + 1_000]);
  const few = rows(1_000, (row) => ({ chain_id: `c${row}`, ...own(row) }));
  deepStrictEqual((await blockchainComparison({}, connection(few))).width, 97 + 1_000);
});

Deno.test("emptyCellGuard: at most 2 million empty cells, or 500 per value, and never above 20 million", () => {
  const size = fc.record({
    rows: fc.integer({ min: 1, max: 30_000 }),
    columns: fc.integer({ min: 1, max: 3_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(fc.property(size, ({ rows, columns, share }) => {
    const values = Math.ceil(rows * columns * share ** 4);
    const empty = rows * columns - values;
    const bound = Math.min(2e7, Math.max(2e6, 500 * values));
    let counted = 0;
    const guard = emptyCellGuard(
      rows,
      () => (counted++, { rows, columns, values }),
      (expected, got) => {
        throw new RangeError(`${expected}; ${got}`);
      },
    );
    const all = () => {
      for (let column = 0; column < columns; column++) guard();
    };
    if (empty <= bound) all();
    else throws(all, RangeError);
    ok(counted <= 1);
  }));
});
