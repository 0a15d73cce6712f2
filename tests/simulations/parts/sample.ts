import { cohortTrend } from "../../../lib/analysis/retention/cohort_trend.ts";
import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import { counterfactual } from "../../../lib/analysis/programs/counterfactual.ts";
import { eventStudy } from "../../../lib/analysis/programs/event_study.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { type Database, openDuckdb } from "../../../lib/service/engine/duckdb.ts";
import { FACT_TABLES } from "../../../lib/service/facts/fact_layout.ts";
import { loadSampleEntities, PLANTED } from "../../../lib/service/sample/entities.ts";
import { PRESENCE, sampleUsers } from "../../../lib/service/sample/facts.ts";
import { loadSampleFacts } from "../../../lib/service/sample/sample.ts";
import { type DataFrame, pl } from "../../../lib/table/build/polars.ts";
import { type Cohort, curvesOf } from "../../analysis/cohort_frame.ts";
import { SECTORS, STARTS, truthOf } from "../../analysis/sample_truth.ts";
import type { Cell } from "../cells.ts";

export const page = "sample.md";

const WORLDS = 200;
const WHOLE = 20;
const MONTHS = [1, 3, 6];
// The last complete month of the sample, and its first months, which analyses leave out.
const [LAST, WASHOUT] = [28, 3];

type Row = Readonly<Record<string, number>>;

/** The curves of a world of another seed. */
async function curvesIn(seed: number): Promise<DataFrame> {
  const database = await openDuckdb();
  try {
    await database.run(FACT_TABLES);
    await loadSampleEntities(database, { seed, scale: 1 });
    await database.run(sampleUsers(1));
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
  } finally {
    database.close();
  }
}

const sectors = SECTORS.filter(({ market_sector_id }) =>
  market_sector_id !== PLANTED.joiners.market_sector_id
);

/** The last month before the break of the sector whose retention rises, in milliseconds. */
function lastBeforeBreak(curves: DataFrame): number {
  const { market_sector_id } = PLANTED.joiners;
  const own = curves.filter(pl.col("market_sector_id").eq(pl.lit(market_sector_id)));
  const [first] = cohortTrend(own, { by: "market_sector_id", month: 1 }).toRecords();
  return (first!.break_date as unknown as Date).getTime();
}

/** What the cohorts of a world show. */
async function studied(seed: number) {
  const curves = await curvesIn(seed);
  const pooled = pooledRetention(curves, { by: "market_sector_id" }).toRecords();
  const p = (groups: string[]) =>
    compareRetention(curves, { by: "market_sector_id", groups, month: MONTHS }).toRecords()
      .map(({ p_value }) => Number(p_value));
  return {
    /** For each month, whether the interval of each sector contains the truth. */
    inside: MONTHS.map((month) =>
      sectors.map((sector) => {
        const { lower, upper } = pooled.find((row) =>
          row.market_sector_id === sector.market_sector_id && row.month === month
        ) as unknown as Row;
        const truth = truthOf(sector, month);
        return lower! <= truth && truth <= upper!;
      })
    ),
    equal: p(["gaming", "derivatives"]),
    unequal: p(["lending", "exchanges-dex"]),
    lastBeforeBreak: seed < 3 + WHOLE ? lastBeforeBreak(curves) : null,
  };
}

// The cells of a process use the same worlds.
const worlds = new Map<number, ReturnType<typeof studied>>();

type Studied = Awaited<ReturnType<typeof studied>>;

/** A cell over worlds of other seeds than the sample, which has the seed 2. A world can have several draws. */
function ofWorlds(
  cell: Omit<Cell, "draw">,
  { holds, each = 1 }: { holds: (world: Studied, at: number) => boolean; each?: number },
): Cell {
  let draw = 0;
  return {
    ...cell,
    async draw() {
      const [seed, at] = [3 + Math.floor(draw / each), draw % each];
      draw += 1;
      if (!worlds.has(seed)) worlds.set(seed, studied(seed));
      return holds(await worlds.get(seed)!, at);
    },
  };
}

const ofMonths = MONTHS.flatMap((month, place): Cell[] => {
  const cell = {
    table: `% of ${WORLDS} worlds of other seeds`,
    column: `month ${month}`,
    draws: WORLDS,
  };
  return [
    ofWorlds({
      ...cell,
      row: "intervals of sectors that contain the truth",
      limits: [0.93, 0.97],
      draws: WORLDS * sectors.length,
    }, { holds: ({ inside }, at) => inside[place]![at]!, each: sectors.length }),
    ofWorlds({
      ...cell,
      row: "Gaming and Derivatives, which are equal: p below 0.05",
      limits: [0.02, 0.08],
    }, { holds: ({ equal }) => equal[place]! < 0.05 }),
    ofWorlds({ ...cell, row: "Lending and Exchanges: p below 0.05", limits: [0.9, 1] }, {
      holds: ({ unequal }) => unequal[place]! < 0.05,
    }),
  ];
});

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

/** Whether each planted effect is found in a whole world of another seed. */
const EFFECTS: Readonly<Record<string, (database: Database) => Promise<boolean>>> = {
  "`eventStudy`: the interval contains +25%": async (database) => {
    const fees = await monthly(
      database,
      "project_id",
      "SELECT project_id, day, fees AS value FROM facts.numbered_activity",
    );
    const study = eventStudy(fees, { field: "value", starts: STARTS, scale: "log", zeros: "skip" });
    const { lower, upper } = study.toRecords().find(({ row }) => row === "overall") as never as Row;
    const truth = Math.log(PLANTED.program.factor);
    return lower! <= truth && truth <= upper!;
  },
  "`counterfactual`: p is 1/24": async (database) => {
    const tvl = await monthly(
      database,
      "chain_id",
      "SELECT chain_id, day, tvl AS value FROM facts.product_daily WHERE day = last_day(day)",
    );
    const { chain_id, day } = PLANTED.deposits;
    const found = counterfactual(tvl, {
      field: "value",
      treated: chain_id,
      event: day,
      scale: "log",
    });
    const own = found.toRecords().find(({ role }) => role === "treated");
    return Number(own!.p_value) < 1 / 23;
  },
};

const inWhole = {
  table: `% of ${WHOLE} whole worlds of other seeds`,
  column: "found",
  draws: WHOLE,
};

const whole = Object.entries(EFFECTS).map(([row, holds]): Cell => {
  let seed = 2;
  return {
    ...{ ...inWhole, row, limits: [0.9, 1] },
    async draw() {
      const database = await openDuckdb();
      try {
        await loadSampleFacts(database, ++seed);
        return await holds(database);
      } finally {
        database.close();
      }
    },
  };
});

export const cells: readonly Cell[] = [
  ...ofMonths,
  ...whole,
  ofWorlds({ ...inWhole, row: "`cohortTrend`: the break, to a month" }, {
    holds: ({ lastBeforeBreak }) =>
      Math.abs(lastBeforeBreak! - Date.UTC(2025, 5)) < 40 * 86_400_000,
  }),
];
