// Measures what questions cost as projects, users and days grow, each at three sizes while the others
// stay, with as many rows of activity for each of them. The milliseconds are those of the processor, all
// cores together: what else the machine does hardly changes them. Run it with
// `deno run --config tests/deno.json --allow-all tests/bench/growth.ts FOLDER [--short]`.
import process from "node:process";
import { buildData, createService } from "../../lib/service/mod.ts";
import { type FactsSize, writeLargeFacts } from "./large_facts.ts";
import { growth, type Measured, median, printed, type Sized } from "./measure.ts";

const TOKEN = "t0ken-of-a-bench";

/** The smallest size: a sixteenth of something near facts L. */
const SMALLEST: FactsSize = { projects: 60, users: 30_000, days: 24, activity: 200_000 };
const GROWING = ["projects", "users", "days"] as const;
const FACTORS = [1, 4, 16];

const QUESTIONS: Readonly<Record<string, object | string>> = {
  "breakdown, 24 h, projects": { interval: "24h", group_by: "projects" },
  "breakdown, 365 d, projects": { interval: "365d", group_by: "projects" },
  "breakdown, 365 d, chain-project": { interval: "365d", group_by: "chain-project" },
  "all aggregations": "/v2/metric-aggregations?project_ids=",
  "contracts": "/v2/datasets/project_contracts",
};

async function timesOf(data: string, runs: number): Promise<number[]> {
  // A repeated request would be answered from memory, so each has an unknown id, another limit, or "all" with
  // other escapes.
  let asked = 0;
  const service = await createService({ tokens: [TOKEN], data });
  const L = ["l", "%6c", "%6C"];
  const ask = async (question: object | string) => {
    asked++;
    const all = `${asked % 2 === 0 ? "a" : "%61"}${L[asked % 3]}${L[Math.floor(asked / 3) % 3]}`;
    const [path, body] = typeof question === "string"
      ? [`${question}${question.endsWith("=") ? all : `?limit=${1e9 - asked}`}`, null]
      : ["/v2/metric-breakdown", {
        metric_ids: ["fees", "active_users", "tvl", `unknown${asked}`],
        ...question,
      }];
    const response = await service.fetch(
      new Request(`http://service${path}`, {
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body === null ? {} : { method: "POST", body: JSON.stringify(body) }),
      }),
    );
    if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
    for await (const _ of response.body ?? []);
  };
  try {
    const times = Object.values(QUESTIONS).map((): number[] => []);
    for (let run = -1; run < runs; run++) {
      for (const [index, question] of Object.values(QUESTIONS).entries()) {
        const start = process.cpuUsage();
        await ask(question);
        const { user, system } = process.cpuUsage(start);
        if (run >= 0) times[index]!.push((user + system) / 1_000);
      }
    }
    return times.map(median);
  } finally {
    await service.close();
  }
}

/** Times questions to files of data that were built from growing facts, and says how they grow. */
export async function questionsGrowing(folder: string, short: boolean): Promise<Measured[]> {
  const smallest = short ? { ...SMALLEST, projects: 10, users: 500, activity: 4_000 } : SMALLEST;
  const factors = short ? FACTORS.slice(0, 2) : FACTORS;
  const measured: Measured[] = [];
  const timed = async (size: FactsSize) => {
    const work = `${folder}/grown`;
    try {
      await writeLargeFacts(work, size);
      await buildData({ facts: work, out: `${work}/data.duckdb` });
      return await timesOf(`${work}/data.duckdb`, short ? 1 : 5);
    } finally {
      await Deno.remove(work, { recursive: true });
    }
  };
  const first = await timed(smallest);
  for (const name of GROWING) {
    const sized: Sized[][] = Object.keys(QUESTIONS).map((_, index) => [
      { size: 1, ms: first[index]! },
    ]);
    for (const factor of factors.slice(1)) {
      const times = await timed({
        ...smallest,
        [name]: smallest[name] * factor,
        activity: smallest.activity * factor,
      });
      times.forEach((ms, index) => sized[index]!.push({ size: factor, ms }));
    }
    Object.keys(QUESTIONS).forEach((question, index) =>
      measured.push(...growth(`${question}, ${name}`, sized[index]!))
    );
  }
  return measured;
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) throw new Error("growth.ts: give it a folder to work in");
  const short = Deno.args.includes("--short");
  console.log(printed(await questionsGrowing(folder, short), short));
}
