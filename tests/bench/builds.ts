// Measures builds of facts of three sizes: seconds and peak memory of the whole process. Run it with
// `deno run --allow-all tests/bench/builds.ts FOLDER [--short]`; the facts are kept in the folder.
import { FACTS_L, type FactsSize, writeLargeFacts } from "./large_facts.ts";
import { growth, type Measured, printed, type Sized } from "./measure.ts";

const BUILD = new URL("../../scripts/build.ts", import.meta.url).href;
const SAMPLE = new URL("../../scripts/sample.ts", import.meta.url).href;
const BY_HAND = new URL("./by_hand.ts", import.meta.url).href;

// Of a second, in what Linux tells of a process.
const TICKS = 100;

/** Writes facts of a size, unless the folder holds them already. */
async function writtenFacts(folder: string, size: FactsSize): Promise<string> {
  const { projects, users, days, activity } = size;
  const path = `${folder}/facts_${projects}_${users}_${days}_${activity}`;
  const there = await Deno.stat(`${path}/activity.parquet`).then(() => true, () => false);
  if (!there) await writeLargeFacts(path, size);
  return path;
}

function times(count: number, factor: number): number {
  return Math.max(1, Math.round(count * factor));
}

/** Writes facts L times a factor, unless the folder holds them already. */
export function factsOf(folder: string, factor: number): Promise<string> {
  const { projects, users, activity, days } = FACTS_L;
  return writtenFacts(folder, {
    projects: times(projects, factor),
    users: times(users, factor),
    activity: times(activity, factor),
    days,
  });
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
async function largeSample(folder: string, scale: number): Promise<Measured[]> {
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

// A user, and a day, brings rows of activity; a project only takes its share of them.
const GROWN: Readonly<Record<string, (most: FactsSize, factor: number) => FactsSize>> = {
  projects: (most, factor) => ({ ...most, projects: times(most.projects, factor) }),
  users: (most, factor) => ({
    ...most,
    users: times(most.users, factor),
    activity: times(most.activity, factor),
  }),
  days: (most, factor) => ({
    ...most,
    days: times(most.days, factor),
    activity: times(most.activity, factor),
  }),
};

/**
 * Builds half of facts L with an eighth, a half and all of its projects, its users, its days: seconds of
 * all cores, and memory.
 */
export async function growths(folder: string, short: boolean): Promise<Measured[]> {
  const share = short ? 0.002 : 0.5;
  const { projects, users, days, activity } = FACTS_L;
  const most = {
    projects: times(projects, share),
    users: times(users, share),
    days,
    activity: times(activity, share),
  };
  const out = `${folder}/grown.duckdb`;
  const largest = await buildOnce(await writtenFacts(folder, most), out);
  const measured: Measured[] = [];
  for (const [name, grown] of Object.entries(GROWN)) {
    const took: Sized[] = [];
    const peaks: Sized[] = [];
    for (const factor of [1 / 8, 1 / 2, 1]) {
      const facts = factor === 1 ? null : await writtenFacts(folder, grown(most, factor));
      const [, peak, cores] = facts === null ? largest : await buildOnce(facts, out);
      took.push({ size: factor, ms: cores * 1_000 });
      peaks.push({ size: factor, ms: peak });
      if (facts !== null) await Deno.remove(facts, { recursive: true });
    }
    measured.push(
      ...growth(`${name}, time of all cores`, took),
      ...growth(`${name}, peak memory`, peaks, { unit: "MB" }),
    );
  }
  await Deno.remove(out);
  return measured;
}

/** Builds the last week of half of facts L again, and writes the sample at a large scale. */
export async function otherBuilds(folder: string, short: boolean): Promise<Measured[]> {
  return [
    ...await largeSample(folder, short ? 0.1 : 16),
  ];
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) {
    throw new Error("builds.ts: give it a folder to work in");
  }
  const short = Deno.args.includes("--short");
  const measured = [
    ...await builds(folder, short),
    ...await growths(folder, short),
    ...await otherBuilds(folder, short),
  ];
  console.log(printed(measured, short));
}
