import { studentQuantile } from "../distributions.ts";
import {
  effectiveDegrees,
  type Interval,
  jackknifeError,
  logLogBounds,
  NO_INTERVAL,
  unionOf,
} from "../intervals.ts";
import { sumOf } from "../sums.ts";
import { BLOCKS_NOTE, type CohortGroup, type Counts, partsOf } from "./cohort_counts.ts";
import { fewUsers } from "./retention_estimate.ts";
import { NO_BLOCKS, sharedRemark, withShocks } from "./shared_shocks.ts";
import {
  activeShare,
  fitted,
  type ModelFit,
  predictionErrors,
  predictionOf,
  type RetentionModel,
  type Transition,
} from "./retention_models.ts";

/** Options for forecasting a curve. */
interface Wanted {
  readonly model: RetentionModel;
  /** The last month of the result. */
  readonly last: number;
  readonly confidence: number;
}

/**
 * Returns the non-increasing levels that are closest to the given levels by weighted least squares: pools adjacent
 * violators (Ayer, Brunk, Ewing, Reid and Silverman 1955, Annals of Mathematical Statistics 26, 641-647). Each level is
 * weighted by its users. The first one can have none.
 */
export function nonIncreasing(
  levels: readonly { readonly left: number; readonly users: number }[],
): number[] {
  const blocks: { left: number; users: number; length: number }[] = [];
  for (const level of levels) {
    let block = { ...level, length: 1 };
    for (let last = blocks.at(-1); last && last.left < block.left; last = blocks.at(-1)) {
      const users = last.users + block.users;
      const left = (last.left * last.users + block.left * block.users) / users;
      block = { left, users, length: last.length + block.length };
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ left, length }) => Array<number>(length).fill(left));
}

/**
 * Returns the curve of a group, without one cluster if it is given: the product of the monthly ratios of active users.
 * A month without users at risk repeats the previous level. 10 users at risk after a level of 0.1 count as 100 users.
 *
 * `active` is fitted to transitions from month 0 to each month, and `sbg` to transitions between successive months. If
 * the curve rises in a month, `sbg` pools this month with its neighbors. If month 0 is not observed, its retention is 1.
 * `cannot` is the reason why a model cannot be fitted.
 */
function curveOf(
  { months, total }: CohortGroup,
  { model, last }: Wanted,
  without?: Counts,
) {
  const observed = new Float64Array(last + 1).fill(NaN);
  let [left, users, count] = [1, 0, 0];
  let steps = [{ month: 0, left, users, atRisk: 0, lost: 0 }];
  months.forEach((month, at) => {
    const rest = (name: "size" | "retained" | "atRisk" | "lost") =>
      total[name][at]! - (without?.[name][at] ?? 0);
    const size = rest("size");
    if (!(size > 1e-9 * total.size[at]!)) return;
    count += 1;
    const [atRisk, lost] = [rest("atRisk"), rest("lost")];
    if (month === 0) {
      left = Math.min(1, Math.max(0, rest("retained") / size));
      users = size;
      steps = [];
    } else {
      users = atRisk > 0 && left > 0 ? atRisk / left : users || size;
      left -= lost / users;
    }
    observed[month] = left;
    steps.push({ month, left, users, atRisk, lost });
  });
  const levels = model === "sbg" ? nonIncreasing(steps) : steps.map(({ left }) => left);
  const adjusted = steps.some(({ left }, at) => left - levels[at]! > 1e-12);
  const start = Math.min(1, levels[0]!);
  const transitions = steps.slice(1).map((step, at): Transition => {
    const { month: to, left, users, atRisk, lost } = step;
    if (model === "active") {
      const kept = Math.min(start, Math.max(0, left)) * users;
      return { from: 0, to, lost: start * users - kept, kept };
    }
    const [before, after] = [levels[at]!, Math.max(0, levels[at + 1]!)];
    return {
      from: steps[at]!.month,
      to,
      lost: adjusted ? users * Math.max(0, before - after) : Math.max(0, lost),
      kept: adjusted ? users * after : Math.max(0, atRisk - lost),
    };
  });
  const least = model === "active" ? 4 : 3;
  const cannot = count < least ? `fewer than ${least} observed months: ${count}` : undefined;
  return { start, observed, transitions, adjusted, cannot };
}

/**
 * Returns the bounds of a prediction, computed on the log(-log) scale. If the error in month 0 is 0, both bounds are the
 * prediction. In later months, an error of 0 means that the error is unknown, so there are no bounds.
 */
function boundsOf(value: number, half: number, month: number): Interval {
  if (month === 0 && half === 0) return { lower: value, upper: value };
  return half > 0 && value > 0 && value < 1 ? logLogBounds(value, half) : NO_INTERVAL;
}

/**
 * Returns the predictions of a model that is fitted without each part of the users in turn, and the degrees of freedom of
 * their spread, or the reason why the model cannot be fitted.
 */
