import { check } from "../../../lib/analysis/series/check.ts";
import { blockchainComparison } from "../../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../../lib/operations/cohort_analysis.ts";
import { projectContracts } from "../../../lib/operations/project_contracts.ts";
import { timeline } from "../../../lib/operations/timeline.ts";
import type { Connection } from "../../../lib/http/connect.ts";
import { buildDatasets, describeData } from "../../../lib/service/datasets/build_datasets.ts";
import { METRICS } from "../../../lib/service/datasets/metric.ts";
import { openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { createService } from "../../../lib/service/mod.ts";
import { jsonBody, prepareResponse } from "../../../lib/service/query/prepared_response.ts";
import { readAggregations } from "../../../lib/service/query/read_aggregations.ts";
import { FACT_TABLES } from "../../../lib/service/facts/fact_layout.ts";
import { loadSampleEntities } from "../../../lib/service/sample/entities.ts";
import {
  loadSampleActivity,
  SAMPLE_DAILY_VALUES,
  SAMPLE_EVENTS,
  SAMPLE_MARKET,
} from "../../../lib/service/sample/facts.ts";
import { dateColumn, float64 } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { columnsOf, setColumns } from "../../../lib/table/track/descriptions.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { connectTo, TOKEN } from "../../operations/single_calls.ts";
import { among, type Cell } from "../cells.ts";

const SERIES = {
  metric_ids: [
    "fees",
    "revenue",
    "tvl",
    "active_users",
    "transaction_count",
    "dex_trading_volume",
    "active_loans",
    "market_cap_fd",
    "market_cap_circ",
    "core_developers",
    "net_flows",
    "inflows",
    "outflows",
  ],
  group_by: "chains",
} as const;
const DATASETS = {
  "blockchain comparison": (connection?: Connection) => blockchainComparison({}, connection),
  "contracts": (connection?: Connection) => projectContracts({}, connection),
  "cohorts": (connection?: Connection) => cohortAnalysis({}, connection),
  "timeline of days": (connection?: Connection) =>
    timeline({ ...SERIES, every: "day", from: "2026-04-01" }, connection),
  "timeline of months": (connection?: Connection) =>
    timeline({ ...SERIES, every: "month", from: "2024-01" }, connection),
};
type Dataset = keyof typeof DATASETS;

const BREAKS: Readonly<Record<string, (value: number) => number>> = {
  "× 1 000": (value) => value * 1_000,
  "× 10": (value) => value * 10,
  "× 1.1": (value) => value * 1.1,
  "0": () => 0,
  "sign": (value) => -value,
};

/** The numbers of findings that are `broken`, and that are `look`. */
function countsIn(frame: DataFrame) {
  const found = check(frame).getColumn("severity").toArray();
  const countOf = (severity: string) => found.filter((each) => each === severity).length;
  return { broken: countOf("broken"), look: countOf("look") };
}

function findingsIn(frame: DataFrame): number {
  const { broken, look } = countsIn(frame);
  return broken + look;
}

/** A frame with its columns of numbers and the number of its findings. */
interface Sample {
  readonly frame: DataFrame;
  readonly names: readonly string[];
  readonly before: number;
}

const frames = new Map<Dataset, Promise<readonly Sample[]>>();
/** The frame of a dataset, or of each chain: the series of chains are judged apart. */
function samplesOf(name: Dataset) {
  const made = frames.get(name) ??
    DATASETS[name]().then((frame) =>
      (name.startsWith("timeline") ? frame.partitionBy(["chain_id"]) : [frame]).map((own) => ({
        frame: own,
        names: own.columns.filter((each) => own.getColumn(each).isNumeric()),
        before: findingsIn(own),
      }))
    );
  frames.set(name, made);
  return made;
}

/** A frame with another value in a cell. Its columns are described as if the service had sent the value. */
function withCell(frame: DataFrame, column: string, at: number, value: number): DataFrame {
  const values = frame.getColumn(column).toArray() as number[];
  const changed = frame.withColumn(float64(column, values.with(at, value)));
  return setColumns(changed, columnsOf(frame));
}

async function isFound(name: Dataset, change: (value: number) => number, chance: Chance) {
  const samples = await samplesOf(name);
  for (;;) {
    const { frame, names, before } = samples[Math.floor(chance.uniform() * samples.length)]!;
    const column = names[Math.floor(chance.uniform() * names.length)]!;
    const at = Math.floor(chance.uniform() * frame.height);
    const value = frame.getColumn(column).get(at) as number | null;
    if (value) return findingsIn(withCell(frame, column, at, change(value))) > before;
  }
}

/** Whether frames have no `broken`, and together at most 2 `look` in 1 000 rows. */
function isQuiet(all: readonly DataFrame[]): boolean {
  const counts = all.map(countsIn);
  const rows = all.reduce((sum, frame) => sum + frame.height, 0);
  const look = counts.reduce((sum, { look }) => sum + look, 0);
  return counts.every(({ broken }) => broken === 0) && look <= 2 * rows / 1_000;
}

/** The frames of a service, or of the sample. */
async function framesOf(connection?: Connection): Promise<DataFrame[]> {
  const all: DataFrame[] = [];
  for (const call of Object.values(DATASETS)) all.push(await call(connection));
  return all;
}

const SCALE = 0.1;
let seed = 100;
/** The service of a world of another seed, with a tenth of the users: smaller numbers vary more. */
async function isWorldQuiet(): Promise<boolean> {
  const file = await Deno.makeTempFile();
  await Deno.remove(file);
  const database = await openDuckdb({ built: file });
  await database.run(FACT_TABLES);
  await loadSampleEntities(database, { seed: ++seed, scale: SCALE });
  await database.run(SAMPLE_MARKET);
  await loadSampleActivity(database, { scale: SCALE, parts: 2, atOnce: true });
  await database.run(SAMPLE_DAILY_VALUES);
  await database.run(SAMPLE_EVENTS);
  await buildDatasets(database);
  await prepareResponse(database, jsonBody(readAggregations(database, METRICS, null)));
  await describeData(database, true);
  await database.run("CHECKPOINT built; DETACH built");
  database.close();
  const service = await createService({ tokens: [TOKEN], data: file });
  try {
    return isQuiet(await framesOf(connectTo(service)));
  } finally {
    await service.close();
    await Deno.remove(file);
  }
}

/** A number of a t distribution with 3 degrees of freedom. */
function t3({ normal }: Chance): number {
  const squares = normal() ** 2 + normal() ** 2 + normal() ** 2;
  return normal() / Math.sqrt(squares / 3);
}

/** The change of a logarithm from one day to the next. */
const STEPS: Readonly<Record<string, (chance: Chance) => number>> = {
  "normal changes of 5%": ({ normal }) => 0.05 * normal(),
  "t(3) changes of 5%": (chance) => 0.05 * t3(chance),
  "t(3) changes of 20%": (chance) => 0.2 * t3(chance),
};

/** A series of days or months with the given values. */
function seriesOf(values: readonly number[], dateAt: (at: number) => number): DataFrame {
  const dates = values.map((_, at) => new Date(dateAt(at)));
  return pl.DataFrame([dateColumn("date", dates), float64("fees", values)]);
}

const daily = (values: readonly number[]) => seriesOf(values, (at) => Date.UTC(2023, 0, 1 + at));
const monthly = (values: readonly number[]) => seriesOf(values, (at) => Date.UTC(2023, at, 1));

/** A thousand days whose logarithm is a walk. */
function walk(step: typeof STEPS[string], chance: Chance): DataFrame {
  let log = 10;
  return daily(Array.from({ length: 1_000 }, () => Math.exp(log += step(chance))));
}

/** A thousand days whose changes have a variance that persists: GARCH(1, 1) with .05, .1 and .85. */
function persistent({ normal }: Chance): DataFrame {
  let [log, change, variance] = [10, 0, 0.05 ** 2];
  return daily(Array.from({ length: 1_000 }, () => {
    variance = 0.05 * 0.05 ** 2 + 0.1 * change ** 2 + 0.85 * variance;
    change = Math.sqrt(variance) * normal();
    return Math.exp(log += change);
  }));
}

/** The kinds of series of a thousand days. */
const KINDS: Readonly<Record<string, (chance: Chance) => DataFrame>> = {
  ...Object.fromEntries(
    Object.entries(STEPS).map(([name, step]) => [name, (chance: Chance) => walk(step, chance)]),
  ),
  "GARCH(1, 1) changes": persistent,
};

/** The factors by which values are multiplied, and for how many days. */
const LEVELS: Readonly<Record<string, readonly [factor: number, days: number]>> = {
  "× 1 000, 7 days": [1_000, 7],
  "× 1 000, 30 days": [1_000, 30],
  "× 1 000, for good": [1_000, Infinity],
  "/ 1 000, 30 days": [0.001, 30],
  "× 100, 30 days": [100, 30],
  "× 2, 30 days": [2, 30],
};

/** Whether a unit that is multiplied for some days is found as a jump of the level. */
function isLevelFound(
  make: typeof KINDS[string],
  [factor, length]: typeof LEVELS[string],
  chance: Chance,
) {
  const values = make(chance).getColumn("fees").toArray() as number[];
  const from = 100 + Math.floor(800 * chance.uniform());
  const scaled = values.map((value, at) =>
    at >= from && at < from + length ? value * factor : value
  );
  const found = check(daily(scaled)).getColumn("rule").toArray();
  return found.includes("no jump of the level");
}

const MONTHS = 36;
/** A number of a t distribution with 3 degrees of freedom and a standard deviation of 1. */
const spread = (chance: Chance) => t3(chance) / Math.sqrt(3);

/** The changes of the logarithm from one month to the next, and whether they add up to a walk. */
const MONTHLY: Readonly<Record<string, readonly [(chance: Chance) => number, isWalk: boolean]>> = {
  "normal changes of 20%": [({ normal }) => 0.2 * normal(), true],
  "t(3) changes of 20%": [(chance) => 0.2 * t3(chance), true],
  "independent, t(3) with a standard deviation of 0.3": [(chance) => 0.3 * spread(chance), false],
  "independent, t(3) with a standard deviation of 0.8": [(chance) => 0.8 * spread(chance), false],
};

/** The values of months. */
function monthsOf([step, isWalk]: typeof MONTHLY[string], chance: Chance): number[] {
  let log = 10;
  return Array.from({ length: MONTHS }, () => {
    const next = log + step(chance);
    if (isWalk) log = next;
    return Math.exp(next);
  });
}

/** Whether the value of a random month that is multiplied is found as a spike. */
function isSpikeFound(kind: typeof MONTHLY[string], factor: number, chance: Chance): boolean {
  const values = monthsOf(kind, chance);
  const at = Math.floor(chance.uniform() * MONTHS);
  const found = check(monthly(values.with(at, values[at]! * factor))).getColumn("rule").toArray();
  return found.includes("no spike");
}

/** Months in which a launch multiplies all later values by 50, from the third month to the last but one. */
function launched(chance: Chance): DataFrame {
  const from = 2 + Math.floor(chance.uniform() * (MONTHS - 3));
  const values = monthsOf(MONTHLY["normal changes of 20%"]!, chance);
  return monthly(values.map((value, at) => at < from ? value : value * 50));
}

/** Fees of days, after their last week was restated by up to 10%. */
async function restated(chance: Chance): Promise<DataFrame> {
  const samples = await samplesOf("timeline of days");
  const { frame } = samples[Math.floor(chance.uniform() * samples.length)]!;
  const fees = frame.select("date", "until", "complete", "data_id", "fees_sum");
  const days = fees.getColumn("date").toArray() as unknown as Date[];
  const late = Math.max(...days.map(Number)) - 7 * 86_400_000;
  const values = (fees.getColumn("fees_sum").toArray() as (number | null)[]).map((value, row) =>
    value && Number(days[row]) > late ? value * (0.9 + 0.2 * chance.uniform()) : value
  );
  return fees.withColumn(float64("fees_sum", values));
}

const quiet = {
  ...among("sizes", "volatility"),
  table: "Data that is right, % of draws without `broken` and with at most 2 `look` in 1 000 rows",
  column: "",
};
export const cells: readonly Cell[] = [
  ...(Object.keys(DATASETS) as Dataset[]).flatMap((name) =>
    Object.entries(BREAKS).map(([column, change]): Cell => ({
      ...among("units", "sizes"),
      table: "One random cell changed, % found",
      row: name,
      column,
      draws: 300,
      draw: (chance) => isFound(name, change, chance),
    }))
  ),
  ...Object.entries(KINDS).flatMap(([row, make]) =>
    Object.entries(LEVELS).map(([column, level]): Cell => ({
      ...among("volatility"),
      table: "A unit multiplied for some of 1 000 days, % found as a jump of the level",
      row,
      column,
      draws: 300,
      draw: (chance) => isLevelFound(make, level, chance),
    }))
  ),
  ...Object.entries(MONTHLY).flatMap(([row, kind]) =>
    Object.entries({ "× 1 000": 1_000, "/ 1 000": 0.001, "× 100": 100, "× 10": 10 }).map((
      [column, factor],
    ): Cell => ({
      ...among("volatility"),
      table: `One of ${MONTHS} months multiplied, % found as a spike`,
      row,
      column,
      draws: 300,
      draw: (chance) => isSpikeFound(kind, factor, chance),
    }))
  ),
  {
    ...quiet,
    row: "the sample: the rows of five frames",
    draws: 1,
    limits: [1, 1],
    draw: async () => isQuiet(await framesOf()),
  },
  {
    ...quiet,
    row: "40 worlds of other seeds, a tenth of the users: the rows of five frames",
    draws: 40,
    isSlow: true,
    limits: [0.95, 1],
    draw: isWorldQuiet,
  },
  ...Object.entries(KINDS).map(([name, make]): Cell => ({
    ...quiet,
    row: `1 000 days with ${name}`,
    draws: 300,
    limits: [0.9, 1],
    draw: (chance) => isQuiet([make(chance)]),
  })),
  {
    ...quiet,
    row: `${MONTHS} months with a launch in months 3 to ${MONTHS - 1}`,
    draws: 300,
    limits: [0.99, 1],
    draw: (chance) => isQuiet([launched(chance)]),
  },
  {
    ...quiet,
    row: "a last week restated by up to 10%",
    draws: 100,
    limits: [0.95, 1],
    draw: async (chance) => isQuiet([await restated(chance)]),
  },
];
