/**
 * How often 95% bounds hold what they estimate, and how often tests find a difference where there is
 * none: the tables at the end of docs/analysis.md.
 *
 *     deno run -A --config tests/deno.json tests/simulations/analysis/coverage.ts [DRAWS] [--docs]
 *
 * @module
 */
import type { CohortGroup, Counts, RetentionCluster } from "../../../lib/analysis/cohort_counts.ts";
import { forecastOf } from "../../../lib/analysis/curve_forecast.ts";
import type { CurveMonth } from "../../../lib/analysis/curve_table.ts";
import type { Interval } from "../../../lib/analysis/intervals.ts";
import {
  type ClusterUsers,
  retentionEstimate,
  type RetentionEstimator,
} from "../../../lib/analysis/retention_estimate.ts";
import type { RetentionModel } from "../../../lib/analysis/retention_models.ts";
import { benjaminiHochberg, retentionTest } from "../../../lib/analysis/significance.ts";
import { type Chance, chanceOf, simulatedCohorts } from "../../analysis/simulated_cohorts.ts";

/** One number of a table: the share of draws in which something holds. */
export interface Cell {
  readonly table: string;
  readonly row: string;
  readonly column: string;
  /** The least and the most that the share may be; an exception is stated in the table. */
  readonly least: number;
  readonly most: number;
  /** Simulates once; null where the draw has no bounds. */
  readonly draw: (chance: Chance) => boolean | null;
}

/** The result of a cell. */
export interface Share {
  readonly cell: Cell;
  readonly share: number;
  /** The draws that had bounds. */
  readonly draws: number;
}

/** The share of draws in which a cell holds, with a seed of its own. */
export function shareOf(cell: Cell, draws: number): Share {
  const seed = [...`${cell.table}${cell.row}${cell.column}`]
    .reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0) | 0, 7);
  const chance = chanceOf(seed);
  let [held, counted] = [0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const holds = cell.draw(chance);
    if (holds === null) continue;
    counted += 1;
    held += Number(holds);
  }
  return { cell, share: held / counted, draws: counted };
}

/** Whether a share is within its limits, allowing for three standard errors of the simulation. */
export function isWithin({ cell: { least, most }, share, draws }: Share): boolean {
  const error = (limit: number) => 3 * Math.sqrt(limit * (1 - limit) / draws);
  return share >= least - error(least) && share <= most + error(most);
}

const expit = (logit: number) => 1 / (1 + Math.exp(-logit));
const logit = (p: number) => Math.log(p / (1 - p));
const holds = ({ lower, upper }: Interval, truth: number) =>
  Number.isNaN(lower) ? null : lower <= truth && truth <= upper;

/** A group in month 1, one part for each cluster. */
function groupOf(users: readonly ClusterUsers[], cluster: RetentionCluster): CohortGroup {
  const part = ({ size, retained }: ClusterUsers): Counts => ({
    size: [size],
    retained: [retained],
    atRisk: [size],
    lost: [size - retained],
  });
  const sum = (name: keyof ClusterUsers) => users.reduce((total, each) => total + each[name], 0);
  return {
    months: [1],
    present: Float64Array.of(1),
    cohorts: Float64Array.of(users.length),
    leftOut: Float64Array.of(0),
    total: part({ size: sum("size"), retained: sum("retained") }),
    cluster,
    parts: users.map(part),
  };
}

function estimateOf(
  users: readonly ClusterUsers[],
  cluster: RetentionCluster,
  estimate: RetentionEstimator = "weighted",
) {
  return retentionEstimate(groupOf(users, cluster), 0, { confidence: 0.95, estimate });
}

/** The mean of expit over a normal distribution. */
function meanShare(mean: number, deviation: number, weight: (z: number) => number = () => 1) {
  let [sum, total] = [0, 0];
  for (let z = -6; z <= 6; z += 0.02) {
    const density = Math.exp(-z * z / 2) * weight(z);
    sum += density * expit(mean + deviation * z);
    total += density;
  }
  return sum / total;
}

/** Users of projects whose logits are normal; larger ones retain more where `slope` is above 0. */
function projects(
  count: number,
  { p, tau, slope = 0, users = 1000 }: {
    readonly p: number;
    readonly tau: number;
    readonly slope?: number;
    readonly users?: number;
  },
  chance: Chance,
): ClusterUsers[] {
  return Array.from({ length: count }, () => {
    const z = chance.normal();
    const mean = users * Math.exp(slope * z - slope * slope / 2);
    const size = Math.max(1, Math.round(chance.logNormal(mean, 0.5)));
    return { size, retained: chance.binomial(size, expit(logit(p) + tau * z)) };
  });
}

