import { checkOptions, integer, oneOf, required } from "../../platform/check_options.ts";
import { listed, notify } from "../../platform/terminal.ts";
import type { DataFrame } from "../../table/build/polars.ts";
import { columnIn } from "../../table/track/frame_columns.ts";
import { longestEvery } from "../../table/read/periods.ts";
import { withProvenance } from "../../table/show/show.ts";
import { tableOf } from "../columns.ts";
import { effectsOf, type EventDesign, membersOf } from "./event_design.ts";
import { eventDesign, refuse, startsRule } from "./event_panel.ts";
import { testEffects } from "./event_tests.ts";
import { aConfidence } from "../intervals.ts";
import { STUDY_RULES, studyPanel } from "./study_panel.ts";

const FN = "eventStudy";
const FEWEST_TREATED = 2;
const FEWEST_CONTROLS = 5;
/** Shares of missing values of treated entities and of controls that differ by more than this are noted. */
const UNEVEN = 0.1;

const RULES = {
  ...STUDY_RULES,
  starts: required(startsRule),
  controls: oneOf(["never", "not-yet"]),
  scale: oneOf(["level", "log"]),
  base: integer(-1200, -1),
  zeros: oneOf(["refuse", "skip"]),
  detail: oneOf(["times of waves"]),
  confidence: aConfidence,
};

type Tested = ReturnType<typeof testEffects>;

/** Returns the rows of the result: each effect with the entities that count in it, and the reason why it needs care. */
function rowsOf(
  design: EventDesign,
  results: Tested["results"],
  { base, month = 0 }: { readonly base: number; readonly month: number | undefined },
) {
  const members = results.map((each) => membersOf(design, each));
  const counted = new Set(members.flatMap(({ treated, controls }) => [...treated, ...controls]));
  return results.map(({ row, time, wave, ...each }, at) => {
    const { treated, controls, missing_treated, missing_controls } = members[at]!;
    const isTime = row === "time";
    const near = at + (time < base ? 1 : -1);
    const [share, other] = [[missing_treated, treated], [missing_controls, controls]]
      .map(([missing, known]) =>
        missing!.length / Math.max(1, new Set([...missing!, ...known!]).size)
      ) as [number, number];
    const uneven = isTime && Math.abs(share - other) > UNEVEN;
    const { start, times } = design.waves[wave]!;
    const reasons = isTime && time === base ? ["the base"] : [
      Number.isNaN(each.effect) && "needs a treated entity and 2 controls with values",
      Number.isNaN(each.lower) && !Number.isNaN(each.effect) &&
      "one treated entity: no bounds",
      isTime && String(members[near]!.treated) !== String(treated) &&
      `other entities than at time ${results[near]!.time}`,
      uneven && `without a value: ${Math.round(100 * share)}% of the treated, ` +
        `${Math.round(100 * other)}% of the controls`,
      row === "wave" && !times.some((time) => time < base) &&
      `fewer than ${1 - base} periods before the start: no part in pre_p`,
      isTime && time >= 0 && time < month && "these users arrived before the start",
    ].filter((reason) => reason !== false);
    return {
      ...each,
      ...{ row, uneven },
      event_time: row.startsWith("time") ? time : null,
      wave: row.endsWith("wave") ? start : null,
      entities: treated.length,
      controls: controls.length,
      missing_treated: missing_treated.length,
      missing_controls: missing_controls.length,
      left_out: design.labels.length - counted.size,
      reason: reasons.join("; ") || null,
    };
  });
}

/** Shows what a reader must know about any result: how entities were chosen, and what the times before the start say. */
function warn(rows: ReturnType<typeof rowsOf>, { pre_p, month, absent }: {
  readonly pre_p: number;
  readonly month: number | undefined;
  readonly absent: readonly string[];
}): void {
  const { entities, controls } = rows.at(-1)!;
  const uneven = rows.filter((each) => each.uneven).length;
  const before = Number.isNaN(pre_p) ? "too few to test" : `p ${pre_p.toPrecision(2)}`;
  const lines = [
    `${entities} treated entities, ${controls} controls; times before the start: ${before}; ` +
    "participants were chosen, not drawn: an effect can be selection",
    absent.length > 0 && `starts: not in the frame: ${listed(absent)}`,
    uneven > 0 &&
    `at ${uneven} times, the treated and the controls lack values in shares that differ by more ` +
      `than ${UNEVEN}; entities that end can make an effect out of nothing`,
    month !== undefined &&
    `cohorts observed in the first ${
        month === 1 ? "month" : `${month} months`
      } had arrived before ` +
      "the start",
  ];
  for (const line of lines) if (line !== false) notify(`${FN}: ${line}`);
}

