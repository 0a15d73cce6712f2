import {
  checkOptions,
  integer,
  oneOf,
  type Refuse,
  required,
} from "../../platform/check_options.ts";
import { counted, listed, notify } from "../../platform/terminal.ts";
import type { Column } from "../../schema/dictionary.ts";
import { type DataFrame, pl } from "../../table/columns/polars.ts";
import { withProvenance } from "../../table/show/show.ts";
import { columnIn } from "../../table/track/descriptions.ts";
import { tableOf } from "../columnar.ts";
import { aConfidence } from "../intervals.ts";
import { type EventDesign, eventDesign, refuse, textNumbers } from "./event_design.ts";
import { layoutOf } from "./event_layout.ts";
import { eventRows } from "./event_rows.ts";
import { sharedBy, strataOf, strataRule } from "./event_strata.ts";
import { testEffects } from "./event_tests.ts";
import { type ById, startsRule } from "./starts.ts";
import { type Study, STUDY_RULES, studyPanel } from "./study_panel.ts";

const FN = "eventStudy";
const FEWEST = 2;
const RULES = {
  ...STUDY_RULES,
  starts: required(startsRule),
  controls: oneOf(["never", "not-yet"]),
  scale: oneOf(["level", "log", "total"]),
  base: (value: unknown, refuse: Refuse) =>
    value === "before"
      ? value
      : integer(-1200, -1)(value, (rule) => refuse(`${rule}, or "before"`)),
  within: strataRule,
  cluster: strataRule,
  aggregate: oneOf(["group", "simple", "dynamic"]),
  confidence: aConfidence,
};

/** Medians before the start that differ by this factor are noted. */
const FAR_APART = 3;

/**
 * Returns a notice on treated entities and controls of very different size, whose changes in units are not comparable: a
 * market that grows by 5% makes an effect.
 */
function sizesNotice({ dates, values }: Study, { labels, waves }: EventDesign, write: string) {
  if (values.some((value) => value <= 0)) return false;
  const first = Math.min(...waves.map(({ start }) => start));
  const before = dates.filter(({ end }) => end < first).length;
  const medianOf = (isTreated: boolean) => {
    const known = [...labels.keys()].flatMap((unit) =>
      labels[unit]! < 0 || (labels[unit]! < waves.length) !== isTreated
        ? []
        : [...values.subarray(unit * dates.length, unit * dates.length + before)]
    ).filter((value) => !Number.isNaN(value));
    return pl.Series(known).median() ?? NaN;
  };
  const [treated, controls] = [medianOf(true), medianOf(false)];
  const ratio = treated / controls;
  return (ratio >= FAR_APART || ratio <= 1 / FAR_APART) &&
    `medians of ${write} before the start: ${Number(treated.toPrecision(3))} treated, ` +
      `${Number(controls.toPrecision(3))} controls; common growth looks like an effect: scale ` +
      '"log" or "total" compares relative changes';
}

/** Makes the table of the result. */
function tableFor(
  rows: readonly object[],
  effects: "number" | "number fraction" | "number field",
  times: "whole days" | "whole months" | "whole",
) {
  return (field: Column | undefined) =>
    tableOf(rows, [
      ["text id", "row"],
      [times, "event_time"],
      ["date", "wave"],
      [effects, "effect", "lower", "upper"],
      ["number percent", "effect_percent", "lower_percent", "upper_percent"],
      [effects, "lower_all", "upper_all"],
      ["number statistic", "p_value"],
      ["text", "fit", "rests_on", "reason"],
      ["whole", "entities", "controls", "missing_treated", "missing_controls"],
      ["number", "entities_effective"],
      [effects, "breakdown"],
      ["number statistic", "pre_p"],
      [effects, "pre_slope", "pre_slope_lower", "pre_slope_upper"],
      ["number statistic", "pre_slope_p"],
      [effects, "post_slope", "post_slope_lower", "post_slope_upper"],
      ["number statistic", "post_slope_p"],
      ["whole", "left_out"],
      ["text", "field", "scale"],
      ["number fraction", "confidence"],
    ], field);
}

