/**
 * Measures the cost of a build from two shards as its users grow: bytes from the shards, time, memory.
 *
 *     deno run --config tests/deno.json --allow-all tests/slow/cluster/measure_growth.ts [USERS ...]
 */
import { loadShards } from "../../../lib/service/cluster/load_shards.ts";
import { buildData } from "../../../lib/service/mod.ts";
import { writeGrowingFacts } from "./growing_facts.ts";
import { ACCOUNT, ask, writeShardList } from "./loaded_facts.ts";
import { startShardProxy } from "./shard_proxy.ts";
import { type Shard, withShards } from "./shards.ts";

/** The cost of a build. */
export interface Growth {
  readonly rows: number;
  /** Bytes from the shards. */
  readonly bytes: number;
  readonly [measure: string]: number;
}

async function peakOf(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

async function cpuOf(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

/** Runs something, and says how long it took, and how much more memory a process held at most. */
async function measured(pids: readonly number[], run: () => Promise<unknown>) {
  for (const pid of pids) await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5");
  const held = await Promise.all(pids.map(peakOf));
  const cpu = await Promise.all(pids.map(cpuOf));
  const from = performance.now();
  await run();
  const seconds = (performance.now() - from) / 1_000;
  const peaks = await Promise.all(pids.map(peakOf));
  const spent = await Promise.all(pids.map(cpuOf));
  return {
    seconds,
    cpu: Math.max(...spent.map((each, n) => each - cpu[n]!)),
    memory: Math.max(...peaks.map((each, n) => each - held[n]!)),
    held: Math.max(...peaks),
  };
}

async function bytesOnDisk(shard: Shard): Promise<number> {
  const sql = "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'activity' " +
    "AND database = 'facts'";
  return Number(await ask(shard, sql));
}

/** Builds with as many users as are named, each time on shards of its own. */
export async function measureGrowth(users: readonly number[], whole = true): Promise<Growth[]> {
  const found: Growth[] = [];
  for (const count of users) {
    await withShards({ count: 2, ...ACCOUNT }, async (shards) => {
      const folder = await Deno.makeTempDir();
      await using stack = new AsyncDisposableStack();
      stack.defer(() => Deno.remove(folder, { recursive: true }));
      const proxies = shards.map(({ url }) => stack.use(startShardProxy(url)));
      const facts = `${folder}/facts`;
      const rows = await writeGrowingFacts(facts, count);
      const list = await writeShardList(folder, shards, { shards: proxies.map(({ url }) => url) });
      const pids = shards.map(({ pid }) => pid);
      const load = await measured(pids, () => loadShards({ facts, shards: list }));
      const received = () => proxies.reduce((sum, proxy) => sum + proxy.received(), 0);
      const before = received();
      const out = `${folder}/data.duckdb`;
      const there = await measured(pids, () => buildData({ facts, out, shards: list }));
      const bytes = received() - before;
      const growth: Growth = { rows, bytes };
      if (!whole) return void found.push(growth);
      const here = await measured([Deno.pid], () => buildData({ facts, out }));
      const disk = (await Promise.all(shards.map(bytesOnDisk))).reduce((sum, each) => sum + each);
      found.push({
        ...growth,
        load_seconds: load.seconds,
        load_shard_cpu: load.cpu,
        disk,
        seconds: there.seconds,
        shard_cpu: there.cpu,
        shard_memory: there.memory,
        shard_held: there.held,
        duckdb_seconds: here.seconds,
        duckdb_cpu: here.cpu,
        duckdb_memory: here.memory,
      });
    });
  }
  return found;
}

if (import.meta.main) {
  const users = Deno.args.map(Number);
  const found = await measureGrowth(users.length > 0 ? users : [4_000, 16_000, 64_000]);
  console.table(found);
  const [first, last] = [found[0]!, found.at(-1)!];
  for (const name of Object.keys(first)) {
    const power = Math.log(last[name]! / first[name]!) / Math.log(last.rows / first.rows);
    console.log(`${name}: power ${power.toFixed(2)} of the rows`);
  }
}
