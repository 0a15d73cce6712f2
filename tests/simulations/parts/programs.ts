import { effectsOf, type EventDesign } from "../../../lib/analysis/programs/event_design.ts";
import { estimatorOf } from "../../../lib/analysis/programs/event_effects.ts";
import { testEffects } from "../../../lib/analysis/programs/event_tests.ts";
import { studentQuantile } from "../../../lib/analysis/distributions.ts";
import { retentionTest } from "../../../lib/analysis/retention/significance.ts";
import type { Chance } from "../../analysis/simulated_cohorts.ts";
import type { Cell } from "../cells.ts";
import { expit, logit } from "../worlds.ts";

const PERIODS = 16;
const STARTS = [6, 9];
/** The mean and the standard deviation of the effect on an entity. */
const [EFFECT, SPREAD] = [0.25, 0.2];

/** A number of Student's t with 4 degrees of freedom, scaled to variance 1. */
function heavy({ normal }: Chance): number {
  const squares = Array.from({ length: 4 }, () => normal() ** 2).reduce((a, b) => a + b);
  return normal() / Math.sqrt(squares / 4) / Math.SQRT2;
}

/** Entities of which the first `treated` begin in two waves, with effects of their own and autocorrelated errors. */
function world(treated: number, entities: number, chance: Chance): EventDesign {
  const labels = Int32Array.from(
    { length: entities },
    (_, unit) => unit < treated / 2 ? 0 : unit < treated ? 1 : 2,
  );
  const values = new Float64Array(entities * PERIODS);
  labels.forEach((label, unit) => {
    const effect = EFFECT + SPREAD * chance.normal();
    let error = heavy(chance);
    for (let period = 0; period < PERIODS; period++) {
      error = 0.5 * error + 0.3 * heavy(chance);
      values[unit * PERIODS + period] = error + (period >= (STARTS[label] ?? PERIODS) ? effect : 0);
    }
  });
  const waves = STARTS.map((start) => ({
    ...{ start, base: start - 1 },
    times: Array.from({ length: PERIODS }, (_, period) => period - start),
  }));
  return { waves, labels, values, notYet: false, detail: false };
}

const truthAt = (time: number) => time < 0 ? 0 : EFFECT;

/** Whether the bounds of one effect, by Student's t, contain its true value. */
function covers(design: EventDesign, place: number): boolean {
  const { effect, variance, degrees } = estimatorOf(design)(design.labels)[place]!;
  const half = studentQuantile(0.95, degrees) * Math.sqrt(variance);
  return Math.abs(effect - truthAt(effectsOf(design)[place]!.time)) <= half;
}

type Holds = (design: EventDesign, chance: Chance) => boolean;

/** What a world shows, its limits, and the number of worlds where permutations take long. */
const COLUMNS: Readonly<Record<string, readonly [Holds, readonly [number, number], number?]>> = {
  "`lower` to `upper`, one time": [(design, { uniform }) => {
    const times = effectsOf(design).filter(({ row }) => row === "time");
    // Without the base, which has an effect of 0.
    const places = [...times.keys()].filter((place) => times[place]!.time !== -1);
    return covers(design, places[Math.floor(uniform() * places.length)]!);
  }, [0.92, 0.98]],
  "`lower` to `upper`, overall": [
    (design) => covers(design, effectsOf(design).length - 1),
    [0.92, 0.98],
  ],
  "`lower_all` to `upper_all`": [
    (design) =>
      testEffects(design, 0.95).results.every(({ row, time, lower_all, upper_all }) =>
        row !== "time" || time === -1 || lower_all <= truthAt(time) && truthAt(time) <= upper_all
      ),
    [0.92, 0.98],
    500,
  ],
  "`pre_p`": [
    (design) => testEffects(design, 0.95).pre_p < 0.05,
    [0.03, 0.07],
    500,
  ],
};

const studies = [[4, 60], [8, 60], [20, 60], [14, 160]].flatMap(([treated, entities]) =>
  Object.entries(COLUMNS).map(([column, [holds, limits, draws = 1000]]): Cell => ({
    table: column.startsWith("`pre_p`")
      ? "`eventStudy` without a trend before the start: % of `pre_p` below .05"
      : "`eventStudy`, effects that differ between entities (sd .2): % of bounds that contain the effect",
    row: `${treated} of ${entities} entities treated`,
    ...{ column, limits, draws },
    draw: (chance) => holds(world(treated!, entities!, chance), chance),
  }))
);

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

export const cells: readonly Cell[] = [...studies, ...pairs];
