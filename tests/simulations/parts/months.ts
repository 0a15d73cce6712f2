import type {
  MonthUsers,
  RetentionEstimator,
  UserCell,
} from "../../../lib/analysis/retention/cohort_counts.ts";
import { detectable } from "../../../lib/analysis/retention/detectable.ts";
import { retentionCurves } from "../../../lib/analysis/retention/retention_curves.ts";
import { retentionEstimate } from "../../../lib/analysis/retention/retention_estimate.ts";
import { benjaminiHochberg, retentionTest } from "../../../lib/analysis/retention/significance.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import { type Chance, chanceOf } from "../../analysis/simulated_cohorts.ts";
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
  /** The standard deviation of the logarithms of the numbers of users of units. */
  readonly sizes?: number;
  /** Whether every second unit is born late: at a random date in the first 70%. */
  readonly births?: boolean;
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
  { dates, p = 0.2, users = 60, sizes = 0, births = false, difference = 0 }: Group,
  { levels, shocks, name, chance }: {
    readonly levels: readonly number[];
    readonly shocks: readonly number[];
    readonly name: string;
    readonly chance: Chance;
  },
): MonthUsers {
  const cells = levels.flatMap((level, unit) => {
    const blocks = [0, 1, 2].map((block) => ({ unit, block, size: 0, retained: 0 }));
    const count = sizes > 0 ? Math.ceil(users * Math.exp(sizes * chance.normal())) : users;
    const born = births && unit % 2 === 1 ? Math.floor(0.7 * dates * chance.uniform()) : 0;
    shocks.forEach((shock, at) => {
      if (at < born) return;
      const own = blocks[Math.floor(3 * at / dates)]!;
      own.size += count;
      own.retained += chance.binomial(count, expit(logit(p) + difference + level + shock));
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
function changed(group: Group, chance: Chance) {
  const { units, dates, tau = 0.4, sd = 0, difference = 0 } = group;
  const levels = Array.from({ length: units }, () => tau * chance.normal());
  const all = shocksOf(2 * dates, sd, chance);
  const [before, after] = [0, 1].map((side) =>
    retentionEstimate(
      usersOf({ ...group, difference: side * difference, births: side === 0 && group.births! }, {
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
    { units: 12, dates: 24, tau: 0.3, p: 0.02, users: 20 },
    false,
    0.06,
  ],
  [
    "6 + 6, months of each country, log-normal sizes (sd 1)",
    { units: 6, dates: 24, tau: 0.4, sd: 0.3, sizes: 1 },
    false,
    0.09,
  ],
  [
    "12 + 12, months of each country, every second unit born late",
    { units: 12, dates: 24, tau: 0.3, sd: 0.3, births: true },
    false,
    0.13,
  ],
];

/** What varies in a group. */
const within = ({ sd = 0, sizes = 0, births = false }: Group) => [
  "units" as const,
  ...sd > 0 ? ["months" as const] : [],
  ...sizes > 0 ? ["sizes" as const] : [],
  ...births ? ["births" as const] : [],
];

const two = ROWS.flatMap(([row, group, shared, most]) =>
  [0, 0.5].flatMap((difference): Cell[] => {
    const cell = {
      ...about("p of `compareRetention`", ...within(group)),
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

const short = [6, 12].flatMap((units) =>
  [6, 12].map((dates): Cell => ({
    ...about("p of `compareRetention`", "units", "months"),
    table: TWO,
    row: `${units} + ${units}, months of each country, ${dates} dates`,
    column: "equal groups",
    draw: (chance) => {
      const group = { units, dates, tau: units === 6 ? 0.4 : 0.3, sd: 0.3 };
      return compared(group, group, { chance });
    },
  }))
);

/** Units that are in both groups, which live through the same months or months of their own. */
const inBoth = [true, false].map((shared): Cell => ({
  ...about("p of `compareRetention`", "units", "months"),
  table: "Units in both groups, `paired: false`, 24 dates: % of p values of at most .05",
  row: `12 units (sd .3), months of sd .3 ${shared ? "of both groups" : "of each group"}`,
  column: "equal groups",
  limits: [0, shared ? 0.07 : 0.13],
  draw: (chance) => {
    const group: Group = { units: 12, dates: 24, sd: 0.3 };
    const levels = Array.from({ length: 12 }, () => 0.3 * chance.normal());
    const common = shocksOf(24, 0.3, chance);
    const [one, other] = [0, 1].map(() =>
      retentionEstimate(
        usersOf(group, {
          levels,
          shocks: shared ? common : shocksOf(24, 0.3, chance),
          name: "same",
          chance,
        }),
        { confidence: 0.95 },
      )
    );
    return retentionTest(one!, other!, { confidence: 0.95, paired: false }).p_value <= 0.05;
  },
}));

/** Sectors of few units, which live through the same months or months of their own. */
const eight = [true, false].map((shared): Cell => ({
  ...about("p of `compareRetention`", "units", "months"),
  table: "Eight sectors of 2, 2, 2, 2, 4, 4, 4 and 8 units (sd .5), 24 dates: % of draws",
  row: `months of sd .2 ${shared ? "of all sectors" : "of each sector"}`,
  column: "some pair has `p_adjusted` of at most .05",
  limits: [0, 0.08],
  draw: (chance) => {
    const common = shocksOf(24, 0.2, chance);
    const sectors = [2, 2, 2, 2, 4, 4, 4, 8].map((units, sector) => {
      const users = usersOf({ units, dates: 24, p: 0.3 }, {
        levels: Array.from({ length: units }, () => 0.5 * chance.normal()),
        shocks: shared ? common : shocksOf(24, 0.2, chance),
        name: "same",
        chance,
      });
      const cells = users.cells.map((cell) => ({ ...cell, unit: 1000 * sector + cell.unit! }));
      return retentionEstimate({ ...users, cells }, { confidence: 0.95 });
    });
    const values = sectors.flatMap((one, index) =>
      sectors.slice(index + 1).map((other) =>
        retentionTest(one, other, { confidence: 0.95, paired: false }).p_value
      )
    );
    return benjaminiHochberg(values).some((value) => value <= 0.05);
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

const CHANGED: readonly (readonly [row: string, group: Group, most: number])[] = [
  ["no months", { units: 12, dates: 12 }, 0.07],
  ["months of sd .2", { units: 12, dates: 12, sd: 0.2 }, 0.17],
  ["months of sd .2", { units: 12, dates: 24, sd: 0.2 }, 0.12],
  [
    "months of sd .2, log-normal sizes (sd 1)",
    { units: 12, dates: 24, sd: 0.2, sizes: 1 },
    0.12,
  ],
  [
    "months of sd .2, every second unit born late",
    { units: 12, dates: 24, sd: 0.2, births: true },
    0.12,
  ],
];

const paired = CHANGED.flatMap(([row, group, most]) =>
  [0, 0.25].map((difference): Cell => ({
    ...about("p of `compareRetention`, paired", ...within(group)),
    table:
      "Units before and after a date, with months that move all units: % of p values of at most .05",
    row: `12 units, ${group.dates} + ${group.dates} dates, ${row}`,
    column: difference === 0 ? "no change" : "a change of .25 logits",
    ...difference === 0 ? { limits: [0, most] as const } : {},
    draw: (chance) => changed({ ...group, difference }, chance),
  }))
);

const POOLED: readonly (readonly [row: string, more: Partial<Group>])[] = [
  ["no months", {}],
  ["months of sd .3", { sd: 0.3 }],
  ["months of sd .3, log-normal sizes (sd 1)", { sd: 0.3, sizes: 1 }],
  ["months of sd .3, every second unit born late", { sd: 0.3, births: true }],
];

const bounds = POOLED.flatMap(([row, more]) =>
  [10, 20].map((units): Cell => ({
    ...about("bounds of `pooledRetention`", ...within({ units, dates: 24, ...more })),
    table: "Pooled retention of units (sd .5), 24 dates: % of bounds that contain the retention",
    row,
    column: `${units} units`,
    limits: [more.sd ? 0.89 : 0.93, 0.99],
    draw: (chance) => {
      const group = { units, dates: 24, p: 0.3, ...more };
      const users = usersOf(group, {
        levels: Array.from({ length: units }, () => 0.5 * chance.normal()),
        shocks: shocksOf(24, more.sd ?? 0, chance),
        name: "one",
        chance,
      });
      const found = retentionEstimate(users, { confidence: 0.95 });
      return holds(found, meanShare(logit(0.3), Math.hypot(0.5, more.sd ?? 0)));
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

const EIGHT: Group = { units: 8, dates: 12, tau: 0.3, sd: 0.2 };

/** The row of `detectable` for a frame of two countries of units, whose months move all of them. */
function detectedIn({ units, dates, tau, sd }: Group, chance: Chance) {
  const rows = ["a", "b"].flatMap((country) => {
    const shocks = shocksOf(dates, sd!, chance);
    return Array.from({ length: units }, (_, unit) => {
      const level = logit(0.2) + tau! * chance.normal();
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
    detectable_low: number | null;
    detectable: number | null;
    detectable_high: number | null;
  }[];
  return row!;
}

/** The power of the comparison if the logits differ by `difference`. */
function powerAt(difference: number, draws: number, chance: Chance): number {
  let found = 0;
  for (let draw = 0; draw < draws; draw++) {
    found += Number(
      compared(
        { ...EIGHT, difference: difference / 2 },
        { ...EIGHT, difference: -difference / 2 },
        {
          chance,
        },
      ),
    );
  }
  return found / draws;
}

let smallest: number | undefined;

/** The smallest difference of retention that the comparison finds in 80% of draws, around 20%. */
function smallestDifference(): number {
  let [low, high] = [0, 2];
  for (let step = 0; step < 10; step++) {
    const half = (low + high) / 2;
    if (powerAt(half, 500, chanceOf(11)) >= 0.8) high = half;
    else low = half;
  }
  return expit(logit(0.2) + high / 2) - expit(logit(0.2) - high / 2);
}

const inDetectable = {
  ...about("`detectable`", "units", "months"),
  table:
    "`detectable` of two countries of 8 units whose months move all units (sd .2), 12 dates: % of draws",
  ...{ column: "8 + 8 units", draws: 300 },
};

const detected: readonly Cell[] = [
  {
    ...inDetectable,
    row: "the real power at `detectable` is below 50%",
    draw: (chance) => {
      const { detectable } = detectedIn(EIGHT, chance);
      return detectable === null ? null : powerAt(detectable / (0.2 * 0.8), 100, chance) < 0.5;
    },
  },
  {
    ...inDetectable,
    row: "`detectable_low` to `detectable_high` contain the real smallest difference",
    limits: [0.7, 1],
    draw: (chance) => {
      smallest ??= smallestDifference();
      const { detectable_low: low, detectable_high: high } = detectedIn(EIGHT, chance);
      return low !== null && low <= smallest && smallest <= (high ?? Infinity);
    },
  },
];

export const cells: readonly Cell[] = [
  ...[...two, unweighted, ...short, ...inBoth, ...eight, ...spread],
  ...[...paired, ...bounds, projects, ...detected],
].map((cell): Cell => ({ draws: 500, ...cell }));
