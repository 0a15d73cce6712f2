import {
  boolean,
  checkOptions,
  didYouMean,
  integer,
  listOf,
  oneOf,
  type Refuse,
  string,
} from "../../platform/check_options.ts";
import { counted } from "../../platform/terminal.ts";
import { amountUnit } from "../../table/read/retention_unit.ts";
import { nameColumn } from "../../table/read/names.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import {
  BLOCKS_NOTE,
  COHORT_RULES,
  type CohortGroup,
  cohortGroups,
  type RetentionEstimator,
  usersAt,
  usersUpTo,
  WASHOUT,
} from "./cohort_counts.ts";
import { tableOf } from "../columnar.ts";
import { COUNTED, LONGEST } from "./curve_table.ts";
import { sumOfUsers } from "./logit_estimate.ts";
import { fewUsers, type RetentionEstimate, retentionEstimate } from "./retention_estimate.ts";
import { type CohortOptions, type Grouping, groupLabel } from "./retention_groups.ts";
import { ACTIVE_MONTHS } from "../intervals.ts";
import { shocksRemark } from "./shared_shocks.ts";
import { benjaminiHochberg, pairsOf, retentionTest } from "./significance.ts";
import type { AtStage, Staged } from "./stage.ts";

/** The column of groups of time, in which units are compared with themselves by default. */
const SPAN = "span";

