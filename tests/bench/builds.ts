// Measures builds of facts of three sizes: seconds and peak memory of the whole process. Run it with
// `deno run --allow-all tests/bench/builds.ts FOLDER [--short]`; the facts are kept in the folder.
import { FACTS_L, writeLargeFacts } from "./large_facts.ts";
import { growth, type Measured, printed, type Sized } from "./measure.ts";

const BUILD = new URL("../../scripts/build.ts", import.meta.url).href;

/** Writes facts L times a factor, unless the folder holds them already. */
export async function factsOf(folder: string, factor: number): Promise<string> {
  const path = `${folder}/facts_${factor}`;
  if (
    await Deno.stat(`${path}/activity.parquet`).then(() => true, () => false)
  ) return path;
  const { projects, users, activity, days } = FACTS_L;
  const size = (count: number) => Math.max(1, Math.round(count * factor));
  await writeLargeFacts(path, {
    projects: size(projects),
    users: size(users),
    activity: size(activity),
    days,
  });
  return path;
}

/** Builds a file of data in a process of its own: its seconds, and its peak memory in megabytes. */
export async function buildOnce(
  facts: string,
  out: string,
  more: readonly string[] = [],
): Promise<[number, number]> {
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-all",
      "--no-check",
      BUILD,
      "--facts",
      facts,
      "--out",
      out,
      "--force",
      ...more,
    ],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let peak = 0;
  const watch = setInterval(() => {
    try {
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peak * 1_024) / 1_024;
    } catch {
      // It has ended.
    }
  }, 20);
  const { success } = await child.status;
  clearInterval(watch);
  if (!success) throw new Error(`the build of ${facts} failed`);
  return [(performance.now() - start) / 1_000, peak];
}

/** Builds the last week of facts again, on what was kept of the days before. */
async function weekAgain(folder: string, factor: number): Promise<Measured[]> {
  const facts = await factsOf(folder, factor);
  const out = `${folder}/again_${factor}.duckdb`;
  const [whole, weighed] = await buildOnce(facts, out, ["--keep"]);
  const [seconds, peak] = await buildOnce(facts, out, ["--since", "2026-06-11"]);
  const what = `build --since of 7 of 365 days, facts L x ${factor}`;
  const against = "a whole build with --keep";
  return [
    { what, against, ms: seconds * 1_000, base: whole * 1_000 },
    { what: `${what}, peak memory`, against, ms: peak, base: weighed, unit: "MB" },
  ];
}

/**
 * Builds facts L and a half, and a quarter of them: what they cost, and the power of growth. Builds
 * the last week of the half again.
 */
export async function builds(
  folder: string,
  short: boolean,
): Promise<Measured[]> {
  const factors = short ? [0.001, 0.002] : [0.25, 0.5, 1];
  const times: Sized[] = [];
  const peaks: Sized[] = [];
  for (const factor of factors) {
    const facts = await factsOf(folder, factor);
    const [seconds, peak] = await buildOnce(facts, `${folder}/built_${factor}.duckdb`);
    times.push({ size: factor, ms: seconds * 1_000 });
    peaks.push({ size: factor, ms: peak });
  }
  const what = `build, facts L x ${factors[0]}`;
  return [
    ...growth(what, times),
    ...growth(`${what}, peak memory`, peaks, { unit: "MB" }),
    ...await weekAgain(folder, factors[1]!),
  ];
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) {
    throw new Error("builds.ts: give it a folder to work in");
  }
  const short = Deno.args.includes("--short");
  console.log(printed(await builds(folder, short), short));
}
