import { entityNoun, type Noun } from "../../table/read/reading.ts";
import { listed } from "../../platform/terminal.ts";
import { WASHOUT } from "../../schema/vocabulary.ts";
import type { DataFrame } from "../../table/columns/polars.ts";
import { requireColumns } from "../../table/read/requirements.ts";
import { groupsOf, recordsOf } from "./rows.ts";
import { type Line, type LinePoint, linesFrom, pointsOf, sumBy } from "./lines.ts";
import { countedWords, countOf, type Note, pluralOf } from "../words.ts";

/** A retention curve. In each point, `x` is the month since first use and `y` is the share of active users. */
export interface RetentionLine extends Line {
  /** The reason for a missing forecast, or a warning about the forecast. */
  readonly reason: string | null;
  /** The kinds of bounds of the curve. */
  readonly bounds: ReadonlySet<string>;
  /** The confidence levels of the bounds. */
  readonly levels: readonly (number | null)[];
  /** Whether the cohort began so soon after tracking started that it includes users who used the project before. */
  readonly early: boolean;
}

/** The columns from which `isEarly` is computed. */
export const EARLY = { numbers: ["tracked_months"], texts: ["left_truncated"] } as const;

/** Returns whether a cohort began so soon after tracking started that it includes users who used the project before. */
export function isEarly(
  row: { readonly tracked_months: number | null; readonly left_truncated: string | null },
): boolean {
  return row.left_truncated === "true" || (row.tracked_months ?? Infinity) < WASHOUT;
}

/** Reads the result of `retentionCurves`, `pooledRetention` or `forecastRetention`. */
export function readRetention(frame: DataFrame, fn: string, label?: string): RetentionLine[] {
  const forecast = frame?.columns?.includes("predicted");
  const measure = forecast ? "net_activity" : "retention";
  requireColumns(frame, {
    fn,
    source: "a frame of retentionCurves, pooledRetention or forecastRetention",
    columns: label === undefined ? [] : [label],
    numbers: ["month", measure],
  });
  const all = recordsOf(frame, {
    numbers: [
      ...["month", measure, "predicted", "lower", "upper", "size", "confidence"] as const,
      ...EARLY.numbers,
    ],
    texts: ["reason", "bounds", ...EARLY.texts],
  });
  const lines = linesFrom(
    groupsOf(frame, { fn, x: "month", label }),
    (row) => {
      const { month, [measure]: y, predicted, lower, upper, size } = all[row]!;
      if (month === null) return null;
      return { x: month, y, complete: true, lower, upper, size, ...forecast ? { predicted } : {} };
    },
  );
  return lines.map(({ rows, ...line }) => {
    const own = rows.map((row) => all[row]!);
    return {
      ...line,
      reason: own.find(({ reason }) => reason !== null)?.reason ?? null,
      bounds: new Set(own.flatMap(({ bounds }) => bounds ?? [])),
      levels: own.map(({ confidence }) => confidence),
      early: own.some(isEarly),
    };
  });
}

/**
 * Combines the points of several curves into one curve, month by month. Curves are weighted by size, or equally if
 * sizes are unknown. A month without values stays null.
 */
export function pooledPoints(points: readonly LinePoint[], weighted: boolean): LinePoint[] {
  const months = Map.groupBy(points, ({ x }) => x);
  return [...months].toSorted(([a], [b]) => a - b).map(([x, all]) => {
    if (all.length === 1) return all[0]!;
    const weightOf = ({ size }: LinePoint) => weighted ? size ?? 0 : 1;
    const known = all.filter(({ y }) => y !== null);
    const weight = sumBy(known, weightOf);
    return {
      x,
      y: weight === 0 ? null : sumBy(known, (point) => point.y! * weightOf(point)) / weight,
      complete: true,
      size: weighted ? sumBy(all, weightOf) : null,
    };
  });
}

/** Returns the number of users of a curve in the month with the most users. */
export function sizeOf({ points }: Line): number {
  return Math.max(0, ...points.map(({ size }) => size ?? 0));
}

