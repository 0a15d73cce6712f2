import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { blockchainComparison, metricBreakdown, named, pl, provenanceOf } from "../../mod.ts";
import { responseOf } from "../../lib/table/provenance.ts";

const query = { metric_ids: ["fees"], interval: "30d" } as const;

Deno.test("named adds the name of the breakdown's data_id, and keeps the rows", async () => {
  for (
    const [group_by, name] of [
      ["projects", "project_name"],
      ["market-sector", "market_sector_name"],
      ["chains", "chain_name"],
    ] as const
  ) {
    const fees = await metricBreakdown({ ...query, group_by });
    const frame = await named(fees);
    deepStrictEqual(frame.columns.slice(0, 3), ["data_id", name, "chain_id"], group_by);
    deepStrictEqual(frame.drop(name).toRecords(), fees.toRecords());
    deepStrictEqual(responseOf(frame)?.query, provenanceOf(fees).query);
    strictEqual(frame.getColumn(name).nullCount(), 0);
  }
});

Deno.test("named adds one name for each kind of id, and null for an id that is not in the catalog", async () => {
  const frame = pl.DataFrame({
    chain_id: ["alder", "nowhere", "alder"],
    project_id: ["x", "y", "z"],
  });
  const { columns, rows } = await named(frame).then((result) => ({
    columns: result.columns,
    rows: result.getColumn("chain_name").toArray(),
  }));
  deepStrictEqual(columns, ["chain_id", "chain_name", "project_id", "project_name"]);
  deepStrictEqual(rows, ["Alder", null, "Alder"]);
});

Deno.test("named keeps existing names", async () => {
  const chains = await blockchainComparison({ limit: 2 });
  deepStrictEqual((await named(chains)).columns, chains.columns);
});

Deno.test("named refuses a frame without ids, and a breakdown by groups without names", async () => {
  const message = /^named: the frame must have project_id, .*: a$/;
  await rejects(() => named(pl.DataFrame({ a: [1] })), { name: "RangeError", message });
  const products = (await metricBreakdown({ ...query, group_by: "product" })).drop("chain_id");
  await rejects(() => named(products), {
    name: "RangeError",
    message: /a breakdown by one of them/,
  });
});
