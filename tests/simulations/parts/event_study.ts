import { studentTails } from "../../../lib/analysis/distributions.ts";
import type { EventDesign } from "../../../lib/analysis/programs/event_design.ts";
import { estimated } from "../../../lib/analysis/programs/event_errors.ts";
import { layoutOf } from "../../../lib/analysis/programs/event_layout.ts";
import { sharedBy } from "../../../lib/analysis/programs/event_strata.ts";
import { testEffects } from "../../../lib/analysis/programs/event_tests.ts";
import { utf8 } from "../../../lib/table/columns/cell_values.ts";
import { pl } from "../../../lib/table/columns/polars.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import { about, among, type Cell } from "../cells.ts";
import { expit, logit } from "../worlds.ts";

const PERIODS = 24;
const ENTITIES = 60;

/** How values are made. */
interface World {
  /** For each wave, its number of entities and its first period. */
  readonly waves: readonly (readonly [count: number, start: number])[];
  readonly entities?: number;
  /** The standard deviation of participants, in units of that of controls. */
  readonly ratio?: number;
  readonly errors?: "normal" | "skewed" | "log-normal" | "walk";
  readonly autocorrelation?: number;
  /** The trend of participants of their own, per period. */
  readonly drift?: number;
  /** The effect of the program on an entity: its mean and standard deviation. */
  readonly effect?: readonly [mean: number, deviation: number];
  /** The groups of entities, and the standard deviation of the shocks that a group shares. */
  readonly groups?: readonly number[];
  readonly shock?: number;
}

const labelsOf = ({ waves, entities = ENTITIES }: World) => {
  const labels = waves.flatMap(([count], wave) => Array<number>(count).fill(wave));
  return Int32Array.from({ length: entities }, (_, unit) => labels[unit] ?? waves.length);
};

/** A stationary series of variance 1, or a walk of steps of .3. */
function series(chance: Chance, { errors = "normal", autocorrelation = 0.7 }: World): Float64Array {
  const z = () =>
    errors === "skewed"
      ? (Math.exp(1.2 * chance.normal()) - Math.exp(0.72)) / 3.5
      : chance.normal();
  const rest = Math.sqrt(1 - autocorrelation ** 2);
  let x = chance.normal();
  const size = errors === "log-normal" ? Math.exp(chance.normal()) : 1;
  return Float64Array.from({ length: PERIODS }, () => {
    x = errors === "walk" ? x + 0.3 * z() : autocorrelation * x + rest * z();
    return size * x;
  });
}

function designOf(world: World, values: Float64Array, given: Partial<EventDesign> = {}) {
  const { waves } = world;
  const labels = given.labels ?? labelsOf(world);
  const base = given.base ?? -1;
  return {
    ...{ labels, values, base, notYet: false, aggregate: "group", total: false },
    strata: new Int32Array(labels.length),
    waves: waves.map(([, start]) => ({
      start,
      base: base === "before" ? Array.from({ length: start }, (_, at) => at) : [start + base],
      times: Array.from({ length: PERIODS }, (_, period) => period - start),
    })),
    ...given,
  } as EventDesign;
}

function valuesOf(world: World, labels: Int32Array, chance: Chance): Float64Array {
  const { waves, ratio = 1, drift = 0, effect: [mean, deviation] = [0, 0], groups = [] } = world;
  const values = new Float64Array(labels.length * PERIODS);
  const shocks = groups.map(() => series(chance, { waves: [], autocorrelation: 0.9 }));
  const groupOf = groups.flatMap((count, group) => Array<number>(count).fill(group));
  labels.forEach((label, unit) => {
    const treated = label < waves.length;
    const own = series(chance, world);
    const gain = mean + deviation * chance.normal();
    const shared = shocks[groupOf[unit]!];
    own.forEach((x, period) => {
      const after = treated && period >= waves[label]![1];
      values[unit * PERIODS + period] = (treated ? ratio * x + drift * period : x) +
        (world.shock ?? 0) * (shared?.[period] ?? 0) + (after ? gain : 0);
    });
  });
  return values;
}

