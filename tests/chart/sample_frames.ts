import { track } from "../../lib/table/track/track.ts";
import { servedColumns, setColumns } from "../../lib/table/track/descriptions.ts";
import { annotate } from "../../lib/table/track/provenance.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import type { ResponseProvenance } from "../../lib/table/track/provenance.ts";
import { response } from "../table/response.ts";

type Cell = string | number | Date | boolean | null;

/** A frame of fields of the service, from columns of plain values: numbers become Float64, texts String, dates Date. */
export function frameOf(columns: Record<string, readonly Cell[]>): DataFrame {
  const frame = pl.DataFrame(
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
  return setColumns(frame, servedColumns(frame.columns));
}

/** Marks a frame as sample data of a fixed day. */
export function asSample(
  frame: DataFrame,
  operation: ResponseProvenance["operation"],
  source: ResponseProvenance["source"] = "sample",
  data_through: Date | null = null,
): DataFrame {
  return annotate(track(frame), {
    provenance: response({
      operation,
      source,
      url: "http://127.0.0.1/v2",
      retrieved_at: new Date("2026-03-31T12:00:00Z"),
      sha256: "0".repeat(64),
      data_through,
    }),
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

/** Cohorts of one invented project, six months, the younger ones seen for fewer months. */
export function curvesSample(cohorts = 12): DataFrame {
  const rows = Array.from(
    { length: cohorts },
    (_, cohort) =>
      Array.from({ length: 12 }, (_, month) => {
        const size = 900 + 170 * ((cohort * 7) % 11);
        const seen = month < 12 - Math.max(0, cohort - cohorts + 12);
        const retention = !seen
          ? null
          : month === 0
          ? 1
          : (0.34 + 0.02 * (cohort % 4)) * month ** -0.42;
        const half = retention === null
          ? null
          : 1.96 * Math.sqrt(retention * (1 - retention) / size);
        return { cohort: new Date(Date.UTC(2025, cohort, 1)), month, size, retention, half };
      }),
  ).flat();
  return asSample(
    frameOf({
      project_name: rows.map(() => "Copperleaf Swap"),
      project_id: rows.map(() => "copperleaf-swap"),
      market_sector_id: rows.map(() => "exchange"),
      market_sector_name: rows.map(() => "Exchange"),
      cohort: rows.map(({ cohort }) => cohort.toISOString().slice(0, 7)),
      cohort_date: rows.map(({ cohort }) => cohort),
      month: rows.map(({ month }) => month),
      size: rows.map(({ size }) => size),
      retained: rows.map(({ size, retention }) => retention === null ? null : size * retention),
      retention: rows.map(({ retention }) => retention),
      lower: rows.map(({ retention, half }) => retention === null ? null : retention - half!),
      upper: rows.map(({ retention, half }) => retention === null ? null : retention + half!),
    }),
    "cohort_analysis",
  );
}

/** A forecast for two invented projects: observed to month 11, predicted to month 24. */
export function forecastSample(): DataFrame {
  const rows = PROJECTS.slice(0, 2).flatMap(([name, level]) =>
    Array.from({ length: 25 }, (_, month) => {
      const predicted = month === 0 ? 1 : level * month ** -0.3;
      const observed = month > 11
        ? null
        : month === 0
        ? 1
        : predicted * (1 + 0.06 * Math.sin(month));
      return { name, month, observed, predicted };
    })
  );
  return asSample(
    frameOf({
      project_id: rows.map(({ name }) => name.toLowerCase().replace(" ", "-")),
      project_name: rows.map(({ name }) => name),
      month: rows.map(({ month }) => month),
      net_activity: rows.map(({ observed }) => observed),
      predicted: rows.map(({ predicted }) => predicted),
      alpha: rows.map(() => 0.7),
      beta: rows.map(() => 1.2),
      log_likelihood: rows.map(() => -1000),
      adjusted: rows.map(() => "false"),
      reason: rows.map(() => null),
    }),
    "cohort_analysis",
  );
}

/** The growth of the TVL of six invented chains; Fathom is too young for the long windows. */
export function growthSample(): DataFrame {
  return asSample(
    frameOf({
      chain_id: CHAINS.map((name) => name.toLowerCase().replace(" ", "-")),
      chain_name: CHAINS,
      measure: CHAINS.map(() => "ecosystem_tvl"),
      statistic: CHAINS.map(() => "change"),
      "1d": [0.004, -0.012, 0.021, -0.001, 0.033, 0.002],
      "7d": [0.019, -0.044, 0.083, -0.013, 0.121, -0.009],
      "30d": [0.043, -0.118, 0.212, -0.007, 0.391, 0.058],
      "90d": [0.126, -0.201, 0.402, 0.051, 1.27, null],
      "180d": [0.31, -0.154, 0.744, 0.118, 2.93, null],
      "365d": [0.582, 0.067, 1.61, 0.204, null, null],
    }),
    "blockchain_comparison",
  );
}

/** The flows of five invented market sectors. */
export function flowsSample(): DataFrame {
  const names = ["Exchange", "Lending", "Games", "Bridge", "Staking"];
  return asSample(
    frameOf({
      market_sector_id: names.map((name) => name.toLowerCase()),
      market_sector_name: names,
      contracts: [14, 9, 21, 4, 3],
      inflows: [8_420_000, 3_910_000, 640_000, 5_230_000, null],
      outflows: [7_130_000, 4_480_000, 598_000, 2_870_000, 310_000],
      net_flows: [1_290_000, -570_000, 42_000, 2_360_000, null],
      inflows_count: [14, 9, 20, 4, 0],
      outflows_count: [14, 9, 21, 4, 3],
      net_flows_count: [14, 9, 20, 4, 0],
    }),
    "project_contracts",
  );
}

/** A breakdown of two metrics by chain. */
export function metricsSample(): DataFrame {
  return asSample(
    frameOf({
      data_id: CHAINS.map((name) => name.toLowerCase().replace(" ", "-")),
      chain_id: CHAINS.map((name) => name.toLowerCase().replace(" ", "-")),
      product_id: CHAINS.map(() => ""),
      fees_sum: [41_200_000, 18_900_000, 6_240_000, 2_310_000, 820_000, null],
      fees_trend: [0.12, -0.04, 0.31, 0.02, null, null],
      active_users: [1_420_000, 2_130_000, 310_000, 96_000, 402_000, 12_400],
    }),
    "metric_breakdown",
  );
}