function someMonths(value: unknown, refuse: Refuse): number[] {
  const months = Array.isArray(value) ? value : [value];
  if (months.length === 0) refuse("must name a month, or list months");
  return [...new Set(months.map((month) => integer(0, LONGEST)(month, refuse)))];
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

/**
 * Returns the pairs of groups for each month, in the order of `groups`, or else in order of first appearance. With
 * several columns in `by`, both groups of a pair have the same values in all columns but the last.
 */
export function comparedPairs(
  curves: DataFrame,
  { by, groups: chosen, months, cluster, washout, confidence, estimate, ...grouping }: Grouping & {
    /** The names of the groups. By default, all groups. */
    readonly groups?: readonly string[] | undefined;
    readonly months: readonly number[];
    readonly cluster?: string | undefined;
    readonly washout: number;
    readonly confidence: number;
    readonly estimate: RetentionEstimator | "cumulative";
  },
): (readonly [Compared, Compared])[] {
  const { fn } = grouping;
  const own = estimate === "cumulative" ? "weighted" : estimate;
  if (by.length === 0) {
    throw new RangeError(`${fn}: by: must name the columns of groups; got "all"`);
  }
  const { groups, keys } = cohortGroups(curves, {
    ...grouping,
    by,
    cluster,
    estimate: own,
    unitsOnly: true,
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
    const known = labels.filter((label) => label !== null);
    throw new RangeError(
      `${fn}: groups: ${didYouMean(unknown, known)}; expected values of ${by.join(", ")}`,
    );
  }
  const places = chosen === undefined
    ? [...labels.keys()]
    : [...new Set(chosen)].map((label) => labels.indexOf(label));
  const outer = by.slice(0, -1);
  const inside = rows.map((row) => outer.map((name) => row[name] ?? null).join("\u0000"));
  const pairs = places.flatMap((a, index) =>
    places.slice(index + 1).filter((b) => inside[a] === inside[b]).map((b) => [a, b] as const)
  );
  if (chosen !== undefined && pairs.length === 0) {
    throw new RangeError(
      `${fn}: groups: needs two groups${
        outer.length === 0 ? "" : ` of the same ${outer.join(" and ")}`
      }; got ${chosen.join(", ")}`,
    );
  }
  return months.flatMap((month) => {
    const known = groups[0]?.months ?? [month];
    const at = known.indexOf(month);
    if (at < 0) {
      throw new RangeError(`${fn}: month: expected one of ${known.join(", ")}; got ${month}`);
    }
    const compared = new Map(places.map((place): [number, Compared] => {
      const group = groups[place]!;
      const users = estimate === "cumulative" ? usersUpTo(group)[at] : usersAt(group, at);
      if (users === undefined) {
        throw new RangeError(
          `${fn}: month: cumulative needs all months from 1 on; got ${month} of ${
            known.join(", ")
          }`,
        );
      }
      const found = retentionEstimate(users, { confidence, estimate: own });
      return [place, { group, month, id: labels[place]!, name: names[place]!, found }];
    }));
    return pairs.map(([a, b]) => [compared.get(a)!, compared.get(b)!] as const);
  });
}

/**
 * Returns whether the units of two groups are compared with themselves: by default, if groups are spans of time and have
 * units.
 */
export function isPaired(
  { by, paired, estimate }: {
    readonly by: readonly string[];
    readonly paired?: boolean | undefined;
    readonly estimate?: RetentionEstimator | "cumulative" | undefined;
  },
  fn: string,
): (pair: readonly [Compared, Compared]) => boolean {
  if ((paired ?? by.includes(SPAN)) && estimate !== undefined && estimate !== "cumulative") {
    throw new RangeError(
      `${fn}: estimate: has no effect on paired comparisons, which have one estimate; got ` +
        `"${estimate}"; leave it out, or pass paired: false`,
    );
  }
  return ([{ group: a }, { group: b }]) =>
    paired ?? (by.includes(SPAN) && (a.hasUnits || b.hasUnits));
}

/** Returns the number of months of a share of active months: the bounds of a cumulative value are in months. */
function monthsOf({ month, found }: Compared): number {
  return found.scale === ACTIVE_MONTHS ? month : 1;
}

/** Converts a test of shares of active months to months. */
function timesOf(compared: Compared, test: ReturnType<typeof retentionTest>) {
  const times = monthsOf(compared);
  const { difference } = test;
  return {
    ...test,
    lower: times * test.lower,
    upper: times * test.upper,
    ...difference === undefined ? {} : { difference: times * difference },
  };
}

/** Returns what a comparison rests on. `pairs` is the number of units in both groups, if only these count. */
function restsOn([a, b]: readonly [Compared, Compared], pairs: number | undefined): string {
  if (pairs !== undefined) return `${counted(pairs, "unit")} in both`;
  const against = (one: number, other: number, ...words: [one: string, many?: string]) =>
    `${one.toLocaleString("en-US")} against ${counted(other, ...words)}`;
  if (a.group.cluster === "none") {
    return against(Math.round(a.found.size), Math.round(b.found.size), "user");
  }
  const sizes = [a.found.clusters.length, b.found.clusters.length] as const;
  return a.group.hasUnits || b.group.hasUnits
    ? against(...sizes, "unit")
    : against(...sizes, "block of cohorts", "blocks of cohorts");
}

/** Returns remarks on a comparison: on few users, and with a test, on what it leaves out. */
export function remarksOn(
  [a, b]: readonly [Compared, Compared],
  { shared, paired }: {
    /** The fraction of the variance that is shared shocks. Undefined without a test. */
    readonly shared: number | undefined;
    readonly paired: boolean;
  },
): string[] {
  const pairs = pairsOf(a.found.clusters, b.found.clusters);
  const few = [a, b].flatMap(({ name, found }, side) =>
    fewUsers(paired ? sumOfUsers(pairs.map((pair) => pair[side as 0 | 1])) : found, name)
  );
  if (shared === undefined) return few;
  const isBlock = [a, b].some(({ group }) => group.cluster === "cohort_block");
  return [...few, ...isBlock ? [BLOCKS_NOTE] : shocksRemark([a.found, b.found], shared)];
}

/**
 * Compares the retention of groups, such as projects or market sectors, in one or several months. Returns one row for
 * each month and pair of groups.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `group_a`, `group_b` | String | ids of the two groups |
 * | `name_a`, `name_b` | String | names of the two groups; their ids without names |
 * | `month` | Int64 | the month |
 * | `retention_a`, `retention_b` | Float64 | the retention of each group, pooled over its cohorts; null if the group has no cohorts |
 * | `cumulative_a`, `cumulative_b` | Float64 | with `estimate: "cumulative"`, in place of `retention_a` and `retention_b`: how long users of each group stay, in months, as in `pooledRetention` |
 * | `difference` | Float64 | `retention_a - retention_b`, -1 to 1 for users; with `"cumulative"` the difference in months |
 * | `lower`, `upper` | Float64 | bounds of `difference`; null if there is no test. They include 0 if `p_value` is above 1 - `confidence` |
 * | `p_value` | Float64 | probability of a difference at least as large as the observed difference if both groups had the same retention; null if there is no test |
 * | `p_adjusted` | Float64 | `p_value` adjusted for the number of rows: of the rows with `p_adjusted` below 0.05, at most 5% are expected to be false findings (Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57, 289-300) |
 * | `lower_all`, `upper_all` | Float64 | bounds of all differences of the month together (Bonferroni): the probability that one of them or more does not contain its true difference is at most 1 - `confidence` |
 * | `test` | String | `paired`, `jackknife`, `unweighted` or `score`; null if there is no test |
 * | `cluster_a`, `cluster_b` | String | kind of the clusters of each group: the column of units, such as `project_id`; or `cohort_block` or `none`. The tests assume that clusters are independent, but for shocks that units share |
 * | `clusters_a`, `clusters_b` | Int64 | for each group, the number of clusters that have a value in the month; null if the kind is `none` |
 * | `pairs`, `unpaired` | Int64 | number of units in both groups, and number of units in only one of the two, which `test: "paired"` leaves out; null if no unit is in both |
 * | `rests_on` | String | what the comparison rests on: the numbers of clusters of both groups, such as `14 against 12 units`, or `8 units in both` if paired; without clusters, users |
 * | `reason` | String | the reason why there is no test, or what the test does not allow for; the fraction of the variance that is shared shocks, if it is above half; and groups with fewer than 10 retained or lost users |
 * | `confidence` | Float64 | the confidence of the bounds, the same in every row: 0.95 for 95% |
 *
 * The p value comes from one of these tests:
 *
 * - `paired`, with the option `paired`: only units that are in both groups are compared, each with itself. The difference
 *   is that of Mantel and Haenszel: the mean of the units' differences of shares with the weights n₁n₀/(n₁ + n₀), where
 *   n₁ and n₀ are the users of a unit in the two groups (Greenland and Robins 1985, Biometrics 41, 55-68). `retention_a`
 *   and `retention_b` have the same weights. The error comes from a jackknife over units, and Student's t has the
 *   effective number of units (Kish 1965) minus 1 degrees of freedom. Shared shocks add
 *   `max(0, V_blocks - V_binomial)` to the variance of the difference, where `V_binomial` is
 *   `Σw²(p₁q₁/n₁ + p₀q₀/n₀) / (Σw)²`.
 * - `jackknife`, if both groups have two or more clusters: a t test of the difference of the user-weighted retentions on
 *   the logit scale. The standard errors are those of `pooledRetention`, from a jackknife over clusters, with the degrees
 *   of freedom of Satterthwaite (1946), but at most twice those of the smaller group. A unit that is in both groups is
 *   left out of both at once, and the degrees of freedom are then the smaller ones of the two groups. A standard error is
 *   at least as large as if users were independent. Let m be the weighted mean of the two logits, where the weight of each logit is the variance v of the other logit. A confidence
 *   limit d of the difference of the logits becomes the bound
 *   `expit(m + d·v_a/(v_a+v_b)) - expit(m - d·v_b/(v_a+v_b))`. Therefore the bounds agree with the test.
 * - `unweighted`, the same for `estimate: "unweighted"`: a t test of the means of the shares of the units, each converted
 *   to the logit scale.
 * - `score`, if users are treated as independent: the score test of two proportions, with Newcombe's bounds (1998,
 *   method 10).
 *
 * With several columns in `by`, the groups of the last column are compared inside each combination of the columns before
 * it: `by: ["market_sector_id", "span"]` compares spans inside each sector. To compare all pairs, make one column of the
 * columns.
 *
 * Tests of units allow for shocks that all units of a group share at one time, as `pooledRetention` does. If both groups
 * have the same cohort dates, they live through the same months, and a block of time is left out of both at once.
 * Otherwise the variances of the two groups add up. p values are never smaller than by units alone. With three blocks of
 * dates, such tests still find too many differences where months move units much: docs/coverage.md has the rates.
 *
 * There is no test if a group has only one cluster or fewer than three cohorts to divide into blocks, or if a group
 * retains none or all of its users. `reason` states which of these cases applies.
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
     * The values of `by` to compare. Differences are those of an earlier group minus a later group of this list. With
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
     * The retention that is compared: `"weighted"`, the retention of all users of a group, or `"unweighted"`, the
     * mean of the shares of its units, as in `pooledRetention`. `"unweighted"` needs groups of several units. Paired
     * comparisons have one estimate, so that these are then an error. `"cumulative"` compares how long users stay: the
     * mean number of active months up to `month`, or amounts in these months for each unit of month 0.
     *
     * @default {"weighted"}
     */
    readonly estimate?: "weighted" | "unweighted" | "cumulative";
    /**
     * Whether only units that are in both groups are compared, each with itself. With `false`, all units count.
     *
     * @default {true if `by` contains `"span"`}
     */
    readonly paired?: boolean;
  } & CohortOptions = {},
): Staged<"compared"> {
  const fn = "compareRetention";
  const checked = checkOptions(options, {
    ...COHORT_RULES,
    estimate: oneOf(["weighted", "unweighted", "cumulative"] as const),
    groups: listOf(string),
    month: someMonths,
    paired: boolean,
  }, fn);
  const { by = ["project_id"], month: months = [1], washout = WASHOUT } = checked;
  const { estimate, confidence = 0.95 } = checked;
  const paired = isPaired({ ...checked, by }, fn);
  const pairs = comparedPairs(curves, {
    ...checked,
    fn,
    by,
    months,
    washout,
    confidence,
    estimate: estimate ?? "weighted",
  });
  const isCumulative = estimate === "cumulative";
  const testsAt = (confidence: number) => (pair: readonly [Compared, Compared]) =>
    timesOf(
      pair[0],
      retentionTest(pair[0].found, pair[1].found, {
        confidence,
        estimate: isCumulative ? "weighted" : estimate,
        paired: paired(pair),
      }),
    );
  const tests = pairs.map(testsAt(confidence));
  const adjusted = benjaminiHochberg(tests.map(({ p_value }) => p_value));
  const bounded = Map.groupBy(
    pairs.filter((_, index) => !Number.isNaN(tests[index]!.lower)),
    ([{ month }]) => month,
  );
  const rows = pairs.map((pair, index) => {
    const [a, b] = pair;
    const together = bounded.get(a.month)?.length ?? 1;
    const all = testsAt(1 - (1 - confidence) / together)(pair);
    const { reason, shared, ...test } = tests[index]!;
    const [cumulative_a, cumulative_b] = (["a", "b"] as const).map((side, at) =>
      1 + monthsOf(pair[at]!) * (test[`retention_${side}`] ?? pair[at]!.found.retention)
    );
    const remarks = remarksOn(pair, {
      shared: test.test === null ? undefined : shared ?? 0,
      paired: test.test === "paired",
    });
    const clusters = ({ group, found }: Compared) =>
      group.cluster === "none" ? NaN : found.clusters.length;
    const both = pairsOf(a.found.clusters, b.found.clusters).length || NaN;
    return {
      group_a: a.id,
      group_b: b.id,
      name_a: a.name,
      name_b: b.name,
      month: a.month,
      retention_a: a.found.retention,
      retention_b: b.found.retention,
      difference: monthsOf(a) * (a.found.retention - b.found.retention),
      cluster_a: a.group.cluster,
      clusters_a: clusters(a),
      cluster_b: b.group.cluster,
      clusters_b: clusters(b),
      pairs: both,
      unpaired: clusters(a) + clusters(b) - 2 * both,
      ...test,
      cumulative_a,
      cumulative_b,
      rests_on: restsOn(pair, test.test === "paired" ? both : undefined),
      reason: [reason ?? [], remarks].flat().join("; ") || null,
      lower_all: all.lower,
      upper_all: all.upper,
      p_adjusted: adjusted[index],
      confidence,
    };
  });
  const kind = !isCumulative
    ? "number fraction"
    : amountUnit(curves, "size") === null
    ? "number months"
    : "number";
  const compared = tableOf(rows, [
    ["text id", "group_a", "group_b"],
    ["text", "name_a", "name_b"],
    ["whole months", "month"],
    ...isCumulative
      ? [[kind, "cumulative_a", "cumulative_b"] as const]
      : [[kind, "retention_a", "retention_b"] as const],
    [kind, "difference", "lower", "upper"],
    ["number statistic", "p_value", "p_adjusted"],
    [kind, "lower_all", "upper_all"],
    ["text", "test", "cluster_a"],
    ["whole clusters", "clusters_a"],
    ["text", "cluster_b"],
    ["whole clusters", "clusters_b", "pairs", "unpaired"],
    ["text", "rests_on", "reason"],
    ["number fraction", "confidence"],
  ]);
  return withProvenance(curves, compared, {
    fn,
    options,
    of: COUNTED,
    first: [
      ...["name_a", "name_b", "difference"],
      ...["lower", "upper", "p_adjusted", "test", "clusters_a", "clusters_b", "p_value"],
      ...isCumulative ? ["cumulative_a", "cumulative_b"] : ["retention_a", "retention_b"],
      // The month of all rows is an option of the call.
      ...months.length === 1 ? ["month"] : [],
    ],
  });
}
