import type { DataFrame } from "../table/polars.ts";
import { type Curve, hasValue } from "./curves.ts";
import { countOf } from "./format.ts";
import { listed, numberValues, textValues } from "./values.ts";

function missingNotes(curves: readonly Curve[]): string[] {
  const points = curves.flatMap(({ points }) => points);
  const missing = points.filter((point) => point.retention === null && point.predicted === null);
  const empty = curves.filter((curve) => !hasValue(curve)).map(({ label }) => label);
  return [
    ...missing.length === 0 ? [] : [
      `${missing.length} of ${
        countOf(points.length, "value")
      } not observed: left empty, which is not zero.`,
    ],
    ...empty.length === 0 ? [] : [`Without any value: ${listed(empty, 5)}.`],
  ];
}

function reasonNotes(curves: readonly Curve[]): string[] {
  const reasons = curves.flatMap(({ label, reason }) =>
    reason === null ? [] : [`${label}: ${reason}`]
  );
  return reasons.length === 0 ? [] : [`Forecast: ${listed(reasons, 3)}.`];
}

/** What the bounds do not say. */
function boundsNotes(curves: readonly Curve[], bands: boolean): string[] {
  const kinds = new Set(curves.flatMap(({ bounds }) => bounds ?? []));
  if (!bands || kinds.size === 0) return [];
  if (!kinds.has("cluster")) {
    return ["The intervals are those of independent users: groups that differ are not in them."];
  }
  return [
    `The intervals hold how the parts of a group differ${
      kinds.size > 1 ? ", but for groups of one part, whose users count as independent" : ""
    }.`,
  ];
}

/** The cohorts of the month in which tracking began are none. */
function leftOutNotes(frame: DataFrame): string[] {
  if (frame.columns.includes("left_out")) {
    const most = Math.max(0, ...numberValues(frame, "left_out").map((count) => count ?? 0));
    return most === 0 ? [] : [
      "Left out: the cohorts of the month in which tracking began, which hold whoever came before.",
    ];
  }
  if (!frame.columns.includes("left_truncated")) return [];
  const truncated = textValues(frame, "left_truncated").includes("true");
  return truncated
    ? ["The cohort of the month in which tracking began is drawn: it holds whoever came before."]
    : [];
}

/** What the caption of a chart of curves has to say about them. */
export function curveNotes(
  frame: DataFrame,
  { read, drawn, bounds }: {
    /** All curves, and those that are drawn. */
    readonly read: readonly Curve[];
    readonly drawn: readonly Curve[];
    readonly bounds: boolean;
  },
): string[] {
  return [
    ...missingNotes(read),
    ...reasonNotes(drawn),
    ...boundsNotes(drawn, bounds),
    ...leftOutNotes(frame),
  ];
}