/**
 * Estimates the effect of a program on entities of which some took part, at different times, and others did not.
 *
 * Compares the change of each treated entity since its base with the change of the controls over the same dates. The
 * base is the last period before its start. These are the group-time effects of Callaway and Sant'Anna (2021, Journal
 * of Econometrics 225, 200-230) without covariates. Returns one row `overall`, which is the one to cite, then one row per
 * time since the start, and one per wave. Shows the test of the times before the start, and the number of treated
 * entities, on standard error or in the notebook.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `row` | String | `overall`, `time` or `wave` |
 * | `event_time` | Int64 | periods since the start: 0 is the first period after the start, -1 the last before it; null for waves and `overall` |
 * | `wave` | Date | the start of the wave; null for rows of all waves. Starts between the same two periods are one wave, with the earliest of these starts |
 * | `effect` | Float64 | the effect, in the unit of `field`; of logarithms with `scale: "log"` and `"total"`; of shares for retention, so that 0.03 is 3 points. Each row weighs by the number of treated entities. `wave` and `overall` count each treated entity once, by its mean over all its times from 0 on (see `aggregate`) |
 * | `lower`, `upper` | Float64 | bounds of this effect alone, by Student's t |
 * | `effect_percent`, `lower_percent`, `upper_percent` | Float64 | the effect and its bounds in percent: 5 is 5% more. Null with `scale: "level"`, and for retention |
 * | `lower_all`, `upper_all` | Float64 | bounds of the effects of all times together, without groups of fewer than 4 treated entities; null in other rows |
 * | `p_value` | Float64 | the probability of so large a \|t\| if the program had no effect, by the same Student's t as `lower` and `upper` |
 * | `fit` | String | `poor` if the smaller one of `pre_p` and `pre_slope_p` is at most .025: both sides differed before the start; otherwise `good`. Null without these tests, and in other rows than `overall` |
 * | `rests_on` | String | the numbers of treated entities and of controls, such as `14 treated, 146 controls` |
 * | `reason` | String | why a value is null or needs care, such as `other entities than at time 3` if not the same treated entities count at both times; in the row `overall` also that effects change with time, if `post_slope_p` is at most .05 |
 * | `entities`, `controls` | Int64 | number of treated entities and of controls that count: with a value at the base and at one time of the row |
 * | `missing_treated`, `missing_controls` | Int64 | number of treated entities and of controls that lack a value which the row needs |
 * | `entities_effective` | Float64 | the number of equally large treated entities on which a sum rests (Kish 1965), with `scale: "total"`; otherwise null |
 * | `breakdown` | Float64 | the difference of linear trends, per period, that would bring the bounds of `overall` to 0 (Roth 2022, American Economic Review: Insights 4); 0 if they contain 0. Compare it with `pre_slope_lower` and `pre_slope_upper` |
 * | `pre_p` | Float64 | the p value of all times before the base together: below .05, treated entities and controls already differed before the start |
 * | `pre_slope`, `pre_slope_lower`, `pre_slope_upper`, `pre_slope_p` | Float64 | the difference of the slopes before the start, per period: the mean of the treated entities less that of the controls, its bounds and its p value. Null with fewer than 3 periods before the start |
 * | `post_slope`, `post_slope_lower`, `post_slope_upper`, `post_slope_p` | Float64 | the same for the times from 0 on: how the effect changes per period |
 * | `left_out` | Int64 | number of entities that count in no row |
 * | `field`, `scale`, `confidence` | String, Float64 | the options; `scale` is `points` for retention |
 *
 * Only the row `overall` has `breakdown`, `fit`, `rests_on`, the tests before and after the start, `left_out` and the
 * options. With logarithms, `effect_percent` is a geometric mean of ratios, less 100%.
 *
 * Times count complete periods. A period that contains the start but does not begin with it has no time. With `until`,
 * a period ends there, otherwise on its `date`. In retention curves, the date of a value is the month in which it was
 * observed: `cohort_date` plus `month`. So in the first `month` months after the start, the users had arrived before
 * it. Cohorts with fewer than 3 tracked months are left out. Each project counts once. A common change of logits by .3
 * moves a retention of 10% by 3.0 points and one of 30% by 6.6 points, so a change of the market looks like an effect if
 * participants and controls keep very different shares of their users.
 *
 * An effect is a difference of means, so its variance is the sum of s²/k over waves, strata and controls. The degrees of
 * freedom are Satterthwaite's. Groups with one treated entity have no variance of their own: they are taken together.
 * Let d be the number of treated entities minus the number of these groups, or of controls minus strata. If d is below
 * 3, the degrees of freedom are at most d; if it is below 1, there are no bounds. `pre_p`, `lower_all` and `upper_all` use the
 * smallest p value of 999 simulated worlds, in which each group is drawn anew from its own covariance. Groups of fewer than
 * 4 treated entities have no part in them. They are null with fewer than 8 treated entities in the other groups, and for sums. docs/coverage.md has the simulated rates.
 *
 * With `cluster`, errors are those of the delete-one-cluster jackknife. The variances of clusters with and without treated
 * entities are added. The degrees of freedom are Satterthwaite's with the effective number of treated clusters (Kish
 * 1965). Bounds need 4 clusters with treated entities and 2 without.
 *
 * With `scale: "total"`, sums are compared (Poisson differences in differences; Chen and Roth 2024, Quarterly Journal of
 * Economics 139, 891-936). An effect is log(sum of observed values of the treated entities / sum of expected ones), and the
 * expected sum is that of the base, times the ratio of the controls' sums. Zeros count. Errors are those of the
 * delete-one jackknife; the degrees of freedom are the number of treated entities minus that of their groups.
 *
 * The estimate assumes that without the program, treated entities would have changed like the controls (parallel
 * trends), that it has no effect on controls, and that entities, or clusters, are independent. Participants were chosen, not drawn: an effect can be selection. With very different sizes, common growth looks like an effect of `scale: "level"`; a notice names the medians. An
 * entity that ends must be null afterwards, never 0. Leaving out controls that end makes an effect out of nothing, so
 * keep them in the frame: `missing_controls` counts them.
 *
 * @example Did a program raise the fees of the 14 projects that took part?
 * ```ts
 * import { eventStudy, timeline } from "@chainframe/chainframe";
 *
 * const fees = await timeline({
 *   metric_ids: ["fees"],
 *   group_by: "projects",
 *   every: "month",
 *   from: "2024-07",
 *   to: "2026-05",
 * });
 * const waves = {
 *   "2025-10": [
 *     ...["marrow-exchange", "hearthlend", "stillwater-stake", "helix-perps"],
 *     ...["causeway", "orchard-quest", "evenkeel"],
 *   ],
 *   "2026-01": [
 *     ...["quillswap", "kora-finance", "basaltine", "vantage-margin"],
 *     ...["packet-ferry", "lantern-run", "brambledale"],
 *   ],
 * };
 * const starts = Object.fromEntries(
 *   Object.entries(waves).flatMap(([start, ids]) => ids.map((id) => [id, start])),
 * );
 * const study = eventStudy(fees, { field: "fees_sum", starts, scale: "total", base: -1 });
 * console.log(study.select("row", "event_time", "effect_percent", "p_value", "entities").toString());
 * ```
 *
 * @param frame a frame of entities over time, such as one of `timeline`; or a frame of `retentionCurves`, with the
 * option `month`
 * @throws {RangeError} when columns are missing, there are fewer than 2 treated entities or 2 controls, a start lies
 * outside the data, more than half of the treated entities have fewer than 4 periods before the start, no entity has a
 * row of a period, no stratum can be compared, or the scale does not have a value.
 * @throws {TypeError} when a column has the wrong dtype.
 * @category Analysis
 */
