import { deepStrictEqual as equal, rejects } from "node:assert/strict";
import { CacheError } from "../../lib/http/errors.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { errorsOf, provenanceOf } from "../../lib/table/track/provenance.ts";
import { data, type Play, playing } from "../http/playing.ts";

const CHAIN = {
  chain_id: "c1",
  chain_name: "One",
  ecosystem_tvl_latest: 5,
  transaction_count_1d: 7,
  more: "kept",
};

async function withCache(
  use: (cache: NonNullable<ConnectOptions["cache"]> & { dir: string }) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await use({ dir });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const comparison: Play = () =>
  data([CHAIN, { ...CHAIN, chain_id: "c2", ecosystem_tvl_latest: "-" }]);

Deno.test("a cached call returns an equal frame each time, even if the last one was modified", () =>
  withCache(async (cache) => {
    const { connection, sent } = playing(comparison, { cache });
    const ask = () => blockchainComparison({ chain_ids: ["c1", "c2", "gone"] }, connection);
    const first = await ask();
    const rows = first.toRecords();
    const notes = ['ecosystem_tvl_latest: 1 read as null: "-"'];
    for (let turn = 0; turn < 4; turn++) {
      const frame = await ask();
      equal(frame.toRecords(), rows);
      equal(frame.dtypes.map(String), first.dtypes.map(String));
      const { source, sha256, ...about } = provenanceOf(frame);
      equal([source, sha256, about.notes], ["cache", provenanceOf(first).sha256, notes]);
      equal(errorsOf(frame).toRecords(), [
        { code: "NOT_IN_ANSWER", field: "chain_ids", value: "gone" },
      ]);
      equal(provenanceOf(errorsOf(frame)).source, "cache");
      // All that polars changes in place.
      frame.getColumn("chain_id").rename("x", true);
      frame.getColumn("transaction_count_1d").toTypedArray()[0] = 99;
      (provenanceOf(frame).notes as string[]).push("changed");
    }
    equal(sent.length, 1);
  }));

Deno.test("a frame is reused only if the bytes in the folder are unchanged and complete", () =>
  withCache(async (cache) => {
    let chain_name = "One";
    const play: Play = () => data([{ ...CHAIN, chain_name }]);
    const { connection } = playing(play, { cache });
    const names = async () => (await blockchainComparison({}, connection)).getColumn("chain_name");
    equal((await names()).toArray(), ["One"]);
    equal((await names()).toArray(), ["One"]);
    // Another process replaces the response.
    chain_name = "Two";
    await blockchainComparison(
      {},
      playing(play, { cache: { ...cache, mode: "refresh" } }).connection,
    );
    equal((await names()).toArray(), ["Two"]);
    // The file is damaged: the frame in memory does not replace it.
    const offline = playing(play, { cache: { ...cache, mode: "offline" } }).connection;
    await blockchainComparison({}, offline);
    for await (const { name } of Deno.readDir(cache.dir)) {
      if (!name.endsWith(".body.json")) continue;
      const path = `${cache.dir}/${name}`;
      await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("Two", "Six"));
    }
    await rejects(blockchainComparison({}, offline), CacheError);
    chain_name = "Three";
    equal((await names()).toArray(), ["Three"]);
  }));

Deno.test("two queries with equal responses have separate frames", () =>
  withCache(async (cache) => {
    const item = { data_id: "c1", chain_id: "c1", metrics: { fees: 1, tvl: 2 } };
    const { connection } = playing(() => data([item]), { cache });
    const columns = async (...metric_ids: string[]) => {
      const query = { metric_ids, interval: "30d", group_by: "chains" } as const;
      return (await metricBreakdown(query, connection)).columns.slice(3);
    };
    for (let turn = 0; turn < 3; turn++) {
      equal(await columns("fees", "tvl"), ["fees", "tvl"]);
      equal(await columns("tvl", "fees"), ["tvl", "fees"]);
    }
    const one = { name: "P", chains: ["c1"], links: [{ summary: "s", url: "u" }] };
    const about = playing(() => data(one), { cache }).connection;
    for (let turn = 0; turn < 3; turn++) {
      const frame = await project({ project_id: "p" }, about);
      equal(frame.select("name", "chains", "links").toRecords(), [one]);
    }
    const none = playing(() => data([]), { cache }).connection;
    for (let turn = 0; turn < 3; turn++) {
      const frame = await projectContracts({}, none);
      equal([frame.height, frame.width], [0, 28]);
    }
  }));
