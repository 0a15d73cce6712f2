import { withSpans } from "../cohort_frame.ts";
import { chanceOf } from "../simulated_cohorts.ts";

/** The public functions, of this version or of another one. */
export type Chainframe = typeof import("../../../mod.ts");
type Frame = ReturnType<Chainframe["pl"]["DataFrame"]>;

const MONTHS = 12;

/** The number of random frames. */
export const FRAMES = 40;

/** The random frames of the fast tests. The slow tests have the others. */
export const FAST_SEEDS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

/**
 * Random cohorts of projects in sectors, observed up to one month. Some projects begin late, some cohorts are missing,
 * empty or without a value in a month, and in some frames retention hardly falls.
 */
export function randomCohorts({ pl }: Chainframe, seed: number): Frame {
  const chance = chanceOf(1000 + seed);
  const [projects, sectors, cohorts] = [2 + seed % 9, 1 + seed % 3, 8 + (seed * 5) % 19];
  const [start, fall] = [0.2 + 0.5 * chance.uniform(), seed % 4 === 3 ? 0.02 : 0.9];
  const rows: Record<string, string | number | null>[] = [];
  for (let project = 0; project < projects; project++) {
    const birth = project < 2 ? 0 : Math.floor(chance.uniform() * cohorts / 2);
    const level = 0.4 * chance.normal();
    for (let at = birth; at < cohorts; at++) {
      if (chance.uniform() < 0.05) continue;
      const size = chance.uniform() < 0.03 ? 0 : Math.round(chance.logNormal(400, 1));
      const shock = 0.1 * chance.normal();
      const values = Array.from({ length: MONTHS }, (_, month) => {
        if (month === 0) return size;
        const logit = Math.log(start / (1 - start)) + level + shock - fall * Math.log(month);
        const retained = chance.binomial(size, 1 / (1 + Math.exp(-logit)));
        return at + month >= cohorts || chance.uniform() < 0.02 ? null : retained;
      });
      rows.push({
        project_name: `Project ${project}`,
        project_id: `p${project}`,
        market_sector_id: `s${project % sectors}`,
        market_sector_name: `Sector ${project % sectors}`,
        cohort: `${2024 + Math.floor((at + 3) / 12)}-${String((at + 3) % 12 + 1).padStart(2, "0")}`,
        initial_cohort_size: size,
        ...Object.fromEntries(values.map((value, month) => [`month_${month}`, value])),
      });
    }
  }
  // A month that is null in every row has no dtype of numbers.
  const months = Array.from({ length: MONTHS }, (_, month) => `month_${month}`);
  return pl.DataFrame(rows).withColumns(
    ...["initial_cohort_size", ...months].map((name) => pl.col(name).cast(pl.Float64)),
  );
}

/** Adds the columns of the row `overall` of each group to its other rows, as they were in 0.4.0. */
function flat({ pl }: Chainframe, trend: Frame, by: string[]): Frame {
  if (!trend.columns.includes("row")) return trend;
  const whole = trend.columns.slice(trend.columns.indexOf("slope"));
  const part = (kind: string) => trend.filter(pl.col("row").eq(pl.lit(kind)));
  return part("date").drop(whole as unknown as string)
    .withColumns(pl.lit(1).alias("all"))
    .join(part("overall").select(...by, ...whole).withColumns(pl.lit(1).alias("all")), {
      on: ["all", ...by],
      how: "left",
    }).drop("row", "all", "rests_on");
}

/** The calls whose results are kept, by name. */
export const CALLS: Readonly<Record<string, (cf: Chainframe, curves: Frame) => Frame>> = {
  "pooledRetention": (cf, curves) => cf.pooledRetention(curves),
  "pooledRetention by project": (cf, curves) => cf.pooledRetention(curves, { by: "project_id" }),
  "pooledRetention by sector": (cf, curves) =>
    cf.pooledRetention(curves, { by: "market_sector_id" }),
  "pooledRetention by sector, unweighted": (cf, curves) =>
    cf.pooledRetention(curves, { by: "market_sector_id", estimate: "unweighted" }),
  "compareRetention by project": (cf, curves) => cf.compareRetention(curves, { month: [1, 3] }),
  "compareRetention by sector": (cf, curves) =>
    cf.compareRetention(curves, { by: "market_sector_id", month: [1, 3] }),
  "compareRetention by sector, none": (cf, curves) =>
    cf.compareRetention(curves, { by: "market_sector_id", month: 3, cluster: "none" }),
  "compareRetention by span": (cf, curves) =>
    cf.compareRetention(
      withSpans(curves, { early: "2024-04", late: "2025-02" }) as Frame,
      { by: "span", month: 3 },
    ),
  "retentionSummary": (cf, curves) =>
    cf.retentionSummary(cf.pooledRetention(curves, { by: "project_id" })),
  "forecastRetention": (cf, curves) => cf.forecastRetention(curves, { by: "all", horizon: 18 }),
  "forecastRetention by sector, sbg": (cf, curves) =>
    cf.forecastRetention(curves, { by: "market_sector_id", horizon: 18, model: "sbg" }),
  "forecastRetention by project": (cf, curves) =>
    cf.forecastRetention(curves, { by: "project_id", horizon: 18 }),
  "cohortTrend": (cf, curves) => flat(cf, cf.cohortTrend(curves, { month: 2 }) as Frame, []),
  "cohortTrend by sector": (cf, curves) => {
    const trend = cf.cohortTrend(curves, { month: 1, by: "market_sector_id" });
    return flat(cf, trend as Frame, ["market_sector_id"]);
  },
  "userFlows": (cf, curves) => cf.userFlows(curves),
  "userFlows by project": (cf, curves) => cf.userFlows(curves, { by: "project_id" }),
  "cohortLayers by sector": (cf, curves) => cf.cohortLayers(curves, { by: "market_sector_id" }),
};

/** Columns that the old version had and this one has not, or that hold words for readers. */
export const LEFT =
  /^(log_rank|half_life|net_churn|net_activity_(lower|upper)$|break_|slope_mix$|reason$|c$|aic$|se_log)/;

/** What is kept of a column: the number of values, a sum with weights that change from row to row, or a hash. */
export interface Kept {
  readonly column: string;
  readonly count: number;
  readonly value: number;
  /** The same sum of absolute values, to which tolerances relate. */
  readonly scale: number;
}

/** Sums up the columns of a result. */
export function keptOf(result: Frame): Kept[] {
  return (result.columns as string[]).filter((column) => !LEFT.test(column)).map((column) => {
    let [count, value, scale] = [0, 0, 0];
    (result.getColumn(column).toArray() as unknown[]).forEach((each, row) => {
      if (each === null || each === undefined) return;
      const weight = 1 + (row * 7919 % 101) / 101;
      const number = typeof each === "string"
        ? [...each].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1e6, 7)
        : each instanceof Date
        ? each.getTime() / 86_400_000
        : Number(each);
      count += 1;
      value += weight * number;
      scale += weight * Math.abs(number);
    });
    return { column, count, value, scale };
  });
}
