import { type DataFrame, pl } from "../table/polars.ts";
import { cohortMonths } from "./cohort_months.ts";
import { arraysIn } from "./columns.ts";
import { curveGroups, GROUP, withLosses } from "./curve_groups.ts";
import type { WithoutCluster } from "./forecast_bounds.ts";
import type { Step } from "./forecast_curve.ts";
import {
  groupColumns,
  type LeftTruncated,
  type PooledGroup,
  pooledGroups,
  type Pooling,
  type RetentionGroup,
} from "./pooled_groups.ts";

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
