// Measures calls in seconds of the processor, which are steadier than seconds on the clock. Each case runs in a process of
// its own. `deno run --allow-all tests/bench/waits.ts CASE` runs one, and prints its figures as JSON.
import process from "node:process";
import * as chainframe from "../../mod.ts";
import { chanceOf } from "../../lib/analysis/chance.ts";
import { cohorts, pandas, series } from "./analyses.ts";
import type { Measured, Reach } from "./measure.ts";

const { pl } = chainframe;

/** The seconds of the processor that this process has taken, in all threads. */
function worked(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function secondsOf(work: () => unknown): Promise<number> {
  const start = worked();
  await work();
  return worked() - start;
}

/** The figures of a case: seconds, and those of the baseline. */
interface Found {
  readonly value: number;
  readonly base?: number | null;
  readonly version?: string;
}

const days = (count: number, every: "day" | "month" = "day") => ({
  every,
  from: "2025-01-01",
  to: new Date(Date.UTC(2025, 0, count)).toISOString().slice(0, 10),
});

/** Seconds of a call after a first query, which opens the sample. */
async function afterFirst(work: () => Promise<unknown>): Promise<Found> {
  await chainframe.metricBreakdown({ metric_ids: ["fees"], interval: "24h", group_by: "chains" });
  return { value: await secondsOf(work) };
}

/** A table of 300 000 rows and 20 columns: dates, texts, whole and fractional numbers. */
function wide(rows: number) {
  const { uniform } = chanceOf(5);
  const column = (at: number) => {
    const name = `c${at}`;
    const of = <Cell>(cellOf: (row: number) => Cell) =>
      Array.from({ length: rows }, (_, row) => cellOf(row));
    if (at === 0) {
      return pl.Series(
        name,
        of((row) => new Date((19_000 + row % 900) * 864e5).toISOString().slice(0, 10)),
        pl.Utf8,
      );
    }
    if (at < 4) return pl.Series(name, of((row) => `protocol_${(row * at) % 997}`), pl.Utf8);
    return pl.Series(
      name,
      of(() => at < 10 ? Math.floor(uniform() * 1e6) : uniform() * 1e6),
      pl.Float64,
    );
  };
  return pl.DataFrame(Array.from({ length: 20 }, (_, at) => column(at)));
}

/** Seconds of our way and of polars', by turns; the least of three each. */
async function inTurns(ours: () => unknown, theirs: () => unknown): Promise<Found> {
  const [own, other]: [number[], number[]] = [[], []];
  for (let run = 0; run < 3; run++) {
    own.push(await secondsOf(ours));
    other.push(await secondsOf(theirs));
  }
  return { value: Math.min(...own), base: Math.min(...other) };
}

async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await Deno.makeTempDir();
  try {
    return await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function besidePandas(name: string, way: (frame: chainframe.DataFrame) => unknown) {
  return async (factor: number): Promise<Found> => {
    const [entities, periods] = [Math.ceil(500 * factor), Math.ceil(1_000 * factor)];
    const frame = series(entities, periods);
    way(frame);
    const value = Math.min(...[
      await secondsOf(() => way(frame)),
      await secondsOf(() => way(frame)),
    ]);
    const base = await pandas([entities, periods, 3], "cpu");
    return {
      value,
      base: (base?.[name] ?? NaN) / 1_000,
      version: `pandas ${base?.version ?? "is missing"}`,
    };
  };
}

/** Lines of entities over days. */
function lines(entities: number, periods: number) {
  const chance = chanceOf(6);
  return pl.DataFrame(Array.from({ length: entities * periods }, (_, row) => ({
    protocol: `protocol ${Math.floor(row / periods)}`,
    date: new Date((19_000 + row % periods) * 864e5).toISOString().slice(0, 10),
    fees: Math.exp(8 + chance.normal()),
  })));
}

async function reportOf(charts: number): Promise<Found> {
  const { plotTimeline, report } = chainframe;
  const frame = lines(6, 100);
  const value = await secondsOf(async () => {
    const made = report({
      title: "Fees",
      parts: Array.from(
        { length: charts },
        (_, at) => plotTimeline(frame, { field: "fees", title: `Chart ${at}` }),
      ),
    });
    await made.html();
  });
  return { value };
}

/** The pairs of `detectable`, or the groups of an analysis of curves. */
function curvesOf(groups: number, projects: number) {
  const chance = chanceOf(9);
  return pl.DataFrame(
    Array.from({ length: groups * projects }, (_, at) => {
      const [size, retention] = [
        50 + Math.floor(500 * chance.uniform()),
        0.2 + 0.3 * chance.uniform(),
      ];
      return [0, 1].map((month) => ({
        market_sector_id: `s${Math.floor(at / projects)}`,
        project_id: `p${at}`,
        cohort_date: "2025-01-01",
        month,
        size,
        retained: month === 0 ? size : Math.round(size * retention),
      }));
    }).flat(),
  );
}

const detect = (groups: number, projects: number) => async (factor: number): Promise<Found> => {
  const frame = curvesOf(groups, Math.ceil(projects * factor));
  return { value: await secondsOf(() => chainframe.detectable(frame, { by: "market_sector_id" })) };
};

/** The analyses of curves. */
const OF_CURVES: Readonly<Record<string, (frame: chainframe.DataFrame) => unknown>> = {
  pooledRetention: (frame) => chainframe.pooledRetention(frame, { by: "market_sector_id" }),
  forecastRetention: (frame) => chainframe.forecastRetention(frame, { by: "market_sector_id" }),
  compareRetention: (frame) =>
    chainframe.compareRetention(frame, { by: "market_sector_id", month: 3 }),
  cohortTrend: (frame) => chainframe.cohortTrend(frame, { by: "market_sector_id", month: 3 }),
  cohortLayers: (frame) => chainframe.cohortLayers(frame, { by: "market_sector_id" }),
  userFlows: (frame) => chainframe.userFlows(frame, { by: "market_sector_id" }),
};

async function pageBytes(factor: number): Promise<Found> {
  const [few, many] = [20, Math.ceil(1_000 * factor) + 21];
  const sizeOf = async (count: number) =>
    (await chainframe.plotTimeline(lines(10, count), { field: "fees" }).interactive().html())
      .length;
  return { value: (await sizeOf(many) - await sizeOf(few)) / (10 * (many - few)) };
}

/** Seconds of the second drawing of a chart of another frame. */
async function second(draw: (chart: chainframe.PlotChart) => Promise<unknown>): Promise<Found> {
  const charts = [7, 8].map((entities) =>
    chainframe.plotTimeline(lines(entities, 100), { field: "fees" })
  );
  await draw(charts[0]!);
  return { value: await secondsOf(() => draw(charts[1]!)) };
}

interface Case {
  readonly run: (factor: number) => Promise<Found>;
  readonly against?: string;
  readonly unit?: "s CPU" | "B";
  readonly reach?: Reach;
  /** Whether the whole process counts, with its start. */
  readonly whole?: boolean;
}

const GROUPED = {
  metric_ids: ["fees", "users", "transaction_count"],
  group_by: "chain-project",
} as const;

const CASES: Readonly<Record<string, Case>> = {
  "timeline of 365 days": {
    run: () =>
      afterFirst(() =>
        chainframe.timeline({ metric_ids: ["fees"], group_by: "chains", ...days(365) })
      ),
    reach: { most: 0.6 },
  },
  "timeline of 60 days, chain-project, 3 metrics": {
    run: () => afterFirst(() => chainframe.timeline({ ...GROUPED, ...days(60) })),
    reach: { most: 1 },
  },
  "openFrame of CSV, 300 000 x 20": {
    against: "polars",
    run: (factor) =>
      withFolder(async (folder) => {
        const path = `${folder}/wide.csv`;
        wide(Math.ceil(300_000 * factor)).writeCSV(path);
        return await inTurns(() => chainframe.openFrame(path), () => pl.readCSV(path));
      }),
    reach: { ratio: 3 },
  },
  "save of CSV, 300 000 x 20": {
    against: "polars",
    run: (factor) =>
      withFolder(async (folder) => {
        const frame = wide(Math.ceil(300_000 * factor));
        return await inTurns(
          () => chainframe.save(frame, `${folder}/ours.csv`, { force: true }),
          () => frame.writeCSV(`${folder}/theirs.csv`),
        );
      }),
    reach: { ratio: 2 },
  },
  "concentration of 500 x 1000": {
    run: besidePandas(
      "concentration",
      (frame) => chainframe.concentration(frame, { field: "fees" }),
    ),
    reach: { ratio: 5 },
  },
  "shares of 500 x 1000": {
    run: besidePandas("shares", (frame) => chainframe.shares(frame, { field: "fees" })),
    reach: { ratio: 3 },
  },
  "second SVG of a process": { run: () => second((chart) => chart.svg()) },
  "second interactive page of a process": {
    run: () => second((chart) => chart.interactive().html()),
  },
  "report of 10 charts": { run: (factor) => reportOf(Math.ceil(10 * factor)) },
  "report of 30 charts": { run: (factor) => reportOf(Math.ceil(30 * factor)), reach: { most: 6 } },
  "detectable, 1 pair of 250 projects a side": { run: detect(2, 250), reach: { most: 0.2 } },
  "detectable, 45 pairs of 1 250 projects a side": { run: detect(10, 1_250), reach: { most: 9 } },
  "interactive page of 10 x 1000, bytes a point": {
    run: pageBytes,
    unit: "B",
    reach: { most: 100 },
  },
  "first query where nothing is built, whole process": {
    whole: true,
    run: async () => {
      await chainframe.metricBreakdown({
        metric_ids: ["fees"],
        interval: "30d",
        group_by: "chains",
      });
      return { value: 0 };
    },
    reach: { most: 3 },
  },
  ...Object.fromEntries(
    Object.entries(OF_CURVES).map(([name, way]) => [`${name} of 10 000 projects x 36 cohorts`, {
      run: async (factor: number) => {
        const frame = cohorts(Math.ceil(10_000 * factor), 36);
        return { value: await secondsOf(() => way(frame)) };
      },
      reach: { most: 2 },
    }]),
  ),
};

/** Runs a case in a process of its own, where no sample is built. */
async function runOf(name: string, factor: number) {
  return await withFolder(async (folder) => {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", import.meta.url, name, `${factor}`],
      env: { NO_COLOR: "1", XDG_CACHE_HOME: folder, ...denoCache() },
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!) as Found & {
      readonly whole: number;
      readonly peak: number;
    };
  });
}

/** Deno's own cache is in the same folder as that of the sample, unless it is stated. */
function denoCache(): Record<string, string> {
  const folder = Deno.env.get("DENO_DIR") ??
    `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`;
  return { DENO_DIR: folder };
}

/** Measures what users wait for, and the memory of large analyses. */
export async function waits(short: boolean): Promise<Measured[]> {
  const measured: Measured[] = [];
  const factor = short ? 0.01 : 1;
  for (const [what, { against, unit = "s CPU", reach, whole }] of Object.entries(CASES)) {
    const found = await runOf(what, factor).catch((error) => String(error).split("\n")[0]!);
    if (typeof found === "string") {
      const against = "a bound";
      measured.push({ what, against, ms: NaN, base: NaN, unit, skipped: `failed: ${found}` });
      continue;
    }
    const value = whole ? found.whole : found.value;
    measured.push({
      ...{ what, unit, ms: value },
      against: found.version ?? against ?? "a bound",
      base: found.base ?? reach?.most ?? value,
      ...reach && { reach },
      // JSON has no NaN.
      ...found.base === null && { skipped: "pandas is missing" },
    });
    if (!what.includes("10 000 projects")) continue;
    const memory = { what: `${what}: peak memory`, against: "a bound", unit: "MB" } as const;
    measured.push({ ...memory, ms: found.peak, base: 1_536, reach: { most: 1_536 } });
  }
  return measured;
}

if (import.meta.main) {
  const [name = "", factor = "1"] = Deno.args;
  const found = await CASES[name]!.run(Number(factor));
  const peak = Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))?.[1]);
  console.log(JSON.stringify({ ...found, whole: worked(), peak: peak / 1_024 }));
  Deno.exit(0);
}