/** The estimate of an effect, with its error and degrees of freedom. */
function effectOf(design: EventDesign, clusters?: Int32Array, wanted = "overall") {
  return estimated(layoutOf(design), clusters).estimates.find(({ row }) => row === wanted)!;
}

/** The p value of `overall`, or of another row, for an effect; NaN without bounds. */
function overallOf(design: EventDesign, truth = 0, clusters?: Int32Array, row = "overall") {
  const { effect, error, degrees } = effectOf(design, clusters, row);
  return studentTails((effect - truth) / error, degrees);
}

/** The p value of one of the tests before the start. */
function beforeOf(design: EventDesign, name: "pre_p" | "pre_slope_p"): number {
  return name === "pre_p"
    ? testEffects(layoutOf(design), { confidence: 0.95 }).slopes.pre_p
    : overallOf(design, 0, undefined, "slope");
}

const rejects = (p: number) => Number.isNaN(p) ? null : p <= 0.05;

const WAVES: Readonly<Record<string, World["waves"]>> = {
  "2 treated": [[2, 14]],
  "3 treated": [[3, 14]],
  "2 + 2 treated": [[2, 12], [2, 16]],
  "4 treated": [[4, 14]],
  "4 + 4 treated": [[4, 12], [4, 16]],
  "8 treated": [[8, 14]],
  "10 + 2 treated": [[10, 12], [2, 16]],
  "4 waves of 1": [[1, 10], [1, 12], [1, 14], [1, 16]],
  "20 treated": [[20, 14]],
};
const RATIOS = { "ratio 1/3": 1 / 3, "ratio 1": 1, "ratio 3": 3 };
const FEW = new Set(["2 treated", "3 treated", "2 + 2 treated"]);

const sizes = Object.entries(WAVES).flatMap(([row, waves]) =>
  Object.entries(RATIOS).map(([column, ratio]): Cell => ({
    ...about("p and bounds of `eventStudy`", "units", "volatility"),
    table: "`eventStudy` of 60 entities without an effect: % of p values of at most .05, by the " +
      "ratio of the standard deviation of participants to that of controls",
    ...{ row, column, limits: FEW.has(row) ? [0, 0.05] : [0.02, 0.07] },
    draw: (chance) => {
      const world = { waves, ratio };
      return rejects(overallOf(designOf(world, valuesOf(world, labelsOf(world), chance))));
    },
  }))
);

const errors = (["skewed", "log-normal", "walk"] as const).flatMap((kind) =>
  ["4 + 4 treated", "8 treated", "20 treated"].map((column): Cell => ({
    ...about("p and bounds of `eventStudy`", "months"),
    table: "`eventStudy` without an effect, other errors: % of p values of at most .05",
    ...{ row: kind, column, limits: [0.02, 0.07] },
    draw: (chance) => {
      const world = { waves: WAVES[column]!, errors: kind };
      return rejects(overallOf(designOf(world, valuesOf(world, labelsOf(world), chance))));
    },
  }))
);

const controls = [2, 3, 5].flatMap((count) =>
  ["2 treated", "4 treated", "8 treated"].flatMap((column) =>
    Object.entries(RATIOS).map(([name, ratio]): Cell => {
      const waves = WAVES[column]!;
      return {
        ...about("p and bounds of `eventStudy`", "units", "volatility"),
        table: "`eventStudy` with few controls, without an effect: % of p values of at most .05",
        ...{ row: `${count} controls, ${name}`, column, draws: 500, limits: [0, 0.07] },
        draw: (chance) => {
          const world = { waves, ratio, entities: count + waves[0]![0] };
          return rejects(overallOf(designOf(world, valuesOf(world, labelsOf(world), chance))));
        },
      };
    })
  )
);