/**
 * Estimates the effect of a program on entities of which some took part, at different times, and others did not.
 *
 * Compares the change of each treated entity since its base with the change of the controls over the same dates. The
 * base is the last period before its start. These are the group-time effects of Callaway and Sant'Anna (2021, Journal
 * of Econometrics 225, 200-230) without covariates. Returns one row per time since the start, one per wave, and one
 * `overall`. Shows the test of the times before the start, and the number of treated entities, on standard error or in
 * the notebook.
 *
 * | column | dtype | |
 * |---|---|---|
 * | `row` | String | `time`, `wave` or `overall`; with `detail` also `time of wave` |
 * | `event_time` | Int64 | periods since the start: 0 is the first period after the start, -1 the last before it; null for waves and `overall` |
 * | `wave` | Date | the start of the wave; null for rows of all waves. Starts between the same two periods are one wave, with the earliest of these starts |
 * | `effect` | Float64 | the effect, in the unit of `field`; with `scale: "log"`, of logarithms; for retention, of logits. Each row weighs by the number of treated entities. `wave` and `overall` count each treated entity once, by its mean over all its times from 0 on |
 * | `lower`, `upper` | Float64 | bounds of this effect alone, by Student's t |
 * | `effect_percent` | Float64 | the effect in percent: 5 is 5% more; for retention, of the odds. Null with `scale: "level"` |
 * | `lower_all`, `upper_all` | Float64 | bounds of the effects of all times together; null in other rows |
 * | `p_value` | Float64 | the probability of so large a \|t\| if the program had no effect, by permutation |
 * | `entities`, `controls` | Int64 | number of treated entities and of controls that count: with a value at the base and at one time of the row |
 * | `missing_treated`, `missing_controls` | Int64 | number of treated entities and of controls that lack a value which the row needs |
 * | `pre_p` | Float64 | the p value of all times before the base together, the same in every row: below .05, treated entities and controls already differed before the start |
 * | `left_out` | Int64 | number of entities that count in no row |
 * | `reason` | String | why a value is null or needs care, such as `other entities than at time 3` |
 * | `field`, `scale`, `confidence` | String, Float64 | the options, the same in every row; `scale` is `logit` for retention |
 *
 * Times count complete periods. A period that contains the start but does not begin with it has no time. With `until`,
 * a period ends there, otherwise on its `date`. In retention curves, the date of a value is the month in which it was
 * observed: `cohort_date` plus `month`. So in the first `month` months after the start, the users had arrived before
 * it. Cohorts with fewer than 3 tracked months are left out. A retention is compared as a logit, with half a user added
 * on both sides, so that each project counts once.
 *
 * An effect is a difference of means, so its variance is the sum of s²/k over waves and controls. The degrees of freedom
 * are Satterthwaite's. A wave with one entity has no variance of its own: such waves are taken together. `p_value`,
 * `pre_p`, `lower_all` and `upper_all` come from permutations of who was treated when: all of them if there are at most
 * 5 000, otherwise 4 999 drawn with a fixed seed. `pre_p` and the bounds of all times use the largest \|t\| of these
 * times; for the bounds, the estimated effects are first taken off the treated entities. A wave with fewer than 2
 * periods before its start has no part in `pre_p`.
 *
 * The estimate assumes that without the program, treated entities would have changed like the controls (parallel
 * trends), and that it has no effect on controls. Participants were chosen, not drawn: an effect can be selection. An
 * entity that ends must be null afterwards, never 0. Leaving out controls that end makes an effect out of nothing, so
 * keep them in the frame: `missing_controls` counts them.
 *
 * @example Did two programs raise the fees of the projects that took part?
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
 * const study = eventStudy(fees, {
 *   field: "fees_sum",
 *   starts: { tidewater: "2025-10", senal: "2026-01" },
 *   scale: "log",
 *   zeros: "skip",
 * });
 * console.log(study.select("row", "event_time", "effect_percent", "p_value", "entities").toString());
 * ```
 *
 * @param frame a frame of entities over time, such as one of `timeline`; or a frame of `retentionCurves`, with the
 * option `month`
 * @throws {RangeError} when columns are missing, there are fewer than 2 treated entities or 5 controls, a start lies
 * outside the data, more than half of the treated entities have fewer than 4 periods before the start, or a value has no
 * logarithm.
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
  readonly starts: Readonly<Record<string, string | Date | null>> | DataFrame;
  /**
   * The entities with which treated entities are compared: `"never"` treated, or `"not-yet"` treated, which adds
   * entities up to the base before their own start.
   *
   * @default {"never"}
   */
  readonly controls?: "never" | "not-yet";
  /**
   * `"log"` compares natural logarithms, so that effects are relative. Use it for entities of very different size.
   * Retention is always compared as logits.
   *
   * @default {"level"}
   */
  readonly scale?: "level" | "log";
  /**
   * The time with which all other times are compared: -1 is the last period before the start. Use -2 if the program
   * was announced a period before its start.
   *
   * @default {-1}
   */
  readonly base?: number;
  /**
   * How `scale: "log"` treats a value of 0: `"refuse"` throws, `"skip"` treats it as missing.
   *
   * @default {"refuse"}
   */
  readonly zeros?: "refuse" | "skip";
  /**
   * `"times of waves"` adds one row per wave and time.
   *
   * @default {none}
   */
  readonly detail?: "times of waves";
  /**
   * The column that names the entities. For retention curves: `"project_id"` or `"market_sector_id"`.
   *
   * @default {`data_id`, else the only column whose name ends in `_id`, else the only column of texts; for retention curves `"project_id"`}
   */
  readonly entity?: string;
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
  const { starts: startsOf, month, base = -1, confidence = 0.95 } = checked;
  if (month !== undefined && checked.scale !== undefined) {
    refuse(`scale: retention is compared as logits; got ${checked.scale}`);
  }
  const scale = month === undefined ? checked.scale ?? "level" : "logit";
  const study = studyPanel(frame, { fn: FN, ...checked });
  const starts = startsOf!(study.entity);
  const design = eventDesign(study, {
    ...{ starts, base, scale },
    zeros: checked.zeros ?? "refuse",
    notYet: checked.controls === "not-yet",
    detail: checked.detail !== undefined,
  });
  const few = membersOf(design, effectsOf(design).at(-1) ?? { changes: [] });
  if (few.treated.length < FEWEST_TREATED || few.controls.length < FEWEST_CONTROLS) {
    refuse(
      `starts: needs ${FEWEST_TREATED} treated entities and ${FEWEST_CONTROLS} controls with ` +
        `values at the base and after the start; got ${few.treated.length} and ` +
        few.controls.length,
    );
  }
  const { pre_p, results } = testEffects(design, confidence);
  const rows = rowsOf(design, results, { base, month });
  const known = new Set(study.ids);
  warn(rows, { pre_p, month, absent: [...starts.keys()].filter((id) => !known.has(id)) });
  const percent = (effect: number) => scale === "level" ? null : 100 * Math.expm1(effect);
  const table = rows.map((each) => ({
    ...each,
    ...{ pre_p, field: study.field, scale, confidence, effect_percent: percent(each.effect) },
  }));
  const effects = scale === "level" ? "number field" : "number";
  const every = longestEvery(study.dates.map(({ start }) => start));
  const unit = every === "month" || every === "day" ? `whole ${every}s` as const : "whole";
  const result = tableOf(table, [
    ["text id", "row"],
    [unit, "event_time"],
    ["date", "wave"],
    [effects, "effect", "lower", "upper"],
    ["number percent", "effect_percent"],
    [effects, "lower_all", "upper_all"],
    ["number statistic", "p_value"],
    ["whole", "entities", "controls", "missing_treated", "missing_controls"],
    ["number statistic", "pre_p"],
    ["whole", "left_out"],
    ["text", "reason", "field", "scale"],
    ["number fraction", "confidence"],
  ], columnIn(frame, study.field));
  return withProvenance(frame, result, {
    fn: FN,
    options,
    first: ["effect", "lower", "upper", "p_value", "entities", "controls"],
  });
}
