import { retentionCurves } from "../../lib/analysis/retention/retention_curves.ts";
import { float64 } from "../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { utf8 } from "../../lib/table/columns/cell_values.ts";

/** One cohort of a test: months that are not given are null. */
export interface Cohort {
  readonly project?: string;
  readonly sector?: string;
  /** By default the first month of 2025 in which the project has no other cohort of this list. */
  readonly cohort?: string | null;
  readonly size: number | null;
  readonly months: readonly (number | null)[];
}

/** A frame as `cohortAnalysis` gives it. */
export function cohortFrame(cohorts: readonly Cohort[]): DataFrame {
  const text = (name: string, value: (cohort: Cohort) => string | null) =>
    utf8(name, cohorts.map(value));
  const earlier = new Map<string, number>();
  const months = cohorts.map(({ project = "alder-swap" }) => {
    const before = earlier.get(project) ?? 0;
    earlier.set(project, before + 1);
    return new Date(Date.UTC(2025, before, 1)).toISOString().slice(0, 7);
  });
  return pl.DataFrame([
    text("project_name", ({ project = "alder-swap" }) => `The ${project}`),
    text("project_id", ({ project = "alder-swap" }) => project),
    text("market_sector_id", ({ sector = "exchanges" }) => sector),
    text("market_sector_name", ({ sector = "exchanges" }) => `The ${sector}`),
    utf8("cohort", cohorts.map(({ cohort }, at) => cohort === undefined ? months[at]! : cohort)),
    float64("initial_cohort_size", cohorts.map(({ size }) => size)),
    ...Array.from(
      { length: 12 },
      (_, month) => float64(`month_${month}`, cohorts.map(({ months }) => months[month] ?? null)),
    ),
  ]);
}

/** The curves of some cohorts. */
export function curvesOf(...cohorts: readonly Cohort[]): DataFrame {
  return retentionCurves(cohortFrame(cohorts), { unit: "fraction" });
}

/** Adds the column `span`: the last of the names whose month is not after that of the cohort. Drops earlier cohorts. */
export function withSpans(curves: DataFrame, starts: Readonly<Record<string, string>>): DataFrame {
  const span = Object.entries(starts).reduce(
    (before, [name, start]) =>
      pl.when(pl.col("cohort_date").cast(pl.Utf8).gtEq(pl.lit(start))).then(pl.lit(name))
        .otherwise(before),
    pl.lit(null).cast(pl.Utf8),
  );
  return curves.withColumn(span.alias("span")).filter(pl.col("span").isNotNull());
}

/** Makes each cohort a unit of its own, in the column `unit`. All units begin in January 2025. */
export function cohortsAsUnits(curves: DataFrame): DataFrame {
  return curves.withColumns(
    pl.concatString([pl.col("project_id"), pl.col("cohort")], " ").alias("unit"),
    pl.lit("2025-01").alias("cohort"),
    pl.lit(new Date(Date.UTC(2025, 0, 1))).cast(pl.Date).alias("cohort_date"),
  );
}

/** One cohort a month of a project, with the users that are active in month 1. */
export function cohortsOf(
  project: string,
  kept: readonly number[],
  sizes: readonly number[],
): Cohort[] {
  return kept.map((count, i) => ({
    project,
    cohort: `2024-${String(i + 1).padStart(2, "0")}`,
    size: sizes[i]!,
    months: [1, count / sizes[i]!],
  }));
}

/** Curves of one cohort per project, with the users that are active in month 1. */
export function clustered(
  retained: number[],
  sizes: number[],
  cohort = (index: number) => `${index}`,
) {
  return retentionCurves(
    cohortFrame(sizes.map((size, index) => (
      { project: `p${index}`, cohort: cohort(index), size, months: [size, retained[index]!] }
    ))),
    { unit: "count" },
  );
}