/** Returns whether a curve has a value to draw. */
export function hasValue({ points }: Line): boolean {
  return points.some(({ y, predicted = null }) => y !== null || predicted !== null);
}

/** The noun for units of several kinds. */
const UNIT: Noun = { one: "unit", counted: (count) => countOf(count, "unit") };

/** The assumption behind bounds, by kind of the clusters. */
const ALLOWING: Readonly<Record<string, string>> = {
  cohort_block: "allowing for differences between periods, not between units inside a group",
  none: "for independent users",
};

/** Returns the noun for the units that are clusters of bounds, and the assumption behind these bounds. */
export function unitsOf(frame: DataFrame, columns: readonly string[] = ["cluster"]) {
  const kinds = new Set(
    recordsOf(frame, { texts: columns }).flatMap((row) =>
      columns.flatMap((name) => row[name] ?? [])
    ),
  );
  const [unit, ...more] = [...kinds].filter((kind) => !Object.hasOwn(ALLOWING, kind));
  if (unit === undefined) {
    const kind = Object.keys(ALLOWING).find((each) => kinds.has(each));
    return { noun: null, allowing: kind && ALLOWING[kind] };
  }
  const noun = more.length > 0 ? UNIT : entityNoun(frame, { entity: [unit] });
  const single = kinds.has("cohort_block") ? `, or between periods of a single ${noun.one}` : "";
  return { noun, allowing: `allowing for differences between ${pluralOf(noun)}${single}` };
}

/** Returns a note on models that fit the observed months poorly. */
function fitNote(points: readonly LinePoint[]): Note {
  const fitted = points.flatMap(({ x, y, predicted = null, size = null }) => {
    if (x === 0 || y === null || predicted === null || size === null || size <= 0) return [];
    const half = 1.96 * Math.sqrt(predicted * (1 - predicted) / size);
    return [Math.abs(y - predicted) > half];
  });
  const outside = fitted.filter((far) => far).length;
  return outside > 0.1 * fitted.length &&
    `The model fits badly: outside its sampling interval in ${outside} of ${fitted.length} months.`;
}

/** Returns a note on cohorts that include users from before tracking began. */
function washoutNote(frame: DataFrame, curves: readonly RetentionLine[]): Note {
  const { older } = countedWords(frame);
  if (recordsOf(frame, { numbers: ["left_out"] }).some(({ left_out: count }) => (count ?? 0) > 0)) {
    return `Left out: the first cohorts after tracking began, which ${older}.`;
  }
  const early = curves.filter(({ early }) => early).map(({ label }) => label);
  return early.length > 0 &&
    `The first cohorts after tracking began ${older}: ${listed(early, 3)}.`;
}

/** Returns notes on the models, the cohorts and the bounds of the drawn curves. */
export function retentionNotes(frame: DataFrame, drawn: readonly RetentionLine[]): Note[] {
  const kinds = new Set(drawn.flatMap(({ bounds }) => [...bounds]));
  const reasonsOf = (forecast: boolean) =>
    drawn.flatMap(({ label, reason, points, bounds }) =>
      reason === null || bounds.size > 0 ||
        points.some(({ predicted = null }) => predicted !== null) !== forecast
        ? []
        : [label === "" ? reason : `${label}: ${reason}`]
    );
  const [limited, without] = [reasonsOf(true), reasonsOf(false)];
  return [
    fitNote(pointsOf(drawn)),
    frame.columns.includes("predicted") && (kinds.has("cluster") || kinds.has("block")) &&
    "The interval assumes that the model is right.",
    frame.columns.includes("predicted") &&
    "Observed: the retention from each month to the next, multiplied.",
    washoutNote(frame, drawn),
    kinds.has("one_cluster") && "Groups of one unit have no interval.",
    limited.length > 0 && `Forecast: ${listed(limited, 3)}.`,
    without.length > 0 && `No forecast: ${listed(without, 3)}.`,
  ];
}
