import { SEQUENTIAL_COLORS } from "./palette.ts";
import { formatNumber } from "./text/format_number.ts";
import { formatPercent } from "./text/format_percent.ts";

/** A range of shares with its colour. */
export interface ShareStep {
  /** The lowest share of the step; the step ends where the next begins. */
  readonly from: number;
  readonly label: string;
  readonly color: string;
  /** The colour of a text that stands on it. */
  readonly ink: string;
}

const WIDTHS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const DARK_FROM = 5;

/** Eight steps of a round width from zero on, wide enough for the highest share but a few. */
export function shareSteps(highest: number): ShareStep[] {
  const count = SEQUENTIAL_COLORS.length;
  // Up to a whole, the last step is open: steps beyond 100 % would be for nothing.
  const most = highest > 1 ? highest : Math.min(highest, 0.1 * count);
  const width = WIDTHS.find((width) => width * count >= most - 1e-9) ?? WIDTHS.at(-1)!;
  return SEQUENTIAL_COLORS.map((color, index) => ({
    from: index * width,
    label: index === count - 1
      ? `${formatPercent(index * width)} or more`
      : `${formatNumber(index * width * 100)}–${formatPercent((index + 1) * width)}`,
    color,
    ink: index >= DARK_FROM ? "#ffffff" : "#1b1f24",
  }));
}

/** The step a share falls into. */
export function stepOf(steps: readonly ShareStep[], share: number): ShareStep {
  // A share of 0.3 computed as 0.29999999999999998 belongs to the step that begins at 0.3.
  return steps.findLast(({ from }) => share >= from - 1e-9) ?? steps[0]!;
}
