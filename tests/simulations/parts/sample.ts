import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { counterfactual } from "../../../lib/analysis/programs/counterfactual.ts";
import { eventStudy } from "../../../lib/analysis/programs/event_study.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { type Database, openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { FACT_TABLES } from "../../../lib/service/facts/fact_layout.ts";
import { loadSampleEntities, PLANTED } from "../../../lib/service/sample/entities.ts";
import {
  PRESENCE,
  SAMPLE_DAILY_VALUES,
  SAMPLE_MARKET,
  sampleUsers,
} from "../../../lib/service/sample/facts.ts";
import { loadSampleFacts } from "../../../lib/service/sample/sample.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { type Cohort, curvesOf } from "../../analysis/cohort_frame.ts";
import { SECTORS, STARTS, truthOf } from "../../analysis/sample_truth.ts";
import { among, type Cell } from "../cells.ts";

export const workers = 1;

/** The seeds of the worlds: 1 to this number. The seed of the sample is one of them. */
const SEEDS = 200;
const MONTHS = [1, 3, 6];
// The last complete month of the sample, and its first months, which analyses leave out.
const [LAST, WASHOUT] = [28, 3];

type Row = Readonly<Record<string, number>>;

/** The curves of a world. */
async function curvesIn(database: Database): Promise<DataFrame> {
  const rows = await database.rows(
    `SELECT project_id, market_sector_id, joined, k, count(*) AS users
     FROM (${PRESENCE}) JOIN sample.project USING (project_no)
     WHERE k < 12 AND joined >= ${WASHOUT} GROUP BY ALL`,
    { first: 0, last: LAST },
  );
  const cohorts = Map.groupBy(rows, ({ project_id, joined }) => `${project_id} ${joined}`);
  return curvesOf(...[...cohorts.values()].map((seen): Cohort => {
    const { project_id, market_sector_id, joined } = seen[0]!;
    const users = new Map(seen.map((row) => [row.k, Number(row.users)]));
    const size = users.get(0)!;
    return {
      project: String(project_id),
      sector: String(market_sector_id),
      cohort: new Date(Date.UTC(2024, Number(joined))).toISOString().slice(0, 7),
      size,
      months: Array.from(
        { length: 12 },
        (_, k) => Number(joined) + k > LAST ? null : (users.get(k) ?? 0) / size,
      ),
    };
  }));
}

/** A frame of the values of entities in the complete months, in one column of the facts. */
async function monthly(database: Database, entity: string, sql: string): Promise<DataFrame> {
  const rows = await database.rows(
    `SELECT CAST(${entity} AS VARCHAR) AS data_id, date_trunc('month', day)::DATE AS date,
       sum(value)::DOUBLE AS value
     FROM (${sql}) WHERE day < DATE '2026-06-01' GROUP BY ALL ORDER BY ALL`,
  );
  return pl.DataFrame([
    pl.Series("data_id", rows.map(({ data_id }) => String(data_id)), pl.Utf8),
    pl.Series("date", rows.map(({ date }) => new Date(String(date))), pl.Date),
    pl.Series("value", rows.map(({ value }) => Number(value)), pl.Float64),
  ]);
}

/** An interval with the truth that it should contain, and the p value of no effect. */
interface Estimate {
  readonly lower: number;
  readonly upper: number;
  readonly p: number;
  readonly truth: number;
}

async function programIn(database: Database): Promise<Estimate> {
  const fees = await monthly(
    database,
    "project_id",
    "SELECT project_id, day, fees AS value FROM facts.numbered_activity",
  );
  const study = eventStudy(fees, { field: "value", starts: STARTS, scale: "total", base: -1 });
  const { lower, upper, p_value } = study.toRecords().find(({ row }) =>
    row === "overall"
  ) as unknown as Row;
  return { lower: lower!, upper: upper!, p: p_value!, truth: Math.log(PLANTED.program.factor) };
}

