// Measures builds of facts of three sizes: seconds and peak memory of the whole process. The facts are kept in the folder.
import { FACTS_L, writeLargeFacts } from "./large_facts.ts";
import { growth, type Measured, type Sized } from "./measure.ts";

const BUILD = new URL("../../scripts/build.ts", import.meta.url).href;
const SAMPLE = new URL("../../scripts/sample.ts", import.meta.url).href;
const BY_HAND = new URL("./by_hand.ts", import.meta.url).href;

// Of a second, in what Linux tells of a process.
const TICKS = 100;

/** Writes facts L times a factor, unless the folder holds them already. */
export async function factsOf(folder: string, factor: number): Promise<string> {
  const times = (count: number) => Math.max(1, Math.round(count * factor));
  const { projects, users, activity, days } = FACTS_L;
  const path = `${folder}/facts_${factor}`;
  const there = await Deno.stat(`${path}/activity.parquet`).then(() => true, () => false);
  const size = { projects: times(projects), users: times(users), activity: times(activity), days };
  if (!there) await writeLargeFacts(path, size);
  return path;
}

/**
 * Runs a script in a process of its own: its seconds, its peak memory in megabytes, and the seconds of
 * all cores, which other work on the machine makes longer, too, but less so.
 */
async function runOnce(
  script: string,
  args: readonly string[],
): Promise<[number, number, number]> {
  const start = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", script, ...args],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const told = new Response(child.stderr).text();
  let peak = 0;
  let cores = 0;
  const watch = setInterval(() => {
    try {
      const fields = Deno.readTextFileSync(`/proc/${child.pid}/stat`).split(") ")[1]!.split(" ");
      cores = (Number(fields[11]) + Number(fields[12])) / TICKS;
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? peak * 1_024) / 1_024;
    } catch {
      // It has ended, or this system has no such file.
    }
  }, 20);
  const { success } = await child.status;
  clearInterval(watch);
  if (!success) throw new Error(`${script} ${args.join(" ")} failed: ${await told}`);
  return [(performance.now() - start) / 1_000, peak, cores];
}

/** Builds a file of data: its seconds, its peak memory in megabytes, and the seconds of all cores. */
export function buildOnce(
  facts: string,
  out: string,
  more: readonly string[] = [],
): Promise<[number, number, number]> {
  return runOnce(BUILD, ["--facts", facts, "--out", out, "--force", ...more]);
}

/** Holds a build of facts against SQL by hand, and with little memory against itself. */
async function againstHand(
  folder: string,
  factor: number,
  [seconds, peak]: readonly [number, number],
): Promise<Measured[]> {
  const facts = await factsOf(folder, factor);
  const out = `${folder}/by_hand.duckdb`;
  const [hand, weighed] = await runOnce(BY_HAND, [facts, out]);
  const [slower, bounded] = await buildOnce(facts, out, ["--memory", "2GB"]);
  await Deno.remove(out);
  const against = "SQL by hand, in a process";
  const what = `build, facts L x ${factor}`;
  const again = { what: `${what}, --memory 2GB`, against: "without --memory" };
  return [
    { what, against, ms: seconds * 1_000, base: hand * 1_000, reach: { ratio: 1.2 } },
    { what: `${what}, peak memory`, against, ms: peak, base: weighed, unit: "MB" },
    { ...again, ms: slower * 1_000, base: seconds * 1_000 },
    {
      ...again,
      what: `${again.what}, peak memory`,
      ms: bounded,
      base: peak,
      unit: "MB",
      // A third beyond the 2 GB, in megabytes of 1 024 x 1 024 bytes.
      reach: { most: 2_480 },
    },
  ];
}

/** Writes the sample at a large scale. */
export async function largeSample(folder: string, short: boolean): Promise<Measured[]> {
  const scale = short ? 0.1 : 16;
  const out = `${folder}/sample`;
  const write = async (scale: number) => {
    const written = await runOnce(SAMPLE, ["--scale", String(scale), "--out", out]);
    await Deno.remove(out, { recursive: true });
    return written;
  };
  await Deno.remove(out, { recursive: true }).catch(() => {});
  const [small, light] = await write(scale / 8);
  const [seconds, peak] = await write(scale);
  const [what, against] = [`sample --scale ${scale}`, `--scale ${scale / 8}`];
  return [
    { what, against, ms: seconds * 1_000, base: small * 1_000, reach: { most: 45_000 } },
    {
      what: `${what}, peak memory`,
      against,
      ms: peak,
      base: light,
      unit: "MB",
      reach: { most: 1_000 },
    },
  ];
}

/**
 * Builds facts L and a half, and a quarter of them: what they cost, the power of growth, and the largest
 * against SQL by hand.
 */
export async function builds(folder: string, short: boolean): Promise<Measured[]> {
  const factors = short ? [0.001, 0.002] : [0.25, 0.5, 1];
  const took: Sized[] = [];
  const peaks: Sized[] = [];
  for (const factor of factors) {
    const facts = await factsOf(folder, factor);
    const [seconds, peak] = await buildOnce(facts, `${folder}/built_${factor}.duckdb`);
    took.push({ size: factor, ms: seconds * 1_000 });
    peaks.push({ size: factor, ms: peak });
  }
  const what = `build, facts L x ${factors[0]}`;
  const largest = [took.at(-1)!.ms / 1_000, peaks.at(-1)!.ms] as const;
  return [
    ...growth(what, took),
    ...growth(`${what}, peak memory`, peaks, { unit: "MB" }),
    ...await againstHand(folder, factors.at(-1)!, largest),
  ];
}
