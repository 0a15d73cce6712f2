import {
  boolean,
  checkOptions,
  didYouMean,
  integer,
  listOf,
  type Refuse,
  string,
} from "../../platform/check_options.ts";
import { nameColumn } from "../../table/read/names.ts";
import { type DataFrame, pl } from "../../table/build/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  clusterKind,
  COHORT_RULES,
  type CohortGroup,
  cohortGroups,
  type RetentionCluster,
  type RetentionEstimator,
  WASHOUT,
} from "./cohort_counts.ts";
import { tableOf } from "../columns.ts";
import { LONGEST } from "./curve_table.ts";
import { type RetentionEstimate, retentionEstimate } from "./retention_estimate.ts";
import { type Grouping, groupLabel, type SpanOptions } from "./retention_groups.ts";
import { benjaminiHochberg, retentionTest } from "./significance.ts";
import type { AtStage, Staged } from "./stage.ts";

function someMonths(value: unknown, refuse: Refuse): number[] {
  const months = Array.isArray(value) ? value : [value];
  if (months.length === 0) refuse("must name a month, or list months");
  return [...new Set(months.map((month) => integer(0, LONGEST)(month, refuse)))];
}

/** Accepts two or more ids of groups. */
function someGroups(value: unknown, refuse: Refuse): string[] {
  const ids = [...new Set(listOf(string)(value, refuse))];
  return ids.length > 1 ? ids : refuse("must list two or more values of by");
}

/** A group and its retention in one month. */
export interface Compared {
  readonly group: CohortGroup;
  readonly id: string | null;
  /** The name of the group, or its id without a name. */
  readonly name: string | null;
  readonly month: number;
  readonly found: RetentionEstimate;
}

/** Returns all pairs of groups for each month, in the order of `groups`, or else in order of first appearance. */
export function comparedPairs(
  curves: DataFrame,
  { by, groups: chosen, months, cluster, washout, confidence, estimate, ...grouping }: Grouping & {
    /** The names of the groups. By default, all groups. */
    readonly groups?: readonly string[] | undefined;
    readonly months: readonly number[];
    /** The kind of clusters. By default: projects if sectors are compared, blocks if projects are compared. */
    readonly cluster?: RetentionCluster | undefined;
    readonly washout: number;
    readonly confidence: number;
    readonly estimate: RetentionEstimator;
  },
): (readonly [Compared, Compared])[] {
  const { fn } = grouping;
  if (by.length === 0) {
    throw new RangeError(`${fn}: by: must name the columns of groups; got "all"`);
  }
  const has = (name: string) => pl.DataFrame.isDataFrame(curves) && curves.columns.includes(name);
  const single = by.includes("project_id");
  const usual = single ? "cohort_block" : has("project_id") ? "project_id" : undefined;
  const { groups, keys } = cohortGroups(curves, {
    ...grouping,
    by,
    cluster: clusterKind({ by, cluster, estimate }, fn) ?? usual,
    washout,
  });
  const rows = keys.toRecords();
  const labels = rows.map((row) => groupLabel(row, by));
  const names = rows.map((row) => {
    const named = by.map((id) => [id, row[nameColumn(id)] ?? row[id]]);
    return groupLabel(Object.fromEntries(named), by);
  });
  const unknown = chosen?.find((label) => !labels.includes(label));
  if (unknown !== undefined) {
    const other = curves.columns.find((name) => curves.getColumn(name).toArray().includes(unknown));
    const known = labels.filter((label) => label !== null);
    throw new RangeError(
      other === undefined
        ? `${fn}: groups: ${didYouMean(unknown, known)}`
        : `${fn}: groups: must be values of ${by.join(", ")}; for ${unknown}, pass by: "${other}"`,
    );
  }
  const places = chosen?.map((label) => labels.indexOf(label)) ?? [...labels.keys()];
  return months.flatMap((month) => {
    const known = groups[0]?.months ?? [month];
    const at = known.indexOf(month);
    if (at < 0) {
      throw new RangeError(`${fn}: month: expected one of ${known.join(", ")}; got ${month}`);
    }
    const compared = places.map((place): Compared => {
      const group = groups[place]!;
      const found = retentionEstimate(group, at, { confidence, estimate });
      return { group, month, id: labels[place]!, name: names[place]!, found };
    });
    return compared.flatMap((a, index) => compared.slice(index + 1).map((b) => [a, b] as const));
  });
}

function testOf(
  [a, b]: readonly [Compared, Compared],
  options: Omit<Parameters<typeof retentionTest>[2], "blocks">,
) {
  return retentionTest(a.found, b.found, {
    ...options,
    blocks: a.group.cluster === "cohort_block",
  });
}

