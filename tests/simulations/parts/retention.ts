import type {
  ClusterUsers,
  RetentionEstimator,
} from "../../../lib/analysis/retention/cohort_counts.ts";
import { benjaminiHochberg, retentionTest } from "../../../lib/analysis/retention/significance.ts";
import { type Chance, simulatedCohorts } from "../../analysis/simulated_cohorts.ts";
import { about, among, type Cell } from "../cells.ts";
import { estimateOf, expit, holds, logit, meanShare, projects } from "../worlds.ts";

const pooled = [0.5, 0.2, 0.02].flatMap((p) =>
  [1, 5, 25].flatMap((dispersion) =>
    [3, 5, 10].flatMap((clusters): Cell[] => {
      const draw = (cluster: string) => (chance: Chance) => {
        const variation = { p, dispersion, clusters, users: 1000, sizes: 0.5 };
        const { size, retained } = simulatedCohorts(variation, chance);
        const users = [...size].map((each, index) => ({ size: each, retained: retained[index]! }));
        return holds(estimateOf(users, cluster), p);
      };
      const cell: Cell = {
        ...about("bounds of `pooledRetention`", "units", "sizes"),
        table: "Pooled retention, weighted by users: % of bounds that contain the retention",
        row: `p ${p}, dispersion ${dispersion}`,
        column: `${clusters} projects`,
        // Where clusters do not differ, the bounds are too wide.
        limits: [p === 0.02 ? 0.7 : 0.92, dispersion === 1 ? 1 : 0.98],
        draw: draw("project_id"),
      };
      const { limits: _, ...open } = cell;
      const alone = { ...open, column: '10 projects, `cluster: "none"`', draw: draw("none") };
      return clusters === 10 ? [cell, alone] : [cell];
    })
  )
);

/** The numbers of users of projects, from equal to one that has nearly all users. */
const SIZES: Readonly<Record<string, (count: number, at: number) => number>> = {
  "equal sizes": () => 1000,
  "sizes 100 : 1": (count, at) => Math.round(100 * 100 ** (at / (count - 1))),
  "one giant, 1000 : 1": (_, at) => at === 0 ? 200_000 : 200,
};

const uneven = (["unweighted", "weighted"] as const).flatMap((estimate) =>
  Object.entries(SIZES).flatMap(([row, sizeOf]) =>
    [0.3, 0.6].flatMap((tau) =>
      [3, 4, 6, 10].map((count): Cell => {
        const sizes = Array.from({ length: count }, (_, at) => sizeOf(count, at));
        // All users of the projects have this retention on average over the draws.
        const truth = meanShare(logit(0.3), tau);
        return {
          ...about("bounds of `pooledRetention`", "units", "sizes"),
          table:
            `Pooled retention, \`${estimate}\`, p 0.3, uneven sizes: % of bounds that contain the mean`,
          row: `${row}, tau ${tau}`,
          column: `${count} projects`,
          ...estimate === "unweighted" ? { limits: [0.93, 1] as const } : {},
          draw: (chance) =>
            holds(
              estimateOf(projects(count, { p: 0.3, tau, sizes }, chance), "project_id", estimate),
              truth,
            ),
        };
      })
    )
  )
);

const unweighted = [0.5, 0.2, 0.02].flatMap((p) =>
  [1000, 200].flatMap((users) =>
    [3, 4, 6, 10].map((count): Cell => ({
      ...about("bounds of `pooledRetention`", "units", "sizes"),
      table:
        "Pooled retention, `unweighted`, tau 0.5: % of bounds that contain the mean of projects",
      row: `p ${p}, ${users} users a project`,
      column: `${count} projects`,
      limits: [0.92, 0.98],
      draw: (chance) => {
        const drawn = projects(count, { p, tau: 0.5, users }, chance);
        return holds(
          estimateOf(drawn, "project_id", "unweighted"),
          meanShare(logit(p), 0.5),
        );
      },
    }))
  )
);

