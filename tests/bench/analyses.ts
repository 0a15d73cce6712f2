/** Analyses of large frames: beside pandas, which computes the same columns, and against bounds. */
import * as chainframe from "../../mod.ts";
import type { DataFrame } from "../../mod.ts";
import { chanceOf } from "../../lib/analysis/chance.ts";
import { growth, inTurn, type Measured } from "./measure.ts";

const { pl } = chainframe;

/** Makes daily values of entities whose sizes differ, with 17 digits. */
export function series(entities: number, periods: number): DataFrame {
  const chance = chanceOf(1);
  const rows = entities * periods;
  const names = Array.from(
    { length: entities },
    (_, at) => `protocol_${String(at).padStart(4, "0")}`,
  );
  const users = Float64Array.from({ length: rows }, () => 1 + Math.floor(1_000 * chance.uniform()));
  const price = Float64Array.from({ length: rows }, () => Math.exp(4 * chance.uniform()));
  const days = Float64Array.from({ length: rows }, (_, row) => 19_000 + Math.floor(row / entities));
  const frame = pl.DataFrame([
    pl.Series(
      "protocol",
      Array.from({ length: rows }, (_, row) => names[row % entities]!),
      pl.Utf8,
    ),
    numbers("date", days),
    numbers("users", users),
    numbers("price", price),
    numbers("fees", users.map((each, row) => each * price[row]!)),
  ]).withColumn(pl.col("date").cast(pl.Int32).cast(pl.Date).alias("date"));
  return chainframe.withSource(frame, {
    citation: "bench",
    columns: { fees: { unit: "usd", adds: "both" } },
  });
}

const numbers = (name: string, values: Float64Array) =>
  pl.Series(name, values as ArrayLike<number>, pl.Float64);
const texts = (name: string, values: readonly string[]) =>
  pl.Series(name, values as string[], pl.Utf8);
/** The days of the first of each month. */
const firstDays = (year: number, months: number) =>
  Array.from({ length: months }, (_, month) => Date.UTC(year, month) / 86_400_000);

/** Makes monthly values of entities that share movements, with a part of the rows missing. */
function months(entities: number, periods: number, missing = 0): DataFrame {
  const chance = chanceOf(2);
  const common = Array.from({ length: periods }, () => 0.1 * chance.normal());
  const days = firstDays(2000, periods);
  const [names, dates, fees]: [string[], number[], number[]] = [[], [], []];
  for (let at = 0; at < entities; at++) {
    const [size, load] = [2 * chance.normal(), 0.5 + chance.uniform()];
    for (const [period, shock] of common.entries()) {
      const value = Math.exp(8 + size + load * shock * period / 10 + 0.1 * chance.normal());
      if (chance.uniform() < missing) continue;
      names.push(`p${at}`);
      dates.push(days[period]!);
      fees.push(value);
    }
  }
  return pl.DataFrame([
    texts("protocol", names),
    numbers("date", Float64Array.from(dates)),
    numbers("fees", Float64Array.from(fees)),
  ]).withColumn(pl.col("date").cast(pl.Int32).cast(pl.Date));
}

/** Makes cohorts of projects. `fall` is the largest monthly loss. */
export function cohorts(projects: number, dates: number, fall = 0.3): DataFrame {
  const chance = chanceOf(3);
  const rows = projects * dates;
  const named = (textOf: (project: number, date: number) => string) =>
    Array.from({ length: rows }, (_, row) => textOf(Math.floor(row / dates), row % dates));
  const labels = firstDays(2022, dates).map((day) =>
    new Date(day * 86_400_000).toISOString().slice(0, 7)
  );
  const sizes = new Float64Array(rows);
  const shares = Array.from({ length: 12 }, () => new Float64Array(rows).fill(NaN));
  for (let row = 0, stay = 1; row < rows; row++) {
    const date = row % dates;
    if (date === 0) stay = 1 - fall * chance.uniform();
    const size = sizes[row] = 20 + Math.floor(500 * chance.uniform());
    for (let month = 0; month < 12 && date + month < dates; month++) {
      shares[month]![row] = Math.round(size * stay ** month) / size;
    }
  }
  const frame = pl.DataFrame([
    texts("project_id", named((project) => `p${project}`)),
    texts("market_sector_id", named((project) => `s${project % 10}`)),
    texts("cohort", named((_, date) => labels[date]!)),
    numbers("initial_cohort_size", sizes),
    ...shares.map((share, month) => numbers(`month_${month}`, share)),
  ]);
  return chainframe.retentionCurves(frame.withColumns(
    ...shares.map((_, month) => pl.col(`month_${month}`).fillNan(pl.lit(null))),
  ));
}

/** Runs the same analyses in the first Python that has pandas. Debian's is not always the first on the path. */
export async function pandas(
  sizes: readonly number[],
  clock: "wall" | "cpu" = "wall",
): Promise<Record<string, number> | null> {
  const script = new URL("./pandas_series.py", import.meta.url).pathname;
  for (const python of ["python3", "/usr/bin/python3"]) {
    const command = new Deno.Command(python, { args: [script, ...sizes.map(String), clock] });
    const run = await command.output().catch(() => null);
    if (run?.success) return JSON.parse(new TextDecoder().decode(run.stdout));
  }
  return null;
}