const drawn = [
  "4 + 4 treated",
  "8 treated",
  "20 treated",
  "8 + 2 treated",
  "8 treated, base before",
]
  .flatMap((row) =>
    Object.entries(RATIOS).flatMap(([column, ratio]): Cell[] => {
      const waves = row === "8 + 2 treated"
        ? [[8, 12], [2, 16]] as const
        : WAVES[row.replace(/,.*/, "")]!;
      const of = (chance: Chance) => {
        const world = { waves, ratio };
        const base = row.endsWith("before") ? "before" as const : -1;
        const design = designOf(world, valuesOf(world, labelsOf(world), chance), { base });
        return testEffects(layoutOf(design), { confidence: 0.95 });
      };
      const draws = row === "4 + 4 treated" ? 1000 : 500;
      return [{
        ...about("slopes of `eventStudy`", "units", "months"),
        table: "`eventStudy` without a trend before the start: % of `pre_p` of at most .05",
        ...{ row, column, draws, limits: [0.03, 0.072] },
        draw: (chance) => of(chance).slopes.pre_p <= 0.05,
      }, {
        ...about("p and bounds of `eventStudy`", "units", "volatility"),
        table:
          "`eventStudy` without an effect: % of `lower_all` to `upper_all` that contain 0 at all times",
        ...{ row, column, draws, limits: [0.925, 0.98] },
        draw: (chance) =>
          of(chance).results.every(({ lower_all = NaN, upper_all = NaN }) =>
            !(lower_all > 0 || upper_all < 0)
          ),
      }];
    })
  );

const spread = [[4, 60], [8, 60], [20, 60], [14, 160]].map(([treated, entities]): Cell => ({
  ...about("p and bounds of `eventStudy`", "units", "volatility"),
  table:
    "`eventStudy`, effects that differ between entities (mean .5, sd .4): % of bounds that contain the mean",
  row: `${treated} of ${entities} entities treated`,
  ...{ column: "`lower` to `upper`, overall", limits: [0.92, 0.98] },
  draw: (chance) => {
    const half = treated! / 2;
    const waves = [[half, 12], [half, 16]] as const;
    const world: World = { waves, entities: entities!, effect: [0.5, 0.4] };
    return overallOf(designOf(world, valuesOf(world, labelsOf(world), chance)), 0.5) > 0.05;
  },
}));

const PERMUTATIONS = 99;

/** The p value of permutations of who was treated, and when: the rank of |t| of `overall`. */
function permuted(design: EventDesign, { uniform }: Chance): number {
  const sizeOf = (labels: Int32Array) => {
    const { effect, error } = effectOf({ ...design, labels });
    return Math.abs(effect) / error;
  };
  const least = sizeOf(design.labels) * (1 - 1e-9);
  let larger = 1;
  for (let drawn = 0; drawn < PERMUTATIONS; drawn++) {
    const labels = Array.from(design.labels, (label) => ({ label, at: uniform() }))
      .sort((a, b) => a.at - b.at);
    larger += Number(sizeOf(Int32Array.from(labels, ({ label }) => label)) >= least);
  }
  return larger / (PERMUTATIONS + 1);
}

const power = ["4 treated", "4 + 4 treated", "8 treated", "20 treated"].flatMap((column) =>
  [true, false].map((isStudent): Cell => ({
    ...among("units"),
    table: "`eventStudy` with an effect of 1 standard deviation: % of p values of at most .05",
    ...{ row: isStudent ? "`p_value`" : "permutations of who was treated", column, draws: 500 },
    draw: (chance) => {
      const world: World = { waves: WAVES[column]!, effect: [1, 0] };
      const design = designOf(world, valuesOf(world, labelsOf(world), chance));
      return (isStudent ? overallOf(design) : permuted(design, chance)) <= 0.05;
    },
  }))
);

const bases = ([
  ["AR 0.5", { autocorrelation: 0.5 }, [0.4, 0.7]],
  ["AR 0.7", { autocorrelation: 0.7 }, [0.5, 0.8]],
  ["AR 0.9", { autocorrelation: 0.9 }, [1.1, 1.5]],
  ["walk", { errors: "walk" }, [1.8, 2.4]],
] as const).map(([row, errors, limits]): Cell => ({
  ...among("units", "months"),
  table: '`eventStudy` of 8 entities treated: variance with `base: "before"` / variance with -1',
  ...{ row, column: "ratio", draws: 1000, limits },
  draw: (chance) => {
    const world: World = { waves: WAVES["8 treated"]!, ...errors };
    const values = valuesOf(world, labelsOf(world), chance);
    const [before, last] = (["before", -1] as const)
      .map((base) => effectOf(designOf(world, values, { base })).effect ** 2);
    return [before!, last!];
  },
}));

