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
import { loadSampleFacts } from "../../../lib/service/sample/sample.ts";
import { dateColumn, float64 } from "../../../lib/table/build/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { connectTo, TOKEN } from "../../operations/single_calls.ts";
import type { Cell } from "../cells.ts";

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

function countOf(frame: DataFrame, severity: string): number {
  const found = check(frame).getColumn("severity").toArray();
  return found.filter((each) => each === severity).length;
}

const findingsIn = (frame: DataFrame) => countOf(frame, "broken") + countOf(frame, "look");

const frames = new Map<Dataset, Promise<readonly { frame: DataFrame; before: number }[]>>();
/** The frame of a dataset, or of each chain: the series of chains are judged apart. */
function samplesOf(name: Dataset) {
  const made = frames.get(name) ??
    DATASETS[name]().then((frame) =>
      (name.startsWith("timeline") ? frame.partitionBy(["chain_id"]) : [frame])
        .map((own) => ({ frame: own, before: findingsIn(own) }))
    );
  frames.set(name, made);
  return made;
}

function withCell(frame: DataFrame, column: string, at: number, value: number): DataFrame {
  const values = frame.getColumn(column).toArray() as number[];
  return frame.withColumn(float64(column, values.map((each, row) => row === at ? value : each)));
}

async function isFound(name: Dataset, change: (value: number) => number, chance: Chance) {
  const samples = await samplesOf(name);
  for (;;) {
    const { frame, before } = samples[Math.floor(chance.uniform() * samples.length)]!;
    const names = frame.columns.filter((each) => frame.getColumn(each).isNumeric());
    const column = names[Math.floor(chance.uniform() * names.length)]!;
    const at = Math.floor(chance.uniform() * frame.height);
    const value = frame.getColumn(column).get(at) as number | null;
    if (value) return findingsIn(withCell(frame, column, at, change(value))) > before;
  }
}

/** Whether the frames of a service have no `broken`, and at most 1 `look` in 1 000 rows. */
async function isQuiet(connection?: Connection): Promise<boolean> {
  let [rows, broken, look] = [0, 0, 0];
  for (const call of Object.values(DATASETS)) {
    const frame = await call(connection);
    rows += frame.height;
    broken += countOf(frame, "broken");
    look += countOf(frame, "look");
  }
  return broken === 0 && look <= rows / 1_000;
}

let seed = 2;
/** The service of a world of another seed. The sample has the seed 2. */
async function isWorldQuiet(): Promise<boolean> {
  const file = await Deno.makeTempFile();
  await Deno.remove(file);
  const database = await openDuckdb({ built: file });
  await loadSampleFacts(database, ++seed);
  await buildDatasets(database);
  await prepareResponse(database, jsonBody(readAggregations(database, METRICS, null)));
  await describeData(database, true);
  await database.run("CHECKPOINT built; DETACH built");
  database.close();
  const service = await createService({ tokens: [TOKEN], data: file });
  try {
    return await isQuiet(connectTo(service));
  } finally {
    await service.close();
    await Deno.remove(file);
  }
}

/** A thousand days whose logarithm changes by Student's t with three degrees of freedom. */
function heavySeries(chance: Chance): DataFrame {
  let log = 10;
  const values = Array.from({ length: 1_000 }, () => {
    const squares = [0, 1, 2].reduce((sum) => sum + chance.normal() ** 2, 0);
    log += 0.05 * chance.normal() / Math.sqrt(squares / 3);
    return Math.exp(log);
  });
  const dates = values.map((_, at) => new Date(Date.UTC(2023, 0, 1 + at)));
  return pl.DataFrame([dateColumn("date", dates), float64("fees", values)]);
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
  table: "Data that is right, % of draws without `broken` and within the limit of `look`",
  column: "",
};

export const cells: readonly Cell[] = [
  ...(Object.keys(DATASETS) as Dataset[]).flatMap((name) =>
    Object.entries(BREAKS).map(([column, change]): Cell => ({
      table: "One random cell changed, % found",
      row: name,
      column,
      draws: 300,
      draw: (chance) => isFound(name, change, chance),
    }))
  ),
  {
    ...quiet,
    row: "the sample, 1 `look` in 1 000 rows",
    draws: 1,
    limits: [1, 1],
    draw: () => isQuiet(),
  },
  {
    ...quiet,
    row: "40 worlds of other seeds, 1 `look` in 1 000 rows",
    draws: 40,
    limits: [0.95, 1],
    draw: isWorldQuiet,
  },
  {
    ...quiet,
    row: "1 000 days with t(3) changes of 5%, 2 `look`",
    draws: 300,
    limits: [0.9, 1],
    draw: (chance) => {
      const frame = heavySeries(chance);
      return countOf(frame, "broken") === 0 && countOf(frame, "look") <= 2;
    },
  },
  {
    ...quiet,
    row: "a last week restated by up to 10%, 1 `look` in 1 000 rows",
    draws: 100,
    limits: [0.95, 1],
    draw: async (chance) => {
      const frame = await restated(chance);
      return countOf(frame, "broken") === 0 && countOf(frame, "look") <= frame.height / 1_000;
    },
  },
];
