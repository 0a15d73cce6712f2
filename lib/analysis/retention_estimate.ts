import { type ClusterSpread, clusterSpread, logitBounds } from "./cluster_bounds.ts";
import type { PooledGroup } from "./pooled_groups.ts";
import { studentQuantile } from "./student.ts";
import { type Bounds, wilsonBounds } from "./wilson_bounds.ts";

/** The retention of a group in a month, and how sure it is. NaN stands for null. */
export interface RetentionEstimate extends Bounds {
  readonly size: number;
  readonly retained: number;
  readonly retention: number;
  /** How it varies between clusters; undefined where it cannot be told, and users count alone. */
  readonly spread: ClusterSpread | undefined;
  /** What the bounds rest on; null where there are none. */
  readonly bounds: "binomial" | "cluster" | null;
}

function spreadOf(group: PooledGroup, at: number): ClusterSpread | undefined {
  const [size, retained] = [group.total.size[at]!, group.total.retained[at]!];
  if (group.cluster === "none" || !(retained > 0 && retained < size)) return undefined;
  const spread = clusterSpread({ ...group.byCluster, first: at, step: group.months.length });
  return spread.clusters > 1 ? spread : undefined;
}

/**
 * The retention of a group in the month at a place of its months: Wilson's bounds where there is one
 * cluster, or nobody or everybody is retained, and else bounds by clusters.
 */
export function retentionEstimate(
  group: PooledGroup,
  at: number,
  confidence: number,
): RetentionEstimate {
  const [size, retained] = [group.total.size[at]!, group.total.retained[at]!];
  if (!(size > 0)) {
    return {
      ...{ size: 0, retained: NaN, retention: NaN, lower: NaN, upper: NaN },
      ...{ spread: undefined, bounds: null },
    };
  }
  const retention = Math.min(1, retained / size);
  const spread = spreadOf(group, at);
  const least = wilsonBounds(confidence)(retention, size);
  const common = { size, retained, retention, spread };
  if (spread === undefined) return { ...common, ...least, bounds: "binomial" };
  const quantile = studentQuantile(confidence, spread.degrees);
  const bounds = logitBounds(retention, { error: spread.error, quantile, least });
  return { ...common, ...bounds, bounds: "cluster" };
}