const NOMINAL = { least: 0.92, most: 0.98 };
/** Documented, and not a property that is promised. */
const ANY = { least: 0, most: 1 };

const POOLED = "Pooled retention, weighted by users";

const pooled = [0.5, 0.2, 0.02].flatMap((p) =>
  [1, 5, 25].flatMap((dispersion) =>
    [3, 5, 10].flatMap((clusters): Cell[] => {
      const row = `p ${p}, dispersion ${dispersion}`;
      const draw = (cluster: RetentionCluster) => (chance: Chance) => {
        const variation = { p, dispersion, clusters, users: 1000, sizes: 0.5 };
        const { size, retained } = simulatedCohorts(variation, chance);
        const users = [...size].map((each, index) => ({ size: each, retained: retained[index]! }));
        return holds(estimateOf(users, cluster), p);
      };
      const limits = p === 0.02 ? { least: 0.7, most: 1 } : NOMINAL;
      const most = dispersion === 1 ? 1 : limits.most;
      const cell = {
        ...{ table: POOLED, row, column: `${clusters} projects` },
        ...{ ...limits, most },
        draw: draw("project_id"),
      };
      const alone = { ...cell, column: "users as independent", ...ANY, draw: draw("none") };
      return clusters === 10 ? [cell, alone] : [cell];
    })
  )
);

const RANDOM = "Pooled retention, random effects";

const random = [0.5, 0.2, 0.02].flatMap((p) =>
  [1000, 200].flatMap((users) =>
    [3, 5, 10].map((count): Cell => ({
      ...{ table: RANDOM, row: `p ${p}, ${users} users a project`, column: `${count} projects` },
      ...p === 0.02 ? { least: 0.86, most: 0.98 } : NOMINAL,
      draw: (chance) => {
        const drawn = projects(count, { p, tau: 0.5, users }, chance);
        return holds(estimateOf(drawn, "project_id", "random-effects"), p);
      },
    }))
  )
);

const SIZES = "Sizes that depend on retention (p 0.3)";

const sizes = [3, 5, 10].flatMap((count): Cell[] => {
  const [tau, slope, p] = [0.5, 1, 0.3];
  const cell = (row: string, truth: number, estimate: RetentionEstimator): Cell => ({
    ...{ table: SIZES, row, column: `${count} projects` },
    ...ANY,
    draw: (chance) =>
      holds(
        estimateOf(projects(count, { p, tau, slope }, chance), "project_id", estimate),
        truth,
      ),
  });
  const ofUsers = meanShare(logit(p), tau, (z) => Math.exp(slope * z));
  return [
    cell("weighted, for the retention of all users", ofUsers, "weighted"),
    cell("random effects, for the median project", p, "random-effects"),
  ];
});

function pValue(one: readonly ClusterUsers[], other: readonly ClusterUsers[]): number {
  const [a, b] = [estimateOf(one, "project_id"), estimateOf(other, "project_id")];
  return retentionTest(a, b, { confidence: 0.95, blocks: false }).p_value;
}

const COMPARED = "Two sectors that are alike: no difference found at p 0.05";

const compared = [1, 2, 3, 5, 10].flatMap((few) =>
  [2, 3, 5, 10].filter((many) => many >= few).map((many): Cell => ({
    ...{ table: COMPARED, row: `against ${many} projects`, column: `${few}` },
    ...{ least: 0.92, most: many === 2 ? 1 : 0.99 },
    draw: (chance) => {
      const world = { p: 0.3, tau: 0.5 };
      const p = pValue(projects(few, world, chance), projects(many, world, chance));
      return Number.isNaN(p) ? null : p >= 0.05;
    },
  }))
);

const SECTORS = [1, 1, 1, 1, 4, 4, 4, 8];

const adjusted: Cell = {
  table: "Eight sectors of 1, 1, 1, 1, 4, 4, 4 and 8 projects that are alike",
  row: "no pair with p_adjusted below 0.05",
  column: "draws",
  ...{ least: 0.92, most: 1 },
  draw: (chance) => {
    const sectors = SECTORS.map((count) => projects(count, { p: 0.3, tau: 0.5 }, chance));
    const values = sectors.flatMap((one, index) =>
      sectors.slice(index + 1).map((other) => pValue(one, other))
    );
    return benjaminiHochberg(values).every((value) => !(value < 0.05));
  },
};

