import type { Transition } from "./shifted_beta_geometric.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { cohortMonths, curveGroups, GROUP, withLosses } from "./curve_rows.ts";
import { arraysIn } from "./columns.ts";
import {
  groupColumns,
  type LeftTruncated,
  type PooledGroup,
  pooledGroups,
  type Pooling,
  type RetentionGroup,
} from "./pooled_groups.ts";

interface Block {
  readonly mean: number;
  readonly weight: number;
  readonly length: number;
}

function merge(left: Block, right: Block): Block {
  const weight = left.weight + right.weight;
  const mean = (left.mean * left.weight + right.mean * right.weight) / weight;
  return { mean, weight, length: left.length + right.length };
}

/**
 * The non-increasing values that come closest to the given ones in weighted least squares: pool
 * adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955, Annals of Mathematical
 * Statistics 26, 641-647). Values that do not rise anywhere come back as they are.
 *
 * @param weights one for each value, more than 0
 */
export function nonIncreasing(values: readonly number[], weights: readonly number[]): number[] {
  const blocks: Block[] = [];
  values.forEach((value, index) => {
    let block: Block = { mean: value, weight: weights[index] ?? 1, length: 1 };
    let before = blocks.at(-1);
    while (before !== undefined && before.mean < block.mean) {
      blocks.pop();
      block = merge(before, block);
      before = blocks.at(-1);
    }
    blocks.push(block);
  });
  return blocks.flatMap(({ mean, length }) => Array<number>(length).fill(mean));
}

/** A month of a curve that was observed, and has users. */
export interface Step {
  readonly month: number;
  readonly retention: number;
  readonly size: number;
  /** The users who could be lost since the step before; of no meaning in month 0. */
  readonly atRisk: number;
  /** How many of them were. */
  readonly lost: number;
}

/** A curve that does not rise, as the models are fitted to it. */
interface FallingCurve {
  readonly transitions: readonly Transition[];
  /** The retention that the curve starts from in month 0. */
  readonly start: number;
  /** Whether the curve rose somewhere, and was made non-increasing. */
  readonly adjusted: boolean;
  /** How many months were observed. */
  readonly months: number;
}

/**
 * The curve that the losses make, and how many users would make it alone: one who was lost among ten
 * of a hundred that began counts as ten.
 */
function followed(steps: readonly Step[]): { curve: number[]; users: number[] } {
  const first = steps[0]?.month === 0 ? steps[0] : undefined;
  const curve = [first?.retention ?? 1];
  const users = [first?.size ?? 0];
  for (const { atRisk, lost, size } of first === undefined ? steps : steps.slice(1)) {
    const before = curve.at(-1)!;
    const stands = atRisk > 0 && before > 0 ? atRisk / before : users.at(-1) || size;
    users.push(stands);
    curve.push(before - lost / stands);
  }
  return { curve, users };
}

/**
 * Makes the observed months of a curve, in order, transitions between them: where the curve rises,
 * which activity may and survival may not, those months are pooled with their neighbours.
 */
export function fallingCurve(steps: readonly Step[]): FallingCurve {
  const begun = steps[0]?.month === 0;
  const { curve, users } = followed(steps);
  // Every curve begins whole: a month 0 that is not there is 1 by definition, and is not pooled.
  const falling = begun
    ? nonIncreasing(curve, users)
    : [1, ...nonIncreasing(curve.slice(1), users.slice(1))];
  const adjusted = curve.some((value, index) => value - falling[index]! > 1e-12);
  const transitions = (begun ? steps.slice(1) : steps).map((step, index): Transition => {
    const [before, after] = [falling[index]!, falling[index + 1]!];
    const weight = users[index + 1]!;
    return {
      from: (begun ? steps[index] : steps[index - 1])?.month ?? 0,
      to: step.month,
      lost: adjusted ? weight * Math.max(0, before - after) : Math.max(0, step.lost),
      kept: adjusted ? weight * Math.max(0, after) : Math.max(0, step.atRisk - step.lost),
    };
  });
  const told = transitions.filter(({ lost, kept }) => lost + kept > 0);
  return { transitions: told, start: Math.min(1, falling[0]!), adjusted, months: steps.length };
}

/** A curve without one of its clusters, and the size of that cluster. */
export interface WithoutCluster {
  readonly size: number;
  readonly steps: readonly Step[];
}

