import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { loadShards } from "../../../lib/service/cluster/load_shards.ts";
import { buildData, createService } from "../../../lib/service/mod.ts";
import { TOKEN } from "../../service/call_service.ts";
import { writeFacts } from "../../service/facts_model.ts";
import { serveLocally } from "../../service/serve_locally.ts";
import { clusterTest, irregularFacts, writeShardList } from "./loaded_facts.ts";

const CLIENTS = 24;
const TURNS = 3;
const BOUND_MS = 240_000;
/** The name of the chain by engine: everything else must be equal. */
const [HERE, THERE] = ["Chain Here", "On Shards!"];

const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const QUESTIONS: readonly [path: string, body?: string][] = [
  ["/v2/datasets/blockchain_comparison"],
  ["/v2/datasets/project_contracts?order_by=gas_used_1d_sum"],
  ["/v2/datasets/cohort_analysis"],
  ["/v2/metric-aggregations"],
  ["/v2/projects/p1"],
  ...["chains", "projects", "chain-product"].map((group_by) => {
    const metric_ids = ["fees", "active_users", "net_flows"];
    return ["/v2/metric-breakdown", JSON.stringify({ metric_ids, interval: "30d", group_by })] as [
      string,
      string,
    ];
  }),
];

clusterTest(
  "a service switches between files of either engine under load, with the same bytes",
  async (shards, folder) => {
    const list = await writeShardList(folder, shards);
    const out = `${folder}/data.duckdb`;
    const facts = irregularFacts(40, { users: 20 });
    for (const [name, chain_name] of [["here", HERE], ["there", THERE]] as const) {
      const chains = [{ chain_id: "c1", chain_name }];
      await writeFacts(`${folder}/${name}`, { ...facts, chains });
    }
    await loadShards({ facts: `${folder}/there`, shards: list });
    const buildHere = () => buildData({ facts: `${folder}/here`, out });
    const buildThere = () => buildData({ facts: `${folder}/there`, out, shards: list });
    await buildThere();
    await using server = await serveLocally(await createService({ tokens: [TOKEN], data: out }));

    const first = new Map<number, string>();
    const failures: string[] = [];
    let answered = 0, latest = "", ended = false;
    const ask = async (which: number) => {
      const [path, body] = QUESTIONS[which]!;
      const method = body === undefined ? "GET" : "POST";
      const response = await fetch(server.url + path, { method, headers, body: body ?? null });
      const text = await response.text();
      answered++;
      latest = /Chain Here|On Shards!/.exec(text)?.[0] ?? latest;
      const same = text.replaceAll(HERE, THERE);
      if (!first.has(which)) first.set(which, same);
      if (response.status !== 200) failures.push(`${path}: ${response.status} ${text}`);
      else if (same !== first.get(which)) {
        failures.push(`${path}: ${same}, not ${first.get(which)}`);
      }
    };
    const client = async (start: number) => {
      for (let turn = start; !ended; turn++) {
        await ask(turn % QUESTIONS.length).catch((error) => failures.push(String(error)));
      }
    };
    const seen: string[] = [];
    const goesOver = async (name: string) => {
      const from = performance.now();
      while (latest !== name && performance.now() - from < BOUND_MS) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      seen.push(latest);
    };
    const builds = async () => {
      for (let turn = 0; turn < TURNS; turn++) {
        await buildHere();
        await goesOver(HERE);
        await buildThere();
        await goesOver(THERE);
      }
      ended = true;
    };
    await Promise.all([
      ...Array.from({ length: CLIENTS }, (_, index) => client(index)),
      builds().finally(() => ended = true),
    ]);
    equal(failures.slice(0, 3), []);
    equal(seen, Array.from({ length: TURNS }, () => [HERE, THERE]).flat());
    ok(answered > 200, `${answered} requests were answered`);
  },
);