/** Measures a call against a bound in milliseconds. The event loop turns between calls, so that memory is freed. */
async function bounded(what: string, most: number, call: () => unknown): Promise<Measured> {
  const [ms] = await inTurn(most > 3_000 ? 1 : 3, [async () => {
    call();
    await new Promise((done) => setTimeout(done));
  }]);
  return { what, against: "a bound", ms: ms!, base: most, reach: { most } };
}

/** Measures the analyses of series, programs and retention. */
export async function analyses(short: boolean): Promise<Measured[]> {
  const size = (number: number) => short ? Math.max(4, Math.round(number / 10)) : number;
  const [entities, periods] = [size(500), size(1_000)];
  const daily = series(entities, periods);
  const field = "fees";
  const ways: Record<string, () => unknown> = {
    growthRates: () => chainframe.growthRates(daily, { field }),
    indexed: () => chainframe.indexed(daily, { field }),
    rollingMean: () => chainframe.rollingMean(daily, { field, periods: 7 }),
    shares: () => chainframe.shares(daily, { field }),
    contributions: () => chainframe.contributions(daily, { field }),
    decompose: () =>
      chainframe.decompose(daily, { product: field, factors: ["users", "price"], per: "period" }),
    topN: () => chainframe.topN(daily, { field, limit: 10 }),
  };
  const runs = short ? 1 : 5;
  const base = await pandas([entities, periods, runs]);
  const measured: Measured[] = [];
  for (const [name, way] of Object.entries(ways)) {
    const [ms] = await inTurn(runs, [async () => {
      way();
      await new Promise((done) => setTimeout(done));
    }]);
    measured.push({
      what: `${name} of ${entities} x ${periods}`,
      against: base === null ? "pandas" : `pandas ${base.version}`,
      ms: ms!,
      base: base?.[name] ?? NaN,
      reach: { ratio: 3 },
      ...base === null && { skipped: "pandas is missing" },
    });
  }
  const rows = entities * periods;
  measured.push(
    await bounded(`check of ${rows} rows`, rows * 0.003, () => chainframe.check(daily)),
  );
  const sized = [];
  for (const part of [4, 2, 1]) {
    const frame = part === 1 ? daily : series(Math.round(entities / part), periods);
    const [ms] = await inTurn(runs, [() => chainframe.growthRates(frame, { field })]);
    sized.push({ size: 4 / part, ms: ms! });
  }
  measured.push(...growth("growthRates by entities", sized, { reach: { most: 1.2 } }));

  const one = months(size(125), size(300));
  const many = months(size(500), size(300));
  const event = new Date(Date.UTC(2000, size(260))).toISOString().slice(0, 10);
  const cost = (frame: DataFrame, method: "synthetic" | "sdid") => () =>
    chainframe.counterfactual(frame, { field, method, starts: { p0: event } });
  measured.push(
    await bounded("counterfactual of 125 x 300", 4_000, cost(one, "synthetic")),
    await bounded("counterfactual of 125 x 300, sdid", 10_000, cost(one, "sdid")),
    await bounded("counterfactual of 500 x 300", 12_000, cost(many, "synthetic")),
  );
  const programs = months(size(2_000), 24, 0.02);
  const treated = Array.from({ length: size(200) }, (_, at): [string, string] => [
    `p${at}`,
    new Date(Date.UTC(2000, 12 + 2 * (at % 4))).toISOString().slice(0, 10),
  ]);
  const study = () =>
    chainframe.eventStudy(programs, { field, starts: Object.fromEntries(treated) });
  measured.push(await bounded("eventStudy of 2000 x 24, 200 treated in 4 waves", 3_000, study));

  const curves = cohorts(size(5_000), 36);
  const before = Deno.memoryUsage().rss;
  let most = 0;
  const trend = await bounded("cohortTrend of 5000 projects x 36 cohorts", 6_000, () => {
    chainframe.cohortTrend(curves, { month: 3 });
    most = Math.max(most, Deno.memoryUsage().rss);
  });
  const memory = (most - before) / 2 ** 20;
  measured.push(
    trend,
    {
      what: "memory of cohortTrend above its frame",
      against: "a bound",
      ms: memory,
      base: 500,
      unit: "MB",
      reach: { most: 500 },
    },
  );
  const projects = cohorts(size(625), 24);
  const flat = cohorts(size(625), 24, 0.02);
  measured.push(
    await bounded(
      "userFlows by 625 projects",
      2_000,
      () => chainframe.userFlows(projects, { by: "project_id" }),
    ),
  );
  // One by one: each cohort, and each project without each third of its cohorts.
  const forecasts: [what: string, most: number, options: object][] = [
    ["625 projects together", 1_000, { by: "all" }],
    ["625 projects one by one", 2_000, { by: "project_id" }],
    ["15 000 cohorts one by one", 3_000, { by: ["project_id", "cohort"], cluster: "none" }],
  ];
  for (const [what, most, options] of forecasts) {
    for (const [fall, frame] of [[0.3, projects], [0.02, flat]] as const) {
      measured.push(
        await bounded(
          `forecastRetention of ${what}, fall ${fall}`,
          most,
          () => chainframe.forecastRetention(frame, options),
        ),
      );
    }
  }
  return measured;
}