/** The cohorts of one project, whose logits have shocks that last from month to month. */
function shocked(count: number, autocorrelation: number, chance: Chance): ClusterUsers[] {
  let shock = chance.normal();
  return Array.from({ length: count }, () => {
    shock = autocorrelation * shock + Math.sqrt(1 - autocorrelation ** 2) * chance.normal();
    return { size: 1000, retained: chance.binomial(1000, expit(logit(0.3) + 0.4 * shock)) };
  });
}

const BLOCKS = "One project with monthly shocks";

const blocks = [0, 0.7, 0.9].flatMap((autocorrelation) =>
  [27, 54].flatMap((count): Cell[] => {
    const truth = meanShare(logit(0.3), 0.4);
    const row = `autocorrelation ${autocorrelation}, ${count} cohorts`;
    const limits = autocorrelation === 0.9 ? { least: 0.82, most: 0.98 } : NOMINAL;
    const cell = { table: BLOCKS, row };
    const covers = (cluster: RetentionCluster) => (chance: Chance) =>
      holds(estimateOf(shocked(count, autocorrelation, chance), cluster), truth);
    return [
      { ...cell, column: "three blocks", ...limits, draw: covers("cohort_block") },
      { ...cell, column: "cohorts as independent", ...ANY, draw: covers("cohort") },
      {
        ...cell,
        column: "two equal projects: no difference found",
        ...autocorrelation === 0.9 ? { least: 0.8, most: 1 } : { least: 0.92, most: 1 },
        draw: (chance) => {
          const [a, b] = [1, 2].map(() =>
            estimateOf(shocked(count, autocorrelation, chance), "cohort_block")
          ) as [ReturnType<typeof estimateOf>, ReturnType<typeof estimateOf>];
          const { p_value: p } = retentionTest(a, b, { confidence: 0.95, blocks: true });
          return Number.isNaN(p) ? null : p >= 0.05;
        },
      },
    ];
  })
);

const MARKET = "Projects that share one market (tau 0.5, p 0.3)";

const market = [0, 0.2, 0.5].flatMap((shared) =>
  [3, 5, 10].map((count): Cell => ({
    ...{ table: MARKET, row: `shock shared by all: sd ${shared}`, column: `${count} projects` },
    ...ANY,
    draw: (chance) => {
      const p = expit(logit(0.3) + shared * chance.normal());
      const truth = meanShare(logit(0.3), Math.hypot(0.5, shared));
      return holds(estimateOf(projects(count, { p, tau: 0.5 }, chance), "project_id"), truth);
    },
  }))
);

const [GAMMA, DELTA, MONTHS, TARGETS] = [0.657, 2.783, 8, [12, 24]] as const;
const USERS = 300;

/** The users of a project who are active, month by month, of BG/BB or, with `pauses` 0, of sBG. */
function activity(chance: Chance, pauses: boolean): number[] {
  // Projects differ in how many leave.
  const gamma = GAMMA * Math.exp(0.3 * chance.normal());
  const active = [USERS, ...Array<number>(MONTHS).fill(0)];
  for (let user = 0; user < USERS; user++) {
    const p = pauses ? chance.beta(1.2, 0.75) : 1;
    const leaves = chance.beta(gamma, DELTA);
    for (let month = 1; month <= MONTHS && chance.uniform() >= leaves; month++) {
      if (p === 1 || chance.uniform() < p) active[month]! += 1;
    }
  }
  return active;
}

function truthOf(month: number, pauses: boolean): number {
  let [sum, total] = [0, 0];
  for (let z = -5; z <= 5; z += 0.05) {
    const gamma = GAMMA * Math.exp(0.3 * z);
    let left = pauses ? 1.2 / 1.95 : 1;
    for (let k = 1; k <= month; k++) left *= (DELTA + k - 1) / (gamma + DELTA + k - 1);
    sum += Math.exp(-z * z / 2) * left;
    total += Math.exp(-z * z / 2);
  }
  return sum / total;
}

function stepsOf(curves: readonly (readonly number[])[]): CurveMonth[] {
  const sum = (month: number) => curves.reduce((total, curve) => total + curve[month]!, 0);
  return Array.from({ length: MONTHS + 1 }, (_, month) => ({
    ...{ month, size: sum(0), retention: sum(month) / sum(0) },
    atRisk: month === 0 ? NaN : sum(month - 1),
    lost: month === 0 ? NaN : sum(month - 1) - sum(month),
  }));
}

const FORECAST = "Forecasts from months 0 to 8";

/** The limits of the bounds of each model where it is not the one that the data come from. */
function forecastLimits(model: RetentionModel, pauses: boolean) {
  return model === "sbg" && pauses ? ANY : { least: 0.92, most: 1 };
}

