// A loop that makes many frames and drops them. Objects of polars are outside the engine's heap, so they must be
// collected in time: neither one long pause nor much memory. `deno run --allow-all tests/bench/frames.ts [ROUNDS]`
// runs the loop once and prints the figures as JSON.
import {
  cohortAnalysis,
  pl,
  pooledRetention,
  retentionCurves,
  retentionSummary,
} from "../../mod.ts";
import { type Measured, median } from "./measure.ts";

/** The milliseconds that the main thread has worked, so that a busy machine does not count. */
function worked(): number {
  return Number(Deno.readTextFileSync("/proc/self/schedstat").split(" ")[0]) / 1e6;
}

/** What the loop took. */
export interface Loop {
  /** The median and the longest time of a round, in milliseconds of work of the main thread. */
  readonly middle: number;
  readonly longest: number;
  /** The most memory that the process ever held, in megabytes. */
  readonly peak: number;
}

async function loop(rounds: number): Promise<Loop> {
  const cohorts = await cohortAnalysis();
  // As many projects as the sample of 0.3.0 had, for which the limits were set.
  const ids = [...new Set(cohorts.getColumn("project_id").toArray() as string[])].slice(0, 36);
  const curves = retentionCurves(cohorts.filter(pl.col("project_id").isIn(ids)));
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = worked();
    retentionSummary(pooledRetention(curves, { by: "project_id" }));
    await new Promise((done) => setTimeout(done, 0));
    times.push(worked() - start);
  }
  const status = Deno.readTextFileSync("/proc/self/status");
  return {
    middle: median(times),
    longest: Math.max(...times),
    peak: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024,
  };
}

/** Runs the loop in a process of its own. */
export async function loopOf(rounds: number): Promise<Loop> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", import.meta.url, `${rounds}`],
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Measures the loop of frames. */
export async function frames(short: boolean): Promise<Measured[]> {
  const rounds = short ? 3 : 500;
  const { middle, longest, peak } = await loopOf(rounds);
  const once = await loopOf(1);
  const what = `${rounds} summaries of pooled curves`;
  return [
    {
      what: `${what}: longest`,
      against: "median of the loop",
      ms: longest,
      base: middle,
      reach: { most: 250 },
    },
    {
      what: `${what}: peak memory`,
      against: "one summary",
      ms: peak,
      base: once.peak,
      unit: "MB",
      reach: { most: 450 },
    },
  ];
}

if (import.meta.main) console.log(JSON.stringify(await loop(Number(Deno.args[0] ?? 500))));