function pairOf([a, b]: readonly [Compared, Compared]) {
  const clusters = ({ group, found }: Compared) =>
    group.cluster === "none" ? NaN : found.clusters.length;
  return {
    group_a: a.id,
    group_b: b.id,
    name_a: a.name,
    name_b: b.name,
    month: a.month,
    retention_a: a.found.retention,
    retention_b: b.found.retention,
    difference: a.found.retention - b.found.retention,
    cluster_a: a.group.cluster,
    clusters_a: clusters(a),
    cluster_b: b.group.cluster,
    clusters_b: clusters(b),
  };
}

/**
 * Compares the retention of projects or market sectors in one or several months. Returns one row for each month and
 * pair of groups.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `group_a`, `group_b` | String | ids of the two groups |
 * | `name_a`, `name_b` | String | names of the two groups; their ids without names |
 * | `month` | Int64 | the month |
 * | `retention_a`, `retention_b` | Float64 | the retention of each group, pooled over its cohorts; null if the group has no cohorts |
 * | `difference` | Float64 | `retention_a - retention_b`, -1 to 1 |
 * | `lower`, `upper` | Float64 | bounds of `difference`; null if there is no test, or if `test` is `new_observation`. They include 0 if `p_value` is above 1 - `confidence` |
 * | `p_value` | Float64 | probability of a difference at least as large as the observed difference if both groups had the same retention; null if there is no test |
 * | `p_adjusted` | Float64 | `p_value` adjusted for the number of rows: of the rows with `p_adjusted` below 0.05, at most 5% are expected to be false findings (Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57, 289-300) |
 * | `lower_all`, `upper_all` | Float64 | bounds of all differences of the month together (Bonferroni): the probability that one of them or more does not contain its true difference is at most 1 - `confidence` |
 * | `test` | String | `paired`, `jackknife`, `unweighted`, `new_observation` or `score`; null if there is no test |
 * | `cluster_a`, `cluster_b` | String | kind of the clusters of each group: `project_id`, `cohort_block`, `cohort` or `none`. The tests assume that clusters are independent |
 * | `clusters_a`, `clusters_b` | Int64 | for each group, the number of clusters that have a value in the month; null if the kind is `none` |
 * | `pairs`, `unpaired` | Int64 | with `test: "paired"`: number of projects in both groups, and number of projects in only one of the two, which are left out; null otherwise |
 * | `reason` | String | the reason why there is no test; null if there is a test |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * The p value comes from one of these tests:
 *
 * - `paired`, if two or more projects are in both groups: only these projects are compared, each with itself, so that
 *   differences between projects do not hide a change. For `unweighted`, a t test of the mean of the differences of the
 *   projects' logits. Its variance is the larger of s² / k and Σ(v_a + v_b) / k², where v is the binomial variance of a
 *   logit; where s² / k is the larger, it is R's `t.test(paired = TRUE)`. For `weighted`, the difference of the
 *   user-weighted logits of these projects with a jackknife over projects.
 * - `jackknife`, if both groups have two or more clusters: a t test of the difference of the user-weighted retentions on
 *   the logit scale. The standard errors are those of `pooledRetention`, from a jackknife over clusters, with the degrees
 *   of freedom of Satterthwaite (1946). A standard error is at least as large as if users were independent. Let m be the
 *   weighted mean of the two logits, where the weight of each logit is the variance v of the other logit. A confidence
 *   limit d of the difference of the logits becomes the bound
 *   `expit(m + d·v_a/(v_a+v_b)) - expit(m - d·v_b/(v_a+v_b))`. Therefore the bounds agree with the test.
 * - `unweighted`, the same for `estimate: "unweighted"`: a t test of the means of the logits of the projects. Where the
 *   variance between projects is larger than the binomial variance on both sides, it is Welch's t test of the logits
 *   (1947), as R's `t.test` does.
 * - `new_observation`, if one group has one cluster and the other group has several: tests whether the logit of the
 *   single cluster is from the population of the logits of the other group's clusters (Crawford and Howell 1998). If a
 *   cluster retains none or all of its users, half a user is added.
 * - `score`, if users are treated as independent: the score test of two proportions, with Newcombe's bounds (1998,
 *   method 10).
 *
 * There is no test if both groups have only one cluster, if a group has fewer than three cohorts to divide into blocks,
 * or if a group retains none or all of its users. `reason` states which of these cases applies.
 *
 * @example Which sectors differ in their third month?
 * ```ts
 * import { cohortAnalysis, compareRetention, retentionCurves } from "@chainframe/chainframe";
 *
 * const curves = retentionCurves(await cohortAnalysis());
 * const pairs = compareRetention(curves, { by: "market_sector_id", month: 3 });
 * console.log(pairs.sort("p_adjusted").toString());
 * ```
 *
 * @param curves a frame of `retentionCurves`
 * @throws {RangeError} when columns are missing, a value is impossible, an option is out of range, the frame is pooled,
 * or the frame does not have the month.
 * @throws {TypeError} when a column that must be numeric is not.
 * @category Analysis
 */