export function eventStudy(frame: DataFrame, options: {
  /** The column of values. This option is not required for retention curves, whose values are in `retention`. */
  readonly field?: string;
  /**
   * The first day of each treated entity by its id, as a Date or a text such as `2025-10-13`, or a frame with a
   * column of ids and the column `start`. A month or a year means its first day. Null, or no entry, means never.
   */
  readonly starts: ById<string | Date | null>;
  /**
   * The entities with which treated entities are compared: `"never"` treated, or `"not-yet"` treated, which adds
   * entities up to the base before their own start.
   *
   * @default {"never"}
   */
  readonly controls?: "never" | "not-yet";
  /**
   * `"log"` compares natural logarithms, so that effects are relative: use it for entities of very different size.
   * `"total"` compares sums of values, relative, too: use it for values with zeros. Retention is always compared in
   * points.
   *
   * @default {"level"}
   */
  readonly scale?: "level" | "log" | "total";
  /**
   * The time with which all other times are compared: -1 is the last period before the start. Use -2 if the program
   * was announced a period before its start. `"before"` is the mean of all periods before the start, of which an entity
   * needs 3. It has a lower variance than -1 if differences between entities fade, and a higher one if they persist.
   *
   * @default {-1; with `scale: "total"` `"before"`}
   */
  readonly base?: number | "before";
  /**
   * Strata: the column that has them, or texts by id, or a frame of ids and texts. Each treated entity is compared with
   * the controls of its stratum, so that what a stratum shares is no effect. Strata without treated entities or without 2
   * controls are left out.
   *
   * @default {none}
   */
  readonly within?: string | ById<string | null>;
  /**
   * Clusters that are independent of each other, in place of entities: the column that has them, or texts by id, or a
   * frame of ids and texts.
   *
   * @default {entities}
   */
  readonly cluster?: string | ById<string | null>;
  /**
   * How `overall` averages: `"group"` counts each treated entity once, `"simple"` each entity at each time, and
   * `"dynamic"` each time since the start.
   *
   * @default {"group"}
   */
  readonly aggregate?: "group" | "simple" | "dynamic";
  /**
   * The columns that name the entities. For retention curves: `"project_id"` or `"market_sector_id"`. Ids of several
   * columns are written `DE · ads`.
   *
   * @default {the smallest set of columns of texts that, with the date, makes rows unique; for retention curves `"project_id"`}
   */
  readonly entity?: string | readonly string[];
  /**
   * The column of dates.
   *
   * @default {"date"}
   */
  readonly date?: string;
  /** The month of retention to compare, 1 or more. Required for retention curves, and only allowed for these. */
  readonly month?: number;
  /**
   * The confidence of all bounds, between 0 and 1.
   *
   * @default {0.95}
   */
  readonly confidence?: number;
}): DataFrame {
  const checked = checkOptions(options, RULES, FN);
  const { starts: startsOf, month, within, cluster, confidence = 0.95 } = checked;
  if (month !== undefined && checked.scale !== undefined) {
    refuse(`scale: retention is compared in points; got ${checked.scale}`);
  }
  if (within !== undefined && cluster !== undefined) {
    refuse("within, cluster: must not be given together");
  }
  const scale = month === undefined ? checked.scale ?? "level" : "points";
  const total = scale === "total";
  if (total && checked.aggregate !== undefined) {
    refuse(`aggregate: sums have no other means; got ${checked.aggregate}`);
  }
  const base = checked.base ?? (total ? "before" : -1);
  const study = studyPanel(frame, FN, checked);
  const starts = startsOf!(FN, study.entity);
  const layout = layoutOf(eventDesign(study, {
    starts,
    base,
    scale,
    strata: within === undefined ? within : strataOf(within, "within", study),
    notYet: checked.controls === "not-yet",
    aggregate: checked.aggregate ?? "group",
  }));
  const [{ treated, controls }] = layout.effects as [typeof layout.effects[number]];
  if (treated.size < FEWEST || controls.size < FEWEST) {
    refuse(
      `starts: needs ${FEWEST} treated entities and ${FEWEST} controls with values at the base ` +
        `and after the start; got ${treated.size} and ${controls.size}`,
    );
  }
  const clusters = cluster === undefined
    ? cluster
    : textNumbers(strataOf(cluster, "cluster", study));
  const tested = testEffects(layout, { confidence, clusters });
  const rows = eventRows(study, layout, { tested, scale, month, confidence });
  const { pre_p, pre_slope_p } = tested.slopes;
  const told = Number.isNaN(pre_p)
    ? Number.isNaN(pre_slope_p) ? "too few to test" : `p ${pre_slope_p.toPrecision(2)} (slope)`
    : `p ${pre_p.toPrecision(2)}`;
  const known = new Set(study.ids);
  const absent = [...starts.keys()].filter((id) => !known.has(id));
  const participants = new Set([...treated].map((unit) => study.ids[unit]!));
  const notices = [
    `${counted(treated.size, "treated entity")}, ${
      counted(controls.size, "control")
    }; times before the start: ${told}; ` +
    "participants were chosen, not drawn: an effect can be selection",
    scale === "level" && sizesNotice(study, layout.design, study.field),
    sharedBy(study, participants, within),
    absent.length > 0 && `starts: not in the frame: ${listed(absent)}`,
  ];
  for (const notice of notices) if (notice) notify(`${FN}: ${notice}`);
  const effects = scale === "level"
    ? "number field"
    : scale === "points"
    ? "number fraction"
    : "number";
  const [first, second] = study.dates.map(({ start }) => start) as [number, number];
  const unit = second - first === 1
    ? "whole days"
    : Math.abs(second - first - 29.5) < 2
    ? "whole months"
    : "whole";
  const table = tableFor(rows, effects, unit);
  return withProvenance(frame, table(columnIn(frame, study.field)), {
    fn: FN,
    options,
    first: ["event_time", "effect", "lower", "upper", "p_value", "fit", "rests_on"],
  });
}
