import type {
  MonthUsers,
  RetentionEstimator,
  UserCell,
} from "../../../lib/analysis/retention/cohort_counts.ts";
import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { retentionEstimate } from "../../../lib/analysis/retention/retention_estimate.ts";
import { retentionTest } from "../../../lib/analysis/retention/significance.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, type Cell } from "../cells.ts";
import { expit, holds, logit, meanShare } from "../worlds.ts";

/** A group of units whose cohorts begin in successive months. */
interface Group {
  readonly units: number;
  readonly dates: number;
  /** The standard deviation of the logits of units. */
  readonly tau?: number;
  /** The standard deviation of the shocks of months, of autocorrelation .7. */
  readonly sd?: number;
  readonly p?: number;
  readonly users?: number;
  /** The difference of the logits of the group. */
  readonly difference?: number;
}

/** Shocks of successive months, of autocorrelation .7. */
function shocksOf(count: number, sd: number, { normal }: Chance): number[] {
  let shock = normal();
  return Array.from({ length: count }, () => {
    shock = 0.7 * shock + Math.sqrt(1 - 0.49) * normal();
    return sd * shock;
  });
}

/** The users of a group in month 1. `levels` has the logits of the units, `shocks` those of the months. */
function usersOf(
  { dates, p = 0.2, users = 60, difference = 0 }: Group,
  { levels, shocks, name, chance }: {
    readonly levels: readonly number[];
    readonly shocks: readonly number[];
    readonly name: string;
    readonly chance: Chance;
  },
): MonthUsers {
  const cells = levels.flatMap((level, unit) => {
    const blocks = [0, 1, 2].map((block) => ({ unit, block, size: 0, retained: 0 }));
    shocks.forEach((shock, at) => {
      const own = blocks[Math.floor(3 * at / dates)]!;
      own.size += users;
      own.retained += chance.binomial(users, expit(logit(p) + difference + level + shock));
    });
    return blocks;
  }).filter(({ size }): boolean => size > 0);
  return { month: 1, cluster: "unit", cells: cells as UserCell[], dates: name };
}

/** The p value of two groups with units of their own. */
function compared(
  a: Group,
  b: Group,
  { shared = false, estimate = "weighted", chance }: {
    /** Whether both groups have the same shocks. */
    readonly shared?: boolean;
    readonly estimate?: RetentionEstimator;
    readonly chance: Chance;
  },
): boolean | null {
  const common = shocksOf(a.dates, a.sd ?? 0, chance);
  const [one, other] = [a, b].map((group, side) => {
    const levels = Array.from(
      { length: group.units },
      () => (group.tau ?? 0) * chance.normal(),
    );
    const shocks = shared ? common : shocksOf(group.dates, group.sd ?? 0, chance);
    const users = usersOf(group, { levels, shocks, name: "same", chance });
    const cells = users.cells.map((cell) => ({ ...cell, unit: 1000 * side + cell.unit! }));
    return retentionEstimate({ ...users, cells }, { confidence: 0.95, estimate });
  });
  const { p_value } = retentionTest(one!, other!, { confidence: 0.95, estimate, paired: false });
  return Number.isNaN(p_value) ? null : p_value <= 0.05;
}

/** The p value of units before and after a date, compared with themselves. Units change by `sd` .1 of their own. */
function changed({ units, dates, tau = 0.4, sd = 0, difference = 0 }: Group, chance: Chance) {
  const levels = Array.from({ length: units }, () => tau * chance.normal());
  const all = shocksOf(2 * dates, sd, chance);
  const [before, after] = [0, 1].map((side) =>
    retentionEstimate(
      usersOf({ units, dates, difference: side * difference }, {
        levels: levels.map((level) => level + 0.1 * chance.normal()),
        shocks: all.slice(side * dates, (side + 1) * dates),
        name: `${side}`,
        chance,
      }),
      { confidence: 0.95 },
    )
  );
  const { p_value } = retentionTest(after!, before!, { confidence: 0.95, paired: true });
  return Number.isNaN(p_value) ? null : p_value <= 0.05;
}

const TWO = "Two groups with months that move all units (24 dates): % of p values of at most .05";

type Row = readonly [row: string, group: Group, shared: boolean, most: number];
const ROWS: readonly Row[] = [
  ["6 + 6 funnels, sd .4", { units: 6, dates: 24, tau: 0.4 }, false, 0.06],
  ["and months of each country, sd .3", { units: 6, dates: 24, tau: 0.4, sd: 0.3 }, false, 0.09],
  ["12 + 12, sd .3, the same months", { units: 12, dates: 24, tau: 0.3, sd: 0.3 }, true, 0.07],
  ["12 + 12, months of each country", { units: 12, dates: 24, tau: 0.3, sd: 0.3 }, false, 0.13],
  [
    "12 + 12, p .02, 20 users, no months",
    { units: 12, dates: 24, p: 0.02, users: 20 },
    false,
    0.06,
  ],
];

const two = ROWS.flatMap(([row, group, shared, most]) =>
  [0, 0.5].flatMap((difference): Cell[] => {
    const cell = {
      ...about("p of `compareRetention`", "units", ...group.sd ? ["months" as const] : []),
      table: TWO,
      row,
      column: difference === 0 ? "equal groups" : "a difference of .5 logits",
      draw: (chance: Chance) => compared({ ...group, difference }, group, { shared, chance }),
    };
    return [difference === 0 ? { ...cell, limits: [0, most] } : cell];
  })
);