/** The first entities of each sector take part. */
function sectorsOf(treated: readonly number[], sizes: readonly number[]) {
  const strata = Int32Array.from(
    sizes.flatMap((count, sector) => Array<number>(count).fill(sector)),
  );
  const labels = Int32Array.from(
    sizes.flatMap((count, sector) =>
      Array.from({ length: count }, (_, at) => at < (treated[sector] ?? 0) ? 0 : 1)
    ),
  );
  return { strata, labels };
}

/** The labels of `within`: strata without treated entities, or without 2 controls, are left out. */
function inside({ strata, labels }: ReturnType<typeof sectorsOf>): Int32Array {
  return labels.map((label, unit) => {
    const own = labels.filter((_, other) => strata[other] === strata[unit]);
    return own.includes(0) && own.filter((each) => each === 1).length > 1 ? label : -1;
  });
}

const SECTORS = [10, 10, 10, 10, 10, 10];
const within = [[8], [7], [4, 4], [2, 2, 2, 2], [3, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1], [8, 1]]
  .flatMap((treated) =>
    (["entities", "`within`", "`within`, ratio 1/3", "`within`, ratio 3"] as const).map((
      column,
    ): Cell => {
      const sectors = sectorsOf(treated, SECTORS);
      return {
        ...among("units", "months", "volatility"),
        table:
          "`eventStudy` of 6 sectors of 10 entities with shocks that a sector shares (sd 1), " +
          "without an effect: % of p values of at most .05",
        ...{ row: `${treated.join(" + ")} treated`, column },
        ...column !== "entities" && { limits: [0, 0.07] as const },
        draw: (chance) => {
          const ratio = column.endsWith("/3") ? 1 / 3 : column.endsWith("3") ? 3 : 1;
          const world: World = { waves: [[0, 14]], groups: SECTORS, shock: 1, ratio };
          const values = valuesOf(world, sectors.labels, chance);
          const given = column === "entities"
            ? { labels: sectors.labels }
            : { labels: inside(sectors), strata: sectors.strata };
          return rejects(overallOf(designOf(world, values, given)));
        },
      };
    })
  );

/** A shock that only the participants share cannot be told from an effect. */
const shared = (["entities", "`within`"] as const).map((column): Cell => {
  const sectors = sectorsOf([8], SECTORS);
  return {
    ...among("units", "months"),
    table:
      "`eventStudy`, 8 of 10 entities of a sector treated, with a shock that the participants alone share (sd .5): % of p values of at most .05",
    ...{ row: "no effect", column },
    draw: (chance) => {
      const world: World = { waves: [[0, 14]] };
      const values = valuesOf(world, sectors.labels, chance);
      const own = series(chance, { waves: [], autocorrelation: 0.9 });
      sectors.labels.forEach((label, unit) =>
        own.forEach((x, period) => values[unit * PERIODS + period]! += label === 0 ? 0.5 * x : 0)
      );
      const given = column === "entities"
        ? { labels: sectors.labels }
        : { labels: inside(sectors), strata: sectors.strata };
      return rejects(overallOf(designOf(world, values, given)));
    },
  };
});