async function depositsIn(database: Database): Promise<Estimate> {
  const tvl = await monthly(
    database,
    "chain_id",
    "SELECT chain_id, day, tvl AS value FROM facts.product_daily WHERE day = last_day(day)",
  );
  const { chain_id, day, factor } = PLANTED.deposits;
  const found = counterfactual(tvl, {
    field: "value",
    starts: { [chain_id]: day },
    scale: "log",
  });
  const { effect_lower, effect_upper, p_value } = found.toRecords().find(({ role }) =>
    role === "treated"
  ) as unknown as Row;
  return { lower: effect_lower!, upper: effect_upper!, p: p_value!, truth: Math.log(factor) };
}

const sectors = SECTORS.filter(({ market_sector_id }) =>
  market_sector_id !== PLANTED.joiners.market_sector_id
);

/** The break in the sector whose retention rises: the last month before it in milliseconds, and its p value. */
function breakIn(curves: DataFrame) {
  const { market_sector_id } = PLANTED.joiners;
  const own = curves.filter(pl.col("market_sector_id").eq(pl.lit(market_sector_id)));
  const [first] = cohortTrend(own, { by: "market_sector_id", month: 1 }).toRecords();
  return {
    last: (first!.break_date as unknown as Date).getTime(),
    p: Number(first!.break_p_value),
  };
}

/** The differences of retention between two sectors in each month. */
function differencesIn(curves: DataFrame, ids: readonly [string, string]): Estimate[] {
  const [a, b] = ids.map((id) => SECTORS.find((sector) => sector.market_sector_id === id)!);
  return compareRetention(curves, { by: "market_sector_id", groups: [...ids], month: MONTHS })
    .toRecords().map((row) => {
      const { lower, upper, p_value, month } = row as unknown as Row;
      const truth = truthOf(a!, month!) - truthOf(b!, month!);
      return { lower: lower!, upper: upper!, p: p_value!, truth };
    });
}

const contains = ({ lower, upper, truth }: Estimate) => lower <= truth && truth <= upper;

/** Whether the truth is in the middle half of the interval. */
const isCentral = ({ lower, upper, truth }: Estimate) =>
  Math.abs(truth - (lower + upper) / 2) <= (upper - lower) / 4;

const isFound = ({ p }: { readonly p: number }) => p < 0.05;

/** The effect of the program in the world of a seed, whose activity takes most of the time. */
async function programOf(seed: number): Promise<Estimate> {
  const database = await openDuckdb();
  try {
    await loadSampleFacts(database, seed);
    return await programIn(database);
  } finally {
    database.close();
  }
}

/** What the functions find in the world of a seed. Prints the seed if all planted effects are central. */
async function studied(seed: number) {
  const database = await openDuckdb();
  try {
    await database.run(FACT_TABLES);
    await loadSampleEntities(database, { seed, scale: 1 });
    await database.run(SAMPLE_MARKET + sampleUsers(1));
    await database.run(SAMPLE_DAILY_VALUES);
    const curves = await curvesIn(database);
    const pooled = pooledRetention(curves, { by: "market_sector_id" }).toRecords();
    const deposits = await depositsIn(database);
    const equal = differencesIn(curves, ["gaming", "derivatives"]);
    const unequal = differencesIn(curves, ["lending", "exchanges-dex"]);
    const { last, p } = breakIn(curves);
    const months = Math.abs(last - Date.UTC(2025, 5)) / 86_400_000 / 30;
    const others = [deposits, ...equal, ...unequal].every(isCentral) &&
      [deposits, ...unequal, { p }].every(isFound) && months < 0.5;
    let program: Promise<Estimate> | undefined;
    const inProgram = () => program ??= programOf(seed);
    const isCentralIn = async () => {
      const central = others && isCentral(await inProgram()) && isFound(await inProgram());
      if (central) console.error(`sample: all planted effects are central with seed ${seed}`);
      return central;
    };
    return {
      /** For each month, whether the interval of each sector contains the truth. */
      inside: MONTHS.map((month) =>
        sectors.map((sector) => {
          const { lower, upper } = pooled.find((row) =>
            row.market_sector_id === sector.market_sector_id && row.month === month
          ) as unknown as Row;
          return contains({ lower: lower!, upper: upper!, p: 0, truth: truthOf(sector, month) });
        })
      ),
      ...{ deposits, equal, unequal, inProgram, isCentralIn },
      break: { p, isNear: months < 1.5 },
    };
  } finally {
    database.close();
  }
}

