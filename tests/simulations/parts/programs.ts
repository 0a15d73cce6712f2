import { retentionTest } from "../../../lib/analysis/retention/significance.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import type { Cell } from "../cells.ts";
import { expit, logit } from "../worlds.ts";

/** The p value of a paired test of projects that keep their retention, with new users before and after. */
function pairedP(count: number, { p, users }: { p: number; users: number }, chance: Chance) {
  const logits = Array.from({ length: count }, () => logit(p) + 0.6 * chance.normal());
  const sides = [0, 1].map(() =>
    logits.map((own, project) => {
      const size = Math.max(10, Math.round(chance.logNormal(users, 0.7)));
      return { project, size, retained: chance.binomial(size, expit(own + 0.2 * chance.normal())) };
    })
  );
  const [a, b] = sides.map((clusters) => ({
    ...{ size: 1, retained: 1, retention: p, lower: 0, upper: 1, bounds: "cluster" as const },
    ...{ clusters, dispersion: 1 },
  }));
  return retentionTest(a!, b!, { confidence: 0.95, blocks: false, estimate: undefined }).p_value;
}

const pairs = [[0.3, 200], [0.05, 1000]].flatMap(([p, users]) =>
  [6, 12, 32].map((count): Cell => ({
    table: "`compareRetention` of spans without a change: % of paired tests with p below .05",
    row: `retention ${p}, ${users} users a project`,
    column: `${count} projects`,
    limits: [0.03, 0.07],
    draw: (chance) => pairedP(count, { p: p!, users: users! }, chance) < 0.05,
  }))
);

export const cells: readonly Cell[] = pairs;