function leftOut(
  group: CohortGroup,
  parts: readonly Counts[],
  { fit, wanted }: { readonly fit: ModelFit; readonly wanted: Wanted },
) {
  const curves = parts.map((part) => curveOf(group, wanted, part));
  const cannot = curves.find((curve) => curve.cannot !== undefined)?.cannot;
  if (cannot !== undefined) return cannot;
  return {
    degrees: effectiveDegrees(parts.map(({ size }) => Math.max(...size))),
    predictions: curves.map(({ start, transitions }) => {
      const { at } = fitted(wanted.model, transitions, fit.at);
      return predictionOf(at, wanted.last).shares.map((share) => start * share);
    }),
  };
}

/**
 * Returns a function that returns half of the width of the interval of a month, from clusters and from the shocks that units
 * share, and one that returns what it leaves out; or the reason why there are no bounds. `alone` is the error of
 * independent users.
 */
function clusterBounds(
  group: CohortGroup,
  predicted: Float64Array,
  given: { readonly fit: ModelFit; readonly wanted: Wanted },
) {
  const { clusters, blocks } = partsOf(group);
  if (clusters.length < 2) return "no bounds: fewer than two clusters";
  const units = leftOut(group, clusters, given);
  if (typeof units === "string") return `no bounds: without one of the clusters, ${units}`;
  const times = blocks.length === 0
    ? "fewer than three cohort dates"
    : leftOut(group, blocks, given);
  const partOf = ({ degrees, predictions }: typeof units, month: number) => ({
    variance: jackknifeError(predicted[month]!, predictions.map((one) => one[month]!)) ** 2,
    degrees,
  });
  const totalAt = (month: number, alone: number) => {
    const shocks = typeof times === "string" ? [] : [partOf(times, month)].map((part) => (
      { ...part, variance: Math.max(0, part.variance - alone ** 2) }
    ));
    return withShocks(partOf(units, month), shocks);
  };
  return {
    halfAt: (month: number, alone: number) => totalAt(month, alone).halfAt(given.wanted.confidence),
    remarksAt: (month: number, alone: number) =>
      !group.hasUnits
        ? [BLOCKS_NOTE]
        : typeof times === "string"
        ? [`${times}: ${NO_BLOCKS}`]
        : sharedRemark(totalAt(month, alone).shared),
  };
}

/** Fits a model to the curve of a group. Returns the observed and predicted values of each month, and their bounds. */
export function forecastOf(group: CohortGroup, wanted: Wanted) {
  const { model, last, confidence } = wanted;
  const { start, observed, transitions, adjusted, cannot } = curveOf(group, wanted);
  const found = cannot === undefined ? fitted(model, transitions) : undefined;
  const none = {
    net_activity: observed,
    predicted: undefined,
    lower: undefined,
    upper: undefined,
    bounds: null,
    cluster: group.cluster,
    model,
    adjusted,
    confidence,
  };
  // Without a maximum of the likelihood, no curve is the most likely one.
  if (!found?.isMaximum) {
    return { ...none, reason: cannot ?? "the likelihood has no maximum at finite parameters" };
  }
  const { shares, slopes } = predictionOf(found.at, last);
  const predicted = shares.map((share) => start * share);
  const errors = predictionErrors(model, found, transitions, slopes)?.map((error) => start * error);
  const others = group.cluster === "none"
    ? undefined
    : clusterBounds(group, predicted, { fit: found, wanted });
  const [lower, upper] = [predicted.map(() => NaN), predicted.map(() => NaN)];
  if (typeof others !== "string") {
    const quantile = studentQuantile(confidence);
    predicted.forEach((value, month) => {
      const alone = boundsOf(value, quantile * (errors?.[month] ?? NaN), month);
      const bounds = others === undefined
        ? alone
        : unionOf(boundsOf(value, others.halfAt(month, errors?.[month] ?? 0), month), alone);
      [lower[month], upper[month]] = [bounds.lower, bounds.upper];
    });
  }
  const bounded = !Number.isNaN(lower[last]!);
  const kind = group.cluster === "cohort_block" ? "block" : others ? "cluster" : "binomial";
  const retained = sumOf(transitions.map(({ kept }) => kept));
  const size = retained + sumOf(transitions.map(({ lost }) => lost));
  const left = typeof others === "string" ? [others] : others?.remarksAt(last, errors?.[last] ?? 0);
  const remarks = [
    ...fewUsers({ size, retained }),
    ...bounded || typeof others === "string" ? left ?? [] : ["no bounds: the error is unknown"],
  ];
  return {
    ...none,
    predicted,
    lower,
    upper,
    alpha: Math.exp(found.at[0]!),
    beta: Math.exp(found.at[1]!),
    q: activeShare(found.at),
    log_likelihood: found.height * found.users,
    bounds: bounded ? kind : null,
    reason: remarks.join("; ") || null,
  };
}