const dependent = [3, 5, 10].flatMap((count): Cell[] => {
  const [tau, slope, p] = [0.5, 1, 0.3];
  const cell = (row: string, truth: number, estimate: RetentionEstimator): Cell => ({
    ...about("bounds of `pooledRetention`", "units", "sizes"),
    table: "Projects with high retention are larger (p 0.3): % of bounds that contain the truth",
    row,
    column: `${count} projects`,
    draw: (chance) =>
      holds(
        estimateOf(projects(count, { p, tau, slope }, chance), "project_id", estimate),
        truth,
      ),
  });
  const ofUsers = meanShare(logit(p), tau, (z) => Math.exp(slope * z));
  return [
    cell("`weighted`, for the retention of all users", ofUsers, "weighted"),
    cell("`unweighted`, for the mean of projects", meanShare(logit(p), tau), "unweighted"),
  ];
});

function pValue(
  one: readonly ClusterUsers[],
  other: readonly ClusterUsers[],
  estimate: RetentionEstimator = "weighted",
): number {
  const [a, b] = [one, other].map((users) => estimateOf(users, "project_id", estimate));
  return retentionTest(a!, b!, { confidence: 0.95, estimate, paired: false }).p_value;
}

const compared = (["weighted", "unweighted"] as const).flatMap((estimate) =>
  [2, 3, 5, 10].flatMap((few) =>
    [2, 3, 5, 10].filter((many) => many >= few).map((many): Cell => ({
      ...about("p of `compareRetention`", "units", "sizes"),
      table: `Two sectors with equal retention, \`${estimate}\`: % of p values of at least 0.05`,
      row: `against ${many} projects`,
      column: `${few} projects`,
      // Two projects have one degree of freedom: a test has at most twice as many, and is strict.
      limits: [0.92, few === 2 ? 1 : 0.99],
      draw: (chance) => {
        const world = { p: 0.3, tau: 0.5 };
        const p = pValue(projects(few, world, chance), projects(many, world, chance), estimate);
        return Number.isNaN(p) ? null : p >= 0.05;
      },
    }))
  )
);

const adjusted: Cell = {
  ...about("p of `compareRetention`", "units", "sizes"),
  table: "Eight sectors with equal retention, of 2, 2, 2, 2, 4, 4, 4 and 8 projects",
  row: "no pair has `p_adjusted` below 0.05",
  column: "% of simulations",
  limits: [0.92, 1],
  draw: (chance) => {
    const sectors = [2, 2, 2, 2, 4, 4, 4, 8]
      .map((count) => projects(count, { p: 0.3, tau: 0.5 }, chance));
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

const blocks = [0, 0.7, 0.9].flatMap((autocorrelation) =>
  [27, 54].flatMap((count): Cell[] => {
    const truth = meanShare(logit(0.3), 0.4);
    const cell = {
      ...about("p of `compareRetention`, blocks of cohorts", "months"),
      table: "Bounds and tests of single projects with monthly shocks",
      row: `autocorrelation ${autocorrelation}, ${count} cohorts`,
    };
    const covers = (cluster: string) => (chance: Chance) =>
      holds(estimateOf(shocked(count, autocorrelation, chance), cluster), truth);
    const least = autocorrelation === 0.9 ? 0.82 : 0.92;
    return [
      {
        ...cell,
        column: "bounds from three blocks",
        limits: [least, 0.98],
        draw: covers("cohort_block"),
      },
      {
        ...cell,
        column: "p value at least 0.05, two equal projects",
        limits: [least - 0.02, 1],
        draw: (chance) => {
          const [a, b] = [1, 2].map(() =>
            estimateOf(shocked(count, autocorrelation, chance), "cohort_block")
          );
          const level = { confidence: 0.95, estimate: "weighted" } as const;
          const { p_value: p } = retentionTest(a!, b!, { ...level, paired: false });
          return Number.isNaN(p) ? null : p >= 0.05;
        },
      },
    ];
  })
);

const market = [0, 0.2, 0.5].flatMap((shared) =>
  [3, 5, 10].map((count): Cell => ({
    // One shock of all dates, which no frame can show.
    ...among("units", "sizes"),
    table: "Projects that share one market (tau 0.5, p 0.3): % of bounds that contain the truth",
    row: `shock shared by all: sd ${shared}`,
    column: `${count} projects`,
    draw: (chance) => {
      const p = expit(logit(0.3) + shared * chance.normal());
      const truth = meanShare(logit(0.3), Math.hypot(0.5, shared));
      return holds(estimateOf(projects(count, { p, tau: 0.5 }, chance), "project_id"), truth);
    },
  }))
);

export const cells: readonly Cell[] = [
  ...[...pooled, ...unweighted, ...uneven, ...dependent],
  ...[...compared, adjusted, ...blocks, ...market],
];
