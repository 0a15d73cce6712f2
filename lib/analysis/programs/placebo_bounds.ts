import type { counterfactualFit } from "./counterfactual_fit.ts";
import { meanOf } from "../sums.ts";

type Fit = Pick<ReturnType<typeof counterfactualFit>, "gap" | "rmse_before" | "weights">;

/** The gaps of a unit at the dates that a test compares, and how their mean moves with the effect that is tested. */
interface Gaps {
  readonly mean: number;
  readonly variance: number;
  readonly rmse_before: number;
  /** The weight of the treated entity among the donors of a placebo. */
  readonly weight: number;
}

/** Returns where `a x² + b x + c` changes its sign. */
function signChanges([a, b, c]: readonly [number, number, number]): number[] {
  const root = Math.sqrt(b * b - 4 * a * c);
  const q = -(b + (b < 0 ? -root : root)) / 2;
  return [q / a, c / q].filter(Number.isFinite);
}

/**
 * Returns the bounds of the effects that the ratio test does not reject, or null if it rejects the mean gap. If the
 * treated entity had an effect c, its gaps without the event are smaller by c; and the gaps of a placebo that has it as
 * a donor are larger by c times its weight. An effect is not rejected if at least `fewest` placebos have a ratio as
 * large as that of the treated entity. A bound is NaN if no effect on its side is rejected.
 */
function notRejected(
  own: Gaps,
  placebos: readonly Gaps[],
  fewest: number,
): readonly [number, number] | null {
  const before = own.rmse_before ** 2;
  // At the distance x from the mean gap, above 0 if the ratio of the placebo is larger.
  const excesses = placebos.map(({ mean, variance, rmse_before, weight }) => {
    const [moved, scale] = [mean + weight * own.mean, rmse_before ** 2];
    return [
      weight ** 2 * before - scale,
      2 * weight * moved * before,
      (variance + moved ** 2) * before - own.variance * scale,
    ] as const;
  });
  const larger = excesses.filter(([, , atMean]) => atMean >= 0).length;
  if (larger < fewest) return null;
  const boundOf = (side: 1 | -1) => {
    const steps = excesses.flatMap((excess) => {
      const isLarger = excess[2] >= 0;
      return signChanges(excess).filter((at) => at * side >= 0).sort((x, y) => (x - y) * side)
        .map((at, index) => ({ at, step: isLarger === (index % 2 === 0) ? -1 : 1 }));
    }).sort((x, y) => (x.at - y.at) * side);
    let left = larger;
    const found = steps.find(({ step }) => (left += step) < fewest);
    return own.mean + (found?.at ?? NaN);
  };
  return [boundOf(-1), boundOf(1)];
}

/**
 * Returns the number of placebos whose ratio must be at least as large, so that the test does not reject. It is 0 or less
 * if there are too few placebos for the confidence.
 */
export function fewestLarger(placebos: number, confidence: number): number {
  return placebos + 1 - Math.ceil(confidence * (placebos + 1) - 1e-9);
}

/**
 * Returns the bounds of an effect that is the same at the dates from `from` to before `to`: those that the ratio test
 * does not reject. `fits` has the fit of the treated entity, followed by those of the placebos, of which the treated
 * entity is the first donor. A bound is NaN if no effect on its side is rejected. Returns null if the mean gap is
 * rejected.
 */
export function placeboBounds(
  fits: readonly Fit[],
  { from, to, fewest, after }: {
    readonly from: number;
    readonly to: number;
    readonly fewest: number;
    /** Whether the dates are after the event. Before it, no effect is in the donors. */
    readonly after: boolean;
  },
): readonly [number, number] | null {
  const [own, ...placebos] = fits.map(({ gap, rmse_before, weights }, index): Gaps => {
    const values = gap.slice(from, to);
    const mean = meanOf(values);
    const variance = meanOf(values.map((value) => (value - mean) ** 2));
    return { mean, variance, rmse_before, weight: after && index > 0 ? weights[0]! : 0 };
  });
  return notRejected(own!, placebos, fewest);
}
