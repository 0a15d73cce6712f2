import type { DataFrame } from "../../table/polars.ts";
import { type Asker, checkColumns } from "./check_columns.ts";
import { groupLabels } from "./group_labels.ts";
import { numberValues } from "./number_values.ts";
import { textValues } from "./text_values.ts";

/** One month of one curve. */
export interface CurvePoint {
  readonly month: number;
  /** The fraction that was seen to stay; null where nothing was observed. */
  readonly retention: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  /** Users at risk; null when not known. */
  readonly size: number | null;
  /** What the model says; null where there is no forecast. */
  readonly predicted: number | null;
}

/** One line of a retention chart. */
export interface Curve {
  readonly label: string;
  readonly points: readonly CurvePoint[];
  /** Why there is no forecast, or why it is a limiting curve; null when there is nothing to say. */
  readonly reason: string | null;
}

const NAMES = [
  "project_name",
  "project_id",
  "market_sector_name",
  "market_sector_id",
  "cohort",
] as const;

const MEASURED = new Set([
  ...["month", "size", "retained", "retention", "lower", "upper", "cohorts", "cohort_date"],
  ...["observed", "predicted", "alpha", "beta", "log_likelihood", "adjusted", "reason"],
]);

/** Reads what `retentionCurves`, `pooledRetention` and `forecastRetention` give. */
export function readCurves(frame: DataFrame, asker: Asker): Curve[] {
  const forecast = frame.columns.includes("predicted");
  checkColumns(frame, ["month", forecast ? "observed" : "retention"], asker);
  const others = frame.columns.filter((column) =>
    !MEASURED.has(column) && !NAMES.includes(column as never)
  );
  const labels = groupLabels(frame, [...NAMES, ...others], "all");
  const numbers = (column: string) =>
    frame.columns.includes(column) ? numberValues(frame, column, asker) : null;
  const months = numberValues(frame, "month", asker);
  const retention = numberValues(frame, forecast ? "observed" : "retention", asker);
  const [lower, upper, size, predicted] = ["lower", "upper", "size", "predicted"].map(numbers);
  const reasons = frame.columns.includes("reason") ? textValues(frame, "reason") : null;
  const curves = new Map<string, { points: CurvePoint[]; reason: string | null }>();
  labels.forEach((label, row) => {
    const month = months[row];
    if (month === null || month === undefined) return;
    const curve = curves.get(label) ?? { points: [], reason: reasons?.[row] ?? null };
    curve.points.push({
      month,
      retention: retention[row] ?? null,
      lower: lower?.[row] ?? null,
      upper: upper?.[row] ?? null,
      size: size?.[row] ?? null,
      predicted: predicted?.[row] ?? null,
    });
    curves.set(label, curve);
  });
  return [...curves].map(([label, { points, reason }]) => ({
    label,
    reason,
    points: points.toSorted((a, b) => a.month - b.month),
  }));
}
