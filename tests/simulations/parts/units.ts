import { compareRetention } from "../../../lib/analysis/retention/compare_retention.ts";
import type { ClusterUsers } from "../../../lib/analysis/retention/cohort_counts.ts";
import { pooledRetention } from "../../../lib/analysis/retention/pooled_retention.ts";
import { logitTest, pairedTest, pairsOf } from "../../../lib/analysis/retention/significance.ts";
import { dateColumn } from "../../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import { type Chance, undated } from "../../analysis/simulated_cohorts.ts";
import { about, among, type Cell } from "../cells.ts";
import { estimateOf, expit, holds, logit, meanShare } from "../worlds.ts";

const COHORTS = 6;
const USERS = 300;

/** A world of own cohorts: the columns that name a cohort, and the logit of its retention. */
interface Row {
  readonly ids: Readonly<Record<string, string>>;
  readonly logit: (cohort: number) => number;
}

/** The cohorts of rows in month 3. */
function framed(rows: readonly Row[], chance: Chance): DataFrame {
  const all = rows.flatMap(({ ids, logit }) =>
    Array.from({ length: COHORTS }, (_, at) => {
      const retained = chance.binomial(USERS, expit(logit(at)));
      return { ids, at, retained };
    })
  );
  const names = Object.keys(rows[0]!.ids);
  const number = (name: string, values: number[]) => pl.Series(name, values, pl.Float64);
  return pl.DataFrame([
    ...names.map((name) => pl.Series(name, all.map(({ ids }) => ids[name]!))),
    pl.Series("cohort", all.map(({ at }) => `2025-0${at + 1}`)),
    dateColumn("cohort_date", all.map(({ at }) => new Date(Date.UTC(2025, at, 1)))),
    pl.Series("month", all.map(() => 3), pl.Int64),
    number("size", all.map(() => USERS)),
    number("retained", all.map(({ retained }) => retained)),
    number("retention", all.map(({ retained }) => retained / USERS)),
  ]);
}

type Options = Parameters<typeof compareRetention>[1];

/** Whether the first pair of a comparison by country is rejected. */
function rejected(frame: DataFrame, options: Options = {}): boolean | null {
  const [row] = compareRetention(frame, { by: "country", month: 3, washout: 0, ...options })
    .toRecords() as { p_value: number | null }[];
  return row!.p_value === null ? null : row!.p_value <= 0.05;
}

const COUNTRIES = ["DE", "FR"];

/** Funnels with an effect of their own in each country, and no effect of countries. */
function funnels(column: string, sd: number, chance: Chance): DataFrame {
  return framed(
    COUNTRIES.flatMap((country) =>
      Array.from({ length: 12 }, (_, at): Row => {
        const effect = -1.2 + sd * chance.normal();
        return { ids: { country, [column]: `${country}-${at}` }, logit: () => effect };
      })
    ),
    chance,
  );
}

const names = ["funnel", "project_id", "device"].flatMap((column) =>
  [0.1, 0.2, 0.4].map((sd): Cell => ({
    ...about("p of `compareRetention`", "units"),
    table: "Own cohorts by country without a difference of countries: % of p values of at most .05",
    row: `the unit is a column \`${column}\``,
    column: `sd of units ${sd}`,
    limits: [0.03, 0.07],
    draws: 500,
    draw: (chance) => rejected(funnels(column, sd, chance)),
  }))
);

/** Adds a text of its own to each row, as an export of a database has. */
function keyed(frame: DataFrame, name: string): DataFrame {
  const keys = Array.from({ length: frame.height }, (_, row) => `k${row}`);
  return pl.concat([pl.DataFrame([pl.Series(name, keys)]), frame], { how: "horizontal" });
}

const keys = ["id", "cohort_key"].flatMap((key) =>
  [0.1, 0.2, 0.4].map((sd): Cell => ({
    ...about("p of `compareRetention`", "units"),
    table: "Own cohorts by country without a difference of countries: % of p values of at most .05",
    row: `a key of each row, \`${key}\`, beside the unit \`funnel\``,
    column: `sd of units ${sd}`,
    limits: [0.03, 0.07],
    draws: 500,
    draw: (chance) => rejected(keyed(funnels("funnel", sd, chance), key)),
  }))
);