const forecasts = [true, false].flatMap((pauses) =>
  (["active", "sbg"] as const).flatMap((model) =>
    [5, 10].flatMap((count) =>
      TARGETS.map((target): Cell => ({
        table: FORECAST,
        row: `${pauses ? "users pause and return" : "users leave for good"}, month ${target}`,
        column: `${model}, ${count} projects`,
        ...forecastLimits(model, pauses),
        draw: (chance) => {
          const curves = Array.from({ length: count }, () => activity(chance, pauses));
          const without = curves.map((_, out) => (
            { size: USERS, steps: stepsOf(curves.filter((_, index) => index !== out)) }
          ));
          const rows = forecastOf({ steps: stepsOf(curves), bounds: "cluster", without }, {
            ...{ horizon: target, fitThrough: Infinity, model, confidence: 0.95 },
          });
          return holds(rows[target]!, truthOf(target, pauses));
        },
      }))
    )
  )
);

/** Every cell, table by table. */
export const CELLS: readonly Cell[] = [
  ...[...pooled, ...random, ...sizes, ...compared, adjusted],
  ...[...blocks, ...market, ...forecasts],
];

/** Titles, rows and columns on the page. Cells keep shorter names, because the names seed the simulations. */
const SHOWN: Readonly<Record<string, string>> = {
  "users as independent": '10 projects, `cluster: "none"`',
  [SIZES]: "Projects with high retention are larger (p 0.3)",
  [COMPARED]: "How often the p value is at least 0.05 for two sectors with equal retention",
  "1": "1 project",
  ...Object.fromEntries([2, 3, 5, 10].map((count) => [`${count}`, `${count} projects`])),
  [BLOCKS]: "Bounds and tests of single projects with monthly shocks",
  [adjusted.table]: "Eight sectors with equal retention, of 1, 1, 1, 1, 4, 4, 4 and 8 projects",
  [adjusted.row]: "no pair has `p_adjusted` below 0.05",
  [adjusted.column]: "% of simulations",
  "three blocks": "bounds from three blocks",
  "cohorts as independent": "bounds from single cohorts",
  "two equal projects: no difference found": "p value at least 0.05, two equal projects",
  ...Object.fromEntries(
    ["active", "sbg"].flatMap((model) =>
      [5, 10].map((count) => [`${model}, ${count} projects`, `\`${model}\`, ${count} projects`])
    ),
  ),
};

const shown = (name: string) => SHOWN[name] ?? name;

/** The tables of shares, in percent, in Markdown. */
export function tablesOf(shares: readonly Share[]): string {
  const tables = Map.groupBy(shares, ({ cell }) => cell.table);
  return [...tables].map(([title, cells]) => {
    const columns = [...new Set(cells.map(({ cell }) => cell.column))];
    const rows = [...Map.groupBy(cells, ({ cell }) => cell.row)].map(([row, values]) => {
      const texts = columns.map((column) => {
        const found = values.find(({ cell }) => cell.column === column);
        return found === undefined ? "" : (100 * found.share).toFixed(1);
      });
      return `| ${[shown(row), ...texts].join(" | ")} |`;
    });
    return [
      `${shown(title)}:`,
      "",
      `| | ${columns.map(shown).join(" | ")} |`,
      `|---|${columns.map(() => "---|").join("")}`,
      ...rows,
    ].join("\n");
  }).join("\n\n");
}

/** Puts the tables between the two marks of docs/analysis.md. */
export async function writeTables(shares: readonly Share[]): Promise<void> {
  const page = new URL("../../../docs/analysis.md", import.meta.url);
  const text = await Deno.readTextFile(page);
  const [begin, end] = ["<!-- coverage: begin -->", "<!-- coverage: end -->"];
  const [before, rest] = text.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`no ${begin} on the page`);
  await Deno.writeTextFile(page, `${before}${begin}\n\n${tablesOf(shares)}\n\n${end}${after}`);
}

if (import.meta.main) {
  const draws = Number(Deno.args.find((arg) => /^\d+$/.test(arg)) ?? 1000);
  const shares = CELLS.map((cell) => {
    const share = shareOf(cell, draws);
    const wrong = isWithin(share) ? "" : ` NOT within ${cell.least} to ${cell.most}`;
    console.error(`${cell.table}: ${cell.row}, ${cell.column}: ${share.share}${wrong}`);
    return share;
  });
  console.log(tablesOf(shares));
  if (Deno.args.includes("--docs")) await writeTables(shares);
}