const FIVES = Array<number>(12).fill(5);
const CLUSTERS: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  ["4 of 12 clusters wholly treated", [5, 5, 5, 5], FIVES],
  ["6 of 12 clusters wholly treated", [5, 5, 5, 5, 5, 5], FIVES],
  ["2 entities in each of 4 clusters", [2, 2, 2, 2], FIVES],
  ["3, 2, 2 and 1 entities in 4 clusters", [3, 2, 2, 1], FIVES],
  ["5, 1, 1 and 1 entities in 4 clusters", [5, 1, 1, 1], FIVES],
  ["8, 3, 2 and 1 entities, clusters of 20 to 1", [8, 3, 2, 1], [20, 10, 8, 6, 4, 4, 3, 2, 2, 1]],
];
const clustered = CLUSTERS.flatMap(([row, treated, sizes]) =>
  (["entities", "`cluster`", "`cluster`, ratio 1/3", "`cluster`, ratio 3"] as const).map((
    column,
  ): Cell => {
    const { strata: clusters, labels } = sectorsOf(treated, sizes);
    return {
      ...about("p and bounds of `eventStudy`", "units", "months", "sizes", "volatility"),
      table:
        "`eventStudy` with shocks that a cluster shares (sd 1), without an effect: % of p values of at most .05",
      ...{ row, column, draws: column.includes("ratio") ? 500 : 1000 },
      ...column !== "entities" && { limits: [0.02, 0.07] as const },
      draw: (chance) => {
        const ratio = column.endsWith("/3") ? 1 / 3 : column.endsWith("3") ? 3 : 1;
        const world: World = { waves: [[0, 14]], groups: sizes, shock: 1, ratio };
        const design = designOf(world, valuesOf(world, labels, chance), { labels });
        return rejects(overallOf(design, 0, column === "entities" ? undefined : clusters));
      },
    };
  })
);

/** Values of log-normal sizes, with a fifth of zeros, as sums need them. The participants can be the largest entities. */
function amounts(world: World, spread: number, chance: Chance, areLargest = false): Float64Array {
  const labels = labelsOf(world);
  const sizes = Float64Array.from(labels, () => Math.exp(spread * chance.normal()));
  // The first entities take part.
  if (areLargest) sizes.sort().reverse();
  const logs = valuesOf(world, labels, chance);
  return logs.map((value, at) =>
    chance.uniform() < 0.2 ? 0 : sizes[Math.floor(at / PERIODS)]! * Math.exp(value / 2)
  );
}

const totals = [0.5, 1, 1.5, 2.5].flatMap((spread) =>
  ["4 + 4 treated", "8 treated", "20 treated"].flatMap((column) =>
    (["before", -1] as const).map((base): Cell => ({
      ...about('`eventStudy` with `scale: "total"`', "sizes"),
      table:
        '`eventStudy` with `scale: "total"`, a fifth of zeros: % of bounds that contain the effect',
      row: `log sizes of sd ${spread}, base ${base}`,
      ...{ column, limits: [0.91, 0.98] },
      draw: (chance) => {
        const world = { waves: WAVES[column]! };
        const design = designOf(world, amounts(world, spread, chance), { base, total: true });
        return overallOf(design) > 0.05;
      },
    }))
  )
);

const largest = ["before", -1].map((base): Cell => ({
  ...about('`eventStudy` with `scale: "total"`', "sizes"),
  table:
    '`eventStudy` with `scale: "total"`, the largest entities take part: % of p values of at most .05',
  ...{ row: `log sizes of sd 1, base ${base}`, column: "8 treated", limits: [0.02, 0.09] },
  draw: (chance) => {
    const world = { waves: WAVES["8 treated"]! };
    const values = amounts(world, 1, chance, true);
    const given = { base: base as EventDesign["base"], total: true };
    return rejects(overallOf(designOf(world, values, given)));
  },
}));

/** Sums whose participants are three times as volatile, and effects that do not change with time. */
const volatile = ["8 treated", "20 treated"].map((column): Cell => ({
  ...about('`eventStudy` with `scale: "total"`', "volatility", "sizes"),
  table:
    '`eventStudy` with `scale: "total"`, participants three times as volatile: % of p values of at most .05',
  ...{ row: "log sizes of sd 1", column },
  draw: (chance) => {
    const world: World = { waves: WAVES[column]!, ratio: 3 };
    const values = amounts(world, 1, chance);
    return rejects(overallOf(designOf(world, values, { base: "before", total: true })));
  },
}));