const unweighted: Cell = {
  ...about("p of `compareRetention`", "units", "months"),
  table: TWO,
  row: "6 + 6, months of each country, `unweighted`",
  column: "equal groups",
  draw: (chance) => {
    const group = { units: 6, dates: 24, tau: 0.4, sd: 0.3 };
    return compared(group, group, { estimate: "unweighted", chance });
  },
};

const short = [6, 12].map((dates): Cell => ({
  ...about("p of `compareRetention`", "units", "months"),
  table: TWO,
  row: `6 + 6, months of each country, ${dates} dates`,
  column: "equal groups",
  draw: (chance) => {
    const group = { units: 6, dates, tau: 0.4, sd: 0.3 };
    return compared(group, group, { chance });
  },
}));

const spread = [2, 3].map((few): Cell => ({
  ...about("p of `compareRetention`", "units", "volatility"),
  table:
    "Groups whose units differ more in one of them (sd .8 against .2): % of p values of at most .05",
  row: `${few} against 10 units`,
  column: "equal groups",
  draw: (chance) =>
    compared(
      { units: few, dates: 24, tau: 0.8, p: 0.3 },
      { units: 10, dates: 24, tau: 0.2, p: 0.3 },
      { chance },
    ),
}));

const paired = [
  { units: 12, dates: 12, sd: 0 },
  { units: 12, dates: 12, sd: 0.2 },
  { units: 12, dates: 24, sd: 0.2 },
].flatMap((group) =>
  [0, 0.25].map((difference): Cell => ({
    ...about(
      "p of `compareRetention`, paired",
      "units",
      ...group.sd > 0 ? ["months" as const] : [],
    ),
    table:
      "Units before and after a date, with months that move all units: % of p values of at most .05",
    row: `12 units, ${group.dates} + ${group.dates} dates, months of sd ${group.sd}`,
    column: difference === 0 ? "no change" : "a change of .25 logits",
    ...difference === 0 ? { limits: [0, group.sd === 0 ? 0.07 : 0.17] as const } : {},
    draw: (chance) => changed({ ...group, difference }, chance),
  }))
);

const bounds = [10, 20].flatMap((units) =>
  [0, 0.3].map((sd): Cell => ({
    ...about("bounds of `pooledRetention`", "units", ...sd > 0 ? ["months" as const] : []),
    table: "Pooled retention of units (sd .5), 24 dates: % of bounds that contain the retention",
    row: `months of sd ${sd}`,
    column: `${units} units`,
    limits: [sd > 0 ? 0.89 : 0.93, 0.99],
    draw: (chance) => {
      const group = { units, dates: 24, p: 0.3 };
      const users = usersOf(group, {
        levels: Array.from({ length: units }, () => 0.5 * chance.normal()),
        shocks: shocksOf(24, sd, chance),
        name: "one",
        chance,
      });
      const found = retentionEstimate(users, { confidence: 0.95 });
      return holds(found, meanShare(logit(0.3), Math.hypot(0.5, sd)));
    },
  }))
);

/** Two projects of 27 cohorts each, in blocks, whose months move them by different amounts. */
const projects: Cell = {
  ...about("p of `compareRetention`, blocks of cohorts", "months", "volatility"),
  table: "Two projects in blocks of cohorts, equal retention: % of p values of at most .05",
  row: "months of sd .1 against .6, 27 cohorts",
  column: "equal projects",
  draw: (chance) => {
    const [a, b] = [0.1, 0.6].map((sd) => {
      const group = { units: 1, dates: 27, p: 0.3, users: 1000 };
      const shift = logit(0.3) - logit(meanShare(logit(0.3), sd));
      const shocks = Array.from({ length: 27 }, () => sd * chance.normal() + shift);
      const { cells } = usersOf(group, { levels: [0], shocks, name: "", chance });
      return retentionEstimate({
        month: 1,
        cluster: "cohort_block",
        cells: cells.map(({ unit: _, ...cell }) => cell),
        dates: "same",
      }, { confidence: 0.95 });
    });
    const { p_value } = retentionTest(a!, b!, { confidence: 0.95, paired: false });
    return p_value <= 0.05;
  },
};

/** The power of the comparison at the difference that `detectable` states for a frame of two countries. */
const detected: Cell = {
  ...about("`detectable`", "units", "months"),
  table:
    "`detectable` of two countries of 8 units whose months move all units (sd .2), 12 dates: % of draws",
  row: "the real power at `detectable` is below 50%",
  ...{ column: "8 + 8 units", draws: 100 },
  draw: (chance) => {
    const group: Group = { units: 8, dates: 12, tau: 0.3, sd: 0.2 };
    const rows = ["a", "b"].flatMap((country) => {
      const shocks = shocksOf(12, 0.2, chance);
      return Array.from({ length: 8 }, (_, unit) => {
        const level = logit(0.2) + 0.3 * chance.normal();
        return shocks.map((shock, at) => ({
          country,
          unit: `${country} ${unit}`,
          cohort: `2024-${String(at + 1).padStart(2, "0")}`,
          month: 1,
          size: 60,
          retained: chance.binomial(60, expit(level + shock)),
        }));
      }).flat();
    });
    const curves = retentionCurves(pl.DataFrame(rows), { since: null });
    const [row] = detectable(curves, { by: "country" }).toRecords() as unknown as {
      detectable: number | null;
    }[];
    if (row!.detectable === null) return null;
    const difference = row!.detectable / (0.2 * 0.8);
    let found = 0;
    for (let draw = 0; draw < 100; draw++) {
      found += Number(compared({ ...group, difference }, group, { chance }));
    }
    return found < 50;
  },
};

export const cells: readonly Cell[] = [
  ...two,
  unweighted,
  ...short,
  ...spread,
  ...paired,
  ...bounds,
  projects,
  detected,
];