// The cells of a process use the same worlds.
const worlds = new Map<number, ReturnType<typeof studied>>();

type Studied = Awaited<ReturnType<typeof studied>>;

/** A cell over the worlds of the seeds. A world can have several draws. */
function ofWorlds(
  cell: Omit<Cell, "draw">,
  { holds, each = 1 }: {
    readonly holds: (world: Studied, at: number) => boolean | Promise<boolean>;
    readonly each?: number;
  },
): Cell {
  let draw = 0;
  return {
    draws: SEEDS * each,
    ...cell,
    async draw() {
      const [seed, at] = [1 + Math.floor(draw / each), draw % each];
      draw += 1;
      if (!worlds.has(seed)) worlds.set(seed, studied(seed));
      return holds(await worlds.get(seed)!, at);
    },
  };
}

/** Projects differ in size, volatility, retention and birth, and months move them. */
const ALL = among("units", "months", "sizes", "volatility", "births");

const ofMonths = MONTHS.flatMap((month, place): Cell[] => {
  const cell = { ...ALL, table: `% of the worlds of ${SEEDS} seeds`, column: `month ${month}` };
  return [
    ofWorlds({
      ...cell,
      row: "`pooledRetention`: the interval of a sector contains the truth",
      limits: [0.93, 0.97],
    }, { holds: ({ inside }, at) => inside[place]![at]!, each: sectors.length }),
    ...[
      ["Lending and Exchanges", "unequal", [0.9, 1]] as const,
      ["Gaming and Derivatives, which are equal", "equal", [0.02, 0.08]] as const,
    ].flatMap(([name, pair, limits]) => [
      ofWorlds({
        ...cell,
        row: `\`compareRetention\` of ${name}: the interval contains the truth`,
        limits: [0.92, 0.98],
      }, { holds: (world) => contains(world[pair][place]!) }),
      ofWorlds({ ...cell, row: `\`compareRetention\` of ${name}: p below 0.05`, limits }, {
        holds: (world) => isFound(world[pair][place]!),
      }),
    ]),
  ];
});

const inEffects = {
  ...ALL,
  table: `% of the worlds of ${SEEDS} seeds, by effect`,
  column: "share",
};

const ofEffects = [
  ofWorlds({
    ...inEffects,
    row: "`eventStudy`: the interval contains +25%",
    limits: [0.9, 1],
  }, { holds: async ({ inProgram }) => contains(await inProgram()) }),
  ofWorlds({ ...inEffects, row: "`eventStudy`: p below 0.05", limits: [0.8, 1] }, {
    holds: async ({ inProgram }) => isFound(await inProgram()),
  }),
  ofWorlds({
    ...inEffects,
    row: "`counterfactual`: the interval contains +40%",
    limits: [0.9, 1],
  }, { holds: ({ deposits }) => contains(deposits) }),
  ofWorlds({ ...inEffects, row: "`counterfactual`: p below 0.05", limits: [0.8, 1] }, {
    holds: ({ deposits }) => isFound(deposits),
  }),
  ofWorlds({ ...inEffects, row: "`cohortTrend`: p below 0.05", limits: [0.8, 1] }, {
    holds: (world) => isFound(world.break),
  }),
  ofWorlds({ ...inEffects, row: "`cohortTrend`: the break, to a month", limits: [0.8, 1] }, {
    holds: (world) => world.break.isNear,
  }),
  ofWorlds({ ...inEffects, row: "all effects found, and in the middle half of their intervals" }, {
    holds: ({ isCentralIn }) => isCentralIn(),
  }),
];

export const cells: readonly Cell[] = [...ofMonths, ...ofEffects];
