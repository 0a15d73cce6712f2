import fc from "fast-check";
import { deepStrictEqual as equal, match } from "node:assert/strict";
import { dirname } from "node:path";
import { buildData } from "../../lib/service/mod.ts";
import {
  ACCOUNT,
  ask,
  irregularFacts,
  loadActivity,
  writeShardList,
} from "../slow/cluster/loaded_facts.ts";
import { sameData } from "../slow/cluster/same_data.ts";
import { arbitraryFacts } from "../service/arbitrary_facts.ts";
import { type Facts, writeFacts } from "../service/facts_model.ts";
import { HAS_CHDB } from "./chdb.ts";

const SERVER = new URL("serve_chdb.ts", import.meta.url).pathname;
const CONFIG = new URL("deno.json", import.meta.url).pathname;

const START_MS = 60_000;

/** A server in a separate process: the library supports one database per process. */
async function startServer(folder: string): Promise<{ url: string; end(): Promise<void> }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--allow-all", "--no-check", "--config", CONFIG],
      ...[SERVER, folder, ACCOUNT.user, ACCOUNT.password],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const late = setTimeout(() => child.kill("SIGKILL"), START_MS);
  const { value } = await reader.read();
  clearTimeout(late);
  if (value === undefined) throw new Error("a server does not answer");
  const port = new TextDecoder().decode(value).trim();
  return {
    url: `http://127.0.0.1:${port}`,
    end: async () => {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

type Use = (urls: readonly string[], folder: string) => Promise<void>;

async function withServers(use: Use): Promise<void> {
  const folder = await Deno.makeTempDir();
  await using ending = new AsyncDisposableStack();
  ending.defer(() => Deno.remove(folder, { recursive: true }));
  const urls: string[] = [];
  for (const shard of ["one", "two"]) {
    const { url, end } = await startServer(`${folder}/${shard}`);
    ending.defer(end);
    urls.push(url);
  }
  await use(urls, folder);
}

/**
 * A test with two servers that hold nothing, and a folder.
 *
 * The library stood still once, with nothing to do, until the machine was ended. A server that no longer answers is
 * therefore replaced once; a second time fails.
 */
function tests(name: string, use: Use): void {
  Deno.test({
    name,
    ignore: !HAS_CHDB,
    fn: async () => {
      try {
        await withServers(use);
      } catch (error) {
        // The reason of a random run that fails is the cause of its error.
        const reason = (error as Error).cause ?? error;
        if (!/does not answer|timed out/.test(String(reason))) throw error;
        console.log(`${name}: again with new servers, as ${reason}`);
        await withServers(use);
      }
    },
  });
}

/** Loads facts, and builds them with both engines: the files hold the same. */
async function buildBoth(urls: readonly string[], facts: string): Promise<void> {
  const database = facts.split("/").at(-1)!;
  const servers = urls.map((url) => ({ url }));
  const shards = await writeShardList(dirname(facts), servers, { database });
  await loadActivity(servers, { facts, database });
  Deno.env.set("CHAINFRAME_CLICKHOUSE_PASSWORD", ACCOUNT.password);
  const there = await buildData({ facts, out: `${facts}.there`, shards });
  const here = await buildData({ facts, out: `${facts}.here` });
  equal(there.rows, here.rows);
  await sameData(`${facts}.there`, `${facts}.here`);
}

tests("buildData gives the same result with a current ClickHouse", async (urls, folder) => {
  match(await ask({ url: urls[0]! }, "SELECT version()"), /^26\./);
  await writeFacts(`${folder}/facts`, irregularFacts(70, { users: 30 }));
  await buildBoth(urls, `${folder}/facts`);
});

tests(
  "buildData gives the same result for random facts with a current ClickHouse",
  async (urls, folder) => {
    let runs = 0;
    const both = async (facts: Facts) => {
      const name = `${folder}/facts_${runs++}`;
      await writeFacts(name, facts);
      await buildBoth(urls, name);
    };
    await fc.assert(fc.asyncProperty(arbitraryFacts, both), {
      numRuns: 12,
      seed: 20261121,
      endOnFailure: true,
    });
  },
);
