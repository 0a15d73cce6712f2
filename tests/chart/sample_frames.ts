import { annotate } from "../../lib/table/annotation.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import type { Provenance, Source } from "../../lib/table/provenance.ts";

type Cell = string | number | Date | boolean | null;

/** A frame from columns of plain values: numbers become Float64, texts String, dates Date. */
export function frameOf(columns: Record<string, readonly Cell[]>): DataFrame {
  return pl.DataFrame(
    Object.entries(columns).map(([name, values]) => {
      const first = values.find((value) => value !== null);
      const dtype = first instanceof Date
        ? pl.Date
        : typeof first === "string"
        ? pl.Utf8
        : pl.Float64;
      return pl.Series(name, values as number[], dtype);
    }),
  );
}

/** Notes on a frame that it came from the sample data, on a fixed day. */
export function asSample(
  frame: DataFrame,
  operation: Provenance["operation"],
  source: Source = "sample",
): DataFrame {
  return annotate(frame, {
    provenance: {
      operation,
      source,
      url: "http://127.0.0.1/v2",
      query: {},
      retrieved_at: new Date("2026-03-31T12:00:00Z"),
      requests: 1,
      renamed: [],
      sha256: "0".repeat(64),
    },
    errors: frameOf({ code: [], field: [], value: [] }),
  });
}

const PROJECTS = [["Copperleaf Swap", 0.52, 8200], ["Harbor Lend", 0.41, 5100], [
  "Quill Games",
  0.24,
  12400,
]] as const;

/** Pooled retention of three invented projects over twelve months. */
export function pooledSample(): DataFrame {
  const rows = PROJECTS.flatMap(([name, level, size], project) =>
    Array.from({ length: 12 }, (_, month) => {
      const retention = month === 0 ? 1 : level * month ** (-0.25 - project * 0.12);
      const atRisk = size * (12 - month) / 12;
      const half = 1.96 * Math.sqrt(retention * (1 - retention) / atRisk) * 4;
      return {
        name,
        month,
        retention,
        atRisk,
        lower: Math.max(0, retention - half),
        upper: Math.min(1, retention + half),
      };
    })
  );
  return asSample(
    frameOf({
      project_id: rows.map(({ name }) => name.toLowerCase().replace(" ", "-")),
      project_name: rows.map(({ name }) => name),
      month: rows.map(({ month }) => month),
      cohorts: rows.map(({ month }) => 12 - month),
      size: rows.map(({ atRisk }) => atRisk),
      retained: rows.map(({ atRisk, retention }) => atRisk * retention),
      retention: rows.map(({ retention }) => retention),
      lower: rows.map(({ lower }) => lower),
      upper: rows.map(({ upper }) => upper),
    }),
    "cohort_analysis",
  );
}

const CHAINS = ["Alder", "Basalt", "Cinder", "Dune", "Ember Rollup", "Fathom"];

/** Six invented chains with a handful of the comparison fields; Fathom has no fees. */
export function comparisonSample(): DataFrame {
  return asSample(
    frameOf({
      chain_id: CHAINS.map((name) => name.toLowerCase().replace(" ", "-")),
      chain_name: CHAINS,
      ecosystem_fees_30d_sum: [41_200_000, 18_900_000, 6_240_000, 2_310_000, 820_000, null],
      active_users_daily_latest: [1_420_000, 2_130_000, 310_000, 96_000, 402_000, 12_400],
      ecosystem_tvl_30d_change: [0.043, -0.118, 0.212, -0.007, 0.391, null],
    }),
    "blockchain_comparison",
  );
}