const covered = [null, "id", "cohort_key"].map((key): Cell => ({
  ...about("bounds of `pooledRetention`", "units"),
  table: "Own cohorts by country, sd of units 0.2: % of bounds that contain the mean",
  row: key === null ? "no key of rows" : `a key of each row, \`${key}\``,
  column: "the unit is a column `funnel`",
  limits: [0.93, 0.98],
  draws: 500,
  draw: (chance) => {
    const frame = funnels("funnel", 0.2, chance);
    const [row] = pooledRetention(key === null ? frame : keyed(frame, key), {
      by: "country",
      washout: 0,
    }).toRecords() as { lower: number; upper: number }[];
    return holds(row!, meanShare(-1.2, 0.2));
  },
}));

/** Funnels on three devices, which have no effect of their own. */
function devices(chance: Chance): DataFrame {
  return framed(
    COUNTRIES.flatMap((country) =>
      Array.from({ length: 6 }, (_, at) => {
        const effect = -1.2 + 0.2 * chance.normal();
        return ["phone", "desk", "tablet"].map((device): Row => (
          { ids: { country, funnel: `${country}-${at}`, device }, logit: () => effect }
        ));
      }).flat()
    ),
    chance,
  );
}

/** Shocks of months that all funnels of a country share. */
function shocks(chance: Chance): DataFrame {
  return framed(
    COUNTRIES.flatMap((country) => {
      const months = Array.from({ length: COHORTS }, () => -1.2 + 0.2 * chance.normal());
      return Array.from({ length: 12 }, (_, at): Row => (
        { ids: { country, funnel: `f${at}` }, logit: (cohort) => months[cohort]! }
      ));
    }),
    chance,
  );
}

const wrong: Cell[] = ([
  [
    "funnels on three devices (sd .2)",
    devices,
    { 'cluster: "funnel"': { cluster: "funnel" }, 'cluster: "none"': { cluster: "none" } },
  ],
  [
    "shocks of months in a country (sd .2)",
    shocks,
    { "the default": {} },
  ],
] as const).flatMap(([row, world, options]) =>
  Object.entries(options).map(([column, given]): Cell => ({
    ...among(row.startsWith("shocks") ? "months" : "units"),
    table: "Own cohorts whose units are not independent: % of p values of at most .05",
    row: `${row}, ${column}`,
    column: "without a difference",
    draws: 500,
    draw: (chance) => rejected(world(chance), given),
  }))
);

/** Units of two groups, some of them in both, with an effect of each unit and of each unit in a group. */
function shared(
  [own, both]: readonly [number, number],
  { cell, effect, uneven }: {
    readonly cell: number;
    readonly effect: number;
    readonly uneven: boolean;
  },
  chance: Chance,
): [ClusterUsers[], ClusterUsers[]] {
  const levels = Array.from({ length: 2 * own + both }, () => -1.2 + 0.3 * chance.normal());
  const side = (from: number, to: number, difference: number) =>
    levels.slice(from, to).map((level, at): ClusterUsers => {
      const size = Math.max(20, Math.round(uneven ? 2000 * Math.exp(chance.normal()) : 2000));
      const p = expit(level + difference + cell * chance.normal());
      return { unit: from + at, size, retained: chance.binomial(size, p) };
    });
  return [side(0, own + both, effect), side(own, levels.length, 0)];
}

const UNITS = [[0, 8], [19, 2], [10, 10]] as const;