export function compareRetention<Given extends DataFrame>(
  curves: Given & AtStage<Given, "curves">,
  options: {
    /**
     * The columns whose values make groups: any column of the frame, or several, or `"span"` for groups of time.
     *
     * @default {"project_id"}
     */
    readonly by?: string | readonly string[];
    /**
     * Two or more values of `by`. Differences are those of an earlier group minus a later group of this list. With
     * several columns, a group is named by its values, such as `lending · before`.
     *
     * @default {all groups, in order of first appearance}
     */
    readonly groups?: readonly string[];
    /**
     * The month in which retention is compared, or several months.
     *
     * @default {1}
     */
    readonly month?: number | readonly number[];
    /**
     * The kind of the clusters. The tests assume that clusters are independent of each other, as in `pooledRetention`.
     *
     * @default {`"cohort_block"` for projects, `"project_id"` for market sectors}
     */
    readonly cluster?: "project_id" | "cohort_block" | "cohort" | "none";
    /**
     * The retention that is compared: `"weighted"`, the retention of all users of a group, or `"unweighted"`, the
     * retention of its typical project, as in `pooledRetention`. `"unweighted"` needs groups of several projects.
     *
     * @default {`"unweighted"` for paired tests, otherwise `"weighted"`}
     */
    readonly estimate?: "weighted" | "unweighted";
    /**
     * Whether projects that are in both groups are compared with themselves. `false` compares groups as if all projects
     * were different.
     *
     * @default {true}
     */
    readonly paired?: boolean;
    /**
     * Leaves out cohorts with fewer `tracked_months` than this, as in `pooledRetention`.
     *
     * @default {3}
     */
    readonly washout?: number;
    /**
     * The confidence of the bounds of each difference, between 0 and 1.
     *
     * @default {0.95}
     */
    readonly confidence?: number;
  } & SpanOptions = {},
): Staged<"compared"> {
  const fn = "compareRetention";
  const checked = checkOptions(options, {
    ...COHORT_RULES,
    groups: someGroups,
    month: someMonths,
    paired: boolean,
  }, fn);
  const { by = ["project_id"], month: months = [1], washout = WASHOUT } = checked;
  const { estimate, paired, confidence = 0.95 } = checked;
  const level = { confidence, estimate, ...paired === undefined ? {} : { paired } };
  const pairs = comparedPairs(curves, {
    ...checked,
    ...{ fn, by, months, washout, confidence },
    estimate: estimate ?? "weighted",
  });
  const tests = pairs.map((pair) => testOf(pair, level));
  const adjusted = benjaminiHochberg(tests.map(({ p_value }) => p_value));
  const bounded = Map.groupBy(
    pairs.filter((_, index) => !Number.isNaN(tests[index]!.lower)),
    ([{ month }]) => month,
  );
  const rows = pairs.map((pair, index) => {
    const together = bounded.get(pair[0].month)?.length ?? 1;
    const all = testOf(pair, { ...level, confidence: 1 - (1 - confidence) / together });
    const { paired, ...test } = tests[index]!;
    return {
      ...pairOf(pair),
      ...test,
      ...paired,
      lower_all: all.lower,
      upper_all: all.upper,
      p_adjusted: adjusted[index],
      confidence,
    };
  });
  const compared = tableOf(rows, [
    ["text id", "group_a", "group_b"],
    ["text", "name_a", "name_b"],
    ["whole months", "month"],
    ["number fraction", "retention_a", "retention_b", "difference"],
    ["number fraction", "lower", "upper"],
    ["number statistic", "p_value", "p_adjusted"],
    ["number fraction", "lower_all", "upper_all"],
    ["text", "test", "cluster_a"],
    ["whole clusters", "clusters_a"],
    ["text", "cluster_b"],
    ["whole clusters", "clusters_b", "pairs", "unpaired"],
    ["text", "reason"],
    ["number fraction", "confidence"],
  ]);
  return withProvenance(curves, compared, {
    fn,
    options,
    first: [
      ...["difference", "name_a", "name_b", "retention_a", "retention_b"],
      ...["lower", "upper", "p_value"],
      // The month of all rows is an option of the call.
      ...months.length === 1 ? ["month"] : [],
    ],
  });
}