const later = ["8 treated", "20 treated"].flatMap((column) =>
  [0, 0.1].map((drift): Cell => ({
    ...about("slopes of `eventStudy`", "units"),
    table: "`eventStudy`: % of `post_slope_p` of at most .05",
    row: drift === 0 ? "no effect" : "an effect that grows by .1 standard deviations a period",
    column,
    ...drift === 0 ? { limits: [0.02, 0.08] as const } : {},
    draw: (chance) => {
      const world: World = { waves: WAVES[column]!, drift };
      const design = designOf(world, valuesOf(world, labelsOf(world), chance));
      return rejects(overallOf(design, 0, undefined, "later"));
    },
  }))
);

const slopesOfTotals = [0.5, 1, 2.5].flatMap((spread) =>
  ["4 + 4 treated", "8 treated", "20 treated"].map((column): Cell => ({
    ...about("slopes of `eventStudy`", "units", "sizes"),
    table:
      '`eventStudy` with `scale: "total"` without a trend before the start: % of `pre_slope_p` of at most .05',
    ...{ row: `log sizes of sd ${spread}`, column, limits: [0.02, 0.07] },
    draw: (chance) => {
      const world = { waves: WAVES[column]! };
      const values = amounts(world, spread, chance);
      const design = designOf(world, values, { base: "before", total: true });
      return beforeOf(design, "pre_slope_p") <= 0.05;
    },
  }))
);

/** A program that turns months without fees into months with small ones; 40% of months have none. */
const woken = (["log of the months with fees", "`total`"] as const).map((column): Cell => ({
  ...among("units"),
  table:
    "`eventStudy` of a program that turns months without fees into months with small ones (+2% of the sum): % of p values of at most .05",
  ...{ row: "10 of 60 treated", column },
  ...column === "`total`" && { limits: [0, 0.07] as const },
  draw: (chance) => {
    const world: World = { waves: [[10, 14]] };
    const labels = labelsOf(world);
    const total = column === "`total`";
    const values = new Float64Array(labels.length * PERIODS).map((_, at) => {
      const [unit, period] = [Math.floor(at / PERIODS), at % PERIODS];
      const none = chance.uniform() < 0.4;
      const woken = none && labels[unit] === 0 && period >= 14;
      const level = none && !woken ? -Infinity : (woken ? 0 : 3) + 0.5 * chance.normal();
      return total ? Math.exp(level) : level === -Infinity ? NaN : level;
    });
    return rejects(overallOf(designOf(world, values, { base: total ? "before" : -1, total })));
  },
}));

/** Retention: the program changes only the number of new users, by a factor. */
const points = ([
  [0.05, 30, 0.2, 8, 0],
  [0.05, 30, 5, 8, 0],
  [0.1, 30, 3, 14, 0],
  [0.02, 100, 5, 14, 0],
  [0.05, 5, 0.2, 8, 0],
  [0.2, 30, 0.2, 8, 0],
  [0.05, 30, 1, 4, 0],
  [0.05, 30, 0.2, 4, 0],
  [0.05, 30, 10, 20, 0],
  [0.2, 30, 0.2, 8, 0.4],
  [0.1, 30, 3, 14, 0.4],
  [0.05, 30, 5, 8, 0.4],
] as const).flatMap(([p, users, factor, treated, shock]) =>
  (["base -1", "base before"] as const).flatMap((base): Cell[] => {
    const world: World = { waves: [[treated, 12]] };
    const drawn = (chance: Chance) => {
      const labels = labelsOf(world);
      const values = new Float64Array(labels.length * PERIODS);
      labels.forEach((label, unit) => {
        const level = logit(p) + 0.4 * chance.normal();
        const mean = users * Math.exp(0.6 * chance.normal() - 0.18);
        // Shocks of a unit that last, of autocorrelation .7.
        const shocks = shock > 0 ? series(chance, world) : new Float64Array(PERIODS);
        for (let period = 0; period < PERIODS; period++) {
          const more = label === 0 && period >= 12 ? factor : 1;
          const size = Math.max(1, Math.round(mean * more * Math.exp(0.1 * chance.normal())));
          const share = expit(level + shock * shocks[period]!);
          values[unit * PERIODS + period] = chance.binomial(size, share) / size;
        }
      });
      return designOf(world, values, { base: base === "base -1" ? -1 : "before" });
    };
    const cell = {
      ...about(
        "p and bounds of `eventStudy`",
        ...["units", "sizes"] as const,
        ...shock > 0 ? ["months" as const] : [],
      ),
      row: `retention ${p}, ${users} users times ${factor}, ${treated} of 60 treated${
        shock > 0 ? `, shocks that last, of sd ${shock}` : ""
      }`,
      draws: shock > 0 ? 500 : 2000,
    };
    return [{
      table:
        "`eventStudy` of retention in points; the program changes only the number of new users: % of p values of at most .05",
      ...{ ...cell, column: base, limits: [0.03, 0.07] },
      draw: (chance) => rejects(overallOf(drawn(chance))),
    }, {
      ...among("units", "sizes"),
      table: "The same, mean effect in points, which should be 0",
      ...{ row: cell.row, draws: cell.draws, column: base, limits: [-0.1, 0.1] },
      draw: (chance) => [100 * effectOf(drawn(chance)).effect, 1],
    }];
  })
);