/** A curve to forecast. */
export interface ObservedCurve {
  /** What was observed, by month. */
  readonly observed: ReadonlyMap<number, number>;
  /** The observed months that have users, in order. */
  readonly steps: readonly Step[];
  /** The curve without each of its clusters; none where users count alone. */
  readonly without: readonly WithoutCluster[];
}

/** Curves to forecast, and whose they are. */
interface ObservedCurves {
  readonly curves: readonly ObservedCurve[];
  /** One row for each curve, in the same order, with its number and the columns of its group. */
  readonly keys: DataFrame;
  readonly columns: readonly string[];
}

/** The curves of a frame that is pooled already, or one for each cohort. */
export function curvesAsTheyStand(
  frame: DataFrame,
  { asker, leftTruncated }: { readonly asker: string; readonly leftTruncated: LeftTruncated },
): ObservedCurves {
  const marked = pl.DataFrame.isDataFrame(frame) && frame.columns.includes("left_truncated");
  const kept = marked && leftTruncated === "drop"
    ? frame.filter(pl.col("left_truncated").fillNull(pl.lit(false)).not())
    : frame;
  const groups = curveGroups(kept, asker);
  const firsts = groups.rows.unique({ subset: [GROUP], keep: "first", maintainOrder: true });
  const places = new Map(
    (firsts.getColumn(GROUP).toArray() as number[]).map((group, place) => [group, place]),
  );
  const curves = Array.from(places, () => ({
    observed: new Map<number, number>(),
    steps: [] as Step[],
    without: [],
  }));
  const [group, month, retention, size, atRisk, lost] = arraysIn(withLosses(groups), [
    ...[GROUP, "month", "retention", "size", "at_risk", "lost"],
  ]) as Float64Array[];
  group!.forEach((number, row) => {
    const curve = curves[places.get(number)!]!;
    const step = { month: month![row]!, retention: retention![row]!, size: size![row]! };
    curve.observed.set(step.month, step.retention);
    if (!(step.size > 0)) return;
    curve.steps.push({ ...step, atRisk: atRisk![row]!, lost: lost![row]! });
  });
  const keys = firsts.select(...groups.keys.map((key) => pl.col(key)));
  return {
    curves,
    keys: keys.withColumn(pl.Series(GROUP, [...places.values()], pl.Float64)),
    columns: groups.keys,
  };
}

function stepsOf({ months, total, byCluster }: PooledGroup, without?: number): Step[] {
  return months.flatMap((month, at) => {
    const cell = without === undefined ? -1 : without * months.length + at;
    const rest = (name: keyof PooledGroup["total"]) =>
      total[name][at]! - (byCluster[name][cell] ?? 0);
    const size = rest("size");
    if (size <= 1e-9 * total.size[at]!) return [];
    const retention = Math.min(1, Math.max(0, rest("retained") / size));
    return [{ month, retention, size, atRisk: rest("atRisk"), lost: rest("lost") }];
  });
}

function largest({ months, byCluster }: PooledGroup, cluster: number): number {
  const cells = byCluster.size.subarray(cluster * months.length, (cluster + 1) * months.length);
  return Math.max(0, ...cells);
}

/** Pools the curves of cohorts, and leaves each group's clusters out in turn. */
export function curvesPooled(
  frame: DataFrame,
  { asker, by, cluster, leftTruncated }: Pooling & {
    readonly asker: string;
    readonly by: RetentionGroup;
    readonly leftTruncated: LeftTruncated;
  },
): ObservedCurves {
  const columns = groupColumns(by);
  const needed = [...columns, "cohort", ...cluster === "project_id" ? [cluster] : []];
  const rows = cohortMonths(frame, { asker, keys: [...new Set(needed)], leftTruncated });
  const { groups, keys } = pooledGroups(rows, { by, cluster });
  const curves = groups.map((group): ObservedCurve => {
    const steps = stepsOf(group);
    const observed = new Map(steps.map(({ month, retention }) => [month, retention]));
    const clusters = group.cluster === "none"
      ? []
      : Array.from({ length: group.clusters }, (_, at) => ({
        size: largest(group, at),
        steps: stepsOf(group, at),
      })).filter(({ size }) => size > 0);
    return { observed, steps, without: clusters.length > 1 ? clusters : [] };
  });
  return { curves, keys, columns };
}