const inBoth = UNITS.flatMap(([own, both]) =>
  [false, true].flatMap((uneven) =>
    [0, 0.25].flatMap((effect) =>
      ([["all units count", false], ["`paired: true`", true]] as const).map(
        ([how, paired]): Cell => ({
          ...about("p of `compareRetention`", "units", "sizes"),
          table: effect === 0
            ? "Units in both groups, without a difference: % of p values of at most .05"
            : "Units in both groups, a difference of .25 logits: % of p values of at most .05",
          row: `${own} + ${own} units in one group, ${both} in both, ${
            uneven ? "log-normal" : "equal"
          } sizes`,
          column: how,
          ...effect === 0 ? { limits: [0, 0.07] as const } : {},
          draw: (chance) => {
            const [a, b] = shared([own, both], { cell: 0.05, effect, uneven }, chance);
            const level = { confidence: 0.95, estimate: "weighted" } as const;
            const [one, other] = [undated(a), undated(b)];
            const test = paired
              ? pairedTest(pairsOf(a, b), [one, other], 0.95)
              : logitTest(one, other, level);
            return test.p_value <= 0.05;
          },
        }),
      )
    )
  )
);

const few = [0.02, 0.05, 0.2].flatMap((p) =>
  [[20, 40], [20, 10], [200, 40], [5, 40]].map(([users, count]): Cell => ({
    ...about("bounds of `pooledRetention`", "units", "sizes"),
    table: "Pooled retention, `unweighted`, few users (tau 0.5): % of bounds that contain the mean",
    row: `p ${p}`,
    column: `${count} projects of ${users} users`,
    limits: [0.93, 0.98],
    draw: (chance) => {
      const drawn = Array.from({ length: count! }, (_, unit): ClusterUsers => {
        const size = Math.max(3, Math.round(chance.logNormal(users!, 0.53)));
        const own = expit(logit(p) + 0.5 * chance.normal());
        return { unit, size, retained: chance.binomial(size, own) };
      });
      return holds(
        estimateOf(drawn, "project_id", "unweighted"),
        meanShare(logit(p), 0.5),
      );
    },
  }))
);

/** Projects that keep their retention while their numbers of users change. */
function before(
  [count, p, old, young]: readonly [number, number, number, number],
  odds: number,
  chance: Chance,
): number {
  const size = (users: number) => Math.max(3, Math.round(chance.logNormal(users, 0.53)));
  const pairs = Array.from({ length: count }, (_, unit) => {
    const own = logit(p) + 0.5 * chance.normal();
    return [[old, 0], [young, Math.log(odds)]].map(([users, more]): ClusterUsers => {
      const all = size(users!);
      return { unit, size: all, retained: chance.binomial(all, expit(own + more!)) };
    }) as [ClusterUsers, ClusterUsers];
  });
  const sides = [undated(pairs.map(([a]) => a)), undated(pairs.map(([, b]) => b))] as const;
  return pairedTest(pairs, sides, 0.95).p_value;
}

const PAIRS = [
  [40, 0.02, 200, 20],
  [20, 0.02, 300, 30],
  [20, 0.02, 30, 300],
  [100, 0.05, 200, 20],
  [20, 0.05, 300, 30],
  [10, 0.05, 100, 100],
] as const;

const paired = [1, 1.5].flatMap((odds) =>
  (odds === 1 ? PAIRS : [[20, 0.05, 100, 100], [20, 0.05, 300, 300], [40, 0.05, 100, 100]] as const)
    .map((world): Cell => ({
      ...about("p of `compareRetention`, paired", "units", "sizes"),
      table: odds === 1
        ? "Paired comparisons of constant retention: % of p values of at most .05"
        : "Paired comparisons of odds that rise by half: % of p values of at most .05",
      row: `${world[0]} projects, retention ${world[1]}, ${world[2]} users before, ${
        world[3]
      } after`,
      column: "`paired`",
      ...odds === 1 ? { limits: [0.03, 0.07] as const } : {},
      draws: 2000,
      draw: (chance) => {
        const p = before(world, odds, chance);
        return Number.isNaN(p) ? null : p <= 0.05;
      },
    }))
);

export const cells: readonly Cell[] = [
  ...names,
  ...keys,
  ...covered,
  ...wrong,
  ...inBoth,
  ...few,
  ...paired,
];