const slopes = [0, 0.05, 0.1].flatMap((drift) =>
  ["4 + 4 treated", "8 treated", "20 treated"].flatMap((column) =>
    (["pre_slope_p", "pre_p"] as const).map((name): Cell => ({
      ...about("slopes of `eventStudy`", "units"),
      table:
        "`eventStudy` with a trend of the participants of their own, in standard deviations a period: % of p values of at most .05",
      ...{ row: `\`${name}\`, trend ${drift}`, column, draws: 500 },
      ...drift === 0 && { limits: [0.03, 0.08] as const },
      draw: (chance) => {
        const world = { waves: WAVES[column]!, drift };
        return beforeOf(designOf(world, valuesOf(world, labelsOf(world), chance)), name) <= 0.05;
      },
    }))
  )
);

/** Whether the sides differ before the start by one of the two tests. */
const accused = ["4 + 4 treated", "8 treated", "20 treated"].map((column): Cell => ({
  ...about("slopes of `eventStudy`", "units", "months"),
  table: "`eventStudy` without a trend before the start: % of `fit` that are `poor`",
  ...{ row: "AR 0.7", column, draws: 500, limits: [0, 0.08] },
  draw: (chance) => {
    const world = { waves: WAVES[column]! };
    const { slopes } = testEffects(
      layoutOf(designOf(world, valuesOf(world, labelsOf(world), chance))),
      { confidence: 0.95 },
    );
    return Math.min(slopes.pre_p, slopes.pre_slope_p) <= 0.025;
  },
}));

const notices = [2, 4, 8, 20].flatMap((treated) =>
  [3, 6, 12].map((sectors): Cell => ({
    ...among("sizes"),
    table:
      "`eventStudy` of 60 entities, random participants: % of notices that they share a sector",
    ...{ row: `${treated} participants`, column: `${sectors} sectors`, limits: [0, 0.02] },
    draw: (chance) => {
      const ids = Array.from({ length: ENTITIES }, (_, at) => `u${at}`);
      const order = ids.map((id) => ({ id, at: chance.uniform() })).sort((a, b) => a.at - b.at);
      // Sectors of falling size: 1, 1/2, 1/3 …
      const sizes = Array.from({ length: sectors }, (_, at) => 1 / (at + 1));
      const all = sizes.reduce((a, b) => a + b);
      const of = ids.map((_, at) => {
        let sum = 0;
        return `s${sizes.findIndex((size) => (sum += size / all) > at / ENTITIES)}`;
      });
      const frame = pl.DataFrame([utf8("id", ids), utf8("sector", of)]);
      const participants = new Set(order.slice(0, treated).map(({ id }) => id));
      return sharedBy({ entity: "id", ids, frame }, participants, undefined) !== undefined;
    },
  }))
);

export const cells: readonly Cell[] = [
  ...[sizes, errors, controls, power, bases, drawn, spread, within, shared, clustered],
  ...[totals, slopesOfTotals, largest, volatile, later, woken, points, slopes, accused, notices],
].flat();
