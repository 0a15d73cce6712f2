import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { asSample, frameOf } from "./sample_frames.ts";

/** A value for a group and a step: a month, a window, a field. */
export type ValueAt = (group: number, step: number) => number | null;

/** A frame for each kind of chart, with a given number of groups. */
export interface FrameMakers {
  readonly curves: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly pooled: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly comparison: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly growth: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly flows: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly metrics: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly timeline: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  /** Results of analyses: contributions, layers and flows of users, pairs, trends, effects and gaps. */
  readonly parts: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly layers: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly gains: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly pairs: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly trends: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly effects: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
  readonly gaps: (groups: number, value: ValueAt, name?: NameAt) => DataFrame;
}

type NameAt = (group: number) => string;
type Columns = Parameters<typeof frameOf>[0];

const WINDOWS = ["1d", "7d", "30d", "90d", "180d", "365d"];
const MONTHS = Array.from({ length: 12 }, (_, month) => month);

/** A name of sixty characters. */
export function longName(group: number): string {
  return `A project whose name is sixty characters long, number ${group}`.padEnd(60, "x");
}

/** A name that would be a program or break an attribute, were it not escaped. */
export function hostileName(group: number): string {
  return `<script>alert("${group}")</script> & 'x' ]]> \u0001`;
}

function plainName(group: number): string {
  return `Group ${group}`;
}

function ids(groups: number): number[] {
  return Array.from({ length: groups }, (_, group) => group);
}

/** polars cannot tell the type of a column without rows from its values. */
function typed(columns: Columns, texts: readonly string[]): DataFrame {
  const first = Object.values(columns)[0]!;
  if (first.length > 0) return frameOf(columns);
  const filled = Object.keys(columns).map((name) =>
    [name, [texts.includes(name) ? "x" : 1]] as const
  );
  return frameOf(Object.fromEntries(filled)).limit(0);
}

/** Groups by months: `whole` names the columns of the group. */
function monthly(
  groups: number,
  value: ValueAt,
  whole: (group: number) => Record<string, string>,
): DataFrame {
  const rows = ids(groups).flatMap((group) => MONTHS.map((month) => ({ group, month })));
  const names = Object.keys(whole(0));
  const columns: Columns = {
    ...Object.fromEntries(
      names.map((name) => [name, rows.map(({ group }) => whole(group)[name]!)]),
    ),
    month: rows.map(({ month }) => month),
    size: rows.map(({ group }) => 100 + group),
    retention: rows.map(({ group, month }) => value(group, month)),
    lower: rows.map(() => null),
    upper: rows.map(() => null),
  };
  return asSample(typed(columns, names), "cohort_analysis");
}

type Row = Readonly<Record<string, string | number | Date | null>>;

/** The first day of a month, counted from January 2025. */
function firstOf(month: number): Date {
  return new Date(Date.UTC(2025, month, 1));
}

/** Makes a frame of rows. `plain` is a row without nulls, which has the columns of a frame without rows. */
function resultOf(rows: readonly Row[], plain: Row): DataFrame {
  const all = rows.length === 0 ? [plain] : rows;
  const frame = frameOf(
    Object.fromEntries(
      Object.keys(plain).map((name) => [name, all.map((row) => row[name] ?? null)]),
    ),
  );
  return asSample(rows.length === 0 ? frame.limit(0) : frame, "metric_breakdown");
}

/** Columns of numbers that are all null. */
function without(...names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, null]));
}

const PERIODS = MONTHS.slice(1);

function partRow(group: number, month: number, value: ValueAt, name: NameAt): Row {
  return {
    ...{ date: firstOf(month), data_id: name(group), chain_id: `c${group}` },
    ...{ contribution: value(group, month), total: value(0, month), status: "stays", per: "day" },
  };
}

function layerRow(cohort: number, month: number, value: ValueAt): Row {
  const active = value(cohort, month);
  return {
    ...{ date: firstOf(cohort + month), cohort_date: firstOf(cohort), month, active },
    ...{ total: active, older_cohorts: 0, left_out: 0 },
  };
}

function gainRow(at: number, value: ValueAt): Row {
  return {
    date: firstOf(at),
    ...{ new: value(at, 0), returned: value(at, 1), lost: value(at, 2), aged_out: value(at, 3) },
    ...{ total: value(at, 4), left_out: 0 },
  };
}

function pairRow(group: number, value: ValueAt, name: NameAt): Row {
  const [difference, half] = [value(group, 0), Math.abs(value(group, 1) ?? 0.1)];
  const bounds = difference === null ? [null, null] : [difference - half, difference + half];
  const [lower, upper] = bounds as [number | null, number | null];
  return {
    ...{ group_a: name(group), group_b: `other ${group}`, month: 3, difference, lower, upper },
    ...{ lower_all: lower, upper_all: upper, p_adjusted: 0.04, confidence: 0.95 },
  };
}

const TREND = ["slope", "slope_lower", "slope_upper", "p_value", "break_p_value", "slope_pooled"];

/** The row of the whole of a group, and its cohorts. */
function trendRows(group: number, value: ValueAt, name: NameAt): Row[] {
  const shared = { project_id: `p${group}`, project_name: name(group), month: 3, reason: "few" };
  const fitted = value(group, 0) === null ? {} : Object.fromEntries(TREND.map((each, at) => [
    each,
    each.startsWith("slope") ? 0.01 * (group % 7 - 3) + 0.01 * at : 0.2,
  ]));
  const empty = without("retention", "trend", "lower", "upper", "trend_lower", "trend_upper");
  return [
    {
      row: "overall",
      ...shared,
      ...without(...TREND, "p_adjusted"),
      ...empty,
      ...fitted,
      confidence: 0.95,
    },
    ...MONTHS.map((month) => ({
      ...{ row: "date", ...shared, ...empty, date: firstOf(month), retention: value(group, month) },
      ...{ trend: value(group, month), confidence: 0.95 },
    })),
  ];
}

const EFFECTS = ["effect", "lower", "upper", "lower_all", "upper_all"];

function effectRow(time: number | null, value: number | null): Row {
  const size = value === null ? null : Math.min(value, 3);
  return {
    row: time === null ? "overall" : "time",
    ...{ field: "fees_sum", scale: "log", reason: "few", fit: "good", event_time: time },
    ...{ p_value: 0.2, pre_p: 0.3, pre_slope_p: 0.4, confidence: 0.95, entities: 5, controls: 9 },
    ...Object.fromEntries(
      EFFECTS.map((name, at) => [name, size === null ? null : size + (at - 2) / 10]),
    ),
    ...{ breakdown: size, pre_slope_lower: -0.1, pre_slope_upper: 0.1 },
  };
}

/** The row of the whole of a unit, and its gaps. The first unit is treated. */
function gapRows(group: number, value: ValueAt, name: NameAt): Row[] {
  const shared = {
    ...{ unit: name(group), role: group === 0 ? "treated" : "placebo", method: "synthetic" },
    ...{ scale: "level", field: "fees_sum", fit: "good", event: firstOf(8) },
    ...{ rmse_before: 1, rmse_held_out: 1, p_value: 0.2, smallest_p: 0.1, confidence: 0.95 },
    ...{ total_percent: 0.1, effect: 0.1, effect_lower: 0, effect_upper: 0.2 },
  };
  return [
    { row: "overall", ...shared },
    ...MONTHS.map((month) => {
      const observed = value(group, month);
      return {
        ...{ row: "date", ...shared, date: firstOf(month), observed, expected: observed },
        ...{ gap: observed, lower: observed, upper: observed },
      };
    }),
  ];
}

const PLAIN: ValueAt = () => 0.5;

/** Frames with the columns that the analysis functions give, filled as the edge asks. */
export const frames: FrameMakers = {
  curves: (groups, value, name = plainName) =>
    monthly(
      groups,
      value,
      (group) => ({ project_name: "One", project_id: "one", cohort: name(group) }),
    ),
  pooled: (groups, value, name = plainName) =>
    monthly(groups, value, (group) => ({ project_name: name(group), project_id: `p${group}` })),
  comparison: (groups, value, name = plainName) =>
    asSample(
      typed({
        chain_id: ids(groups).map((group) => `c${group}`),
        chain_name: ids(groups).map(name),
        ecosystem_fees_30d_sum: ids(groups).map((group) => value(group, 0)),
        ecosystem_tvl_30d_change: ids(groups).map((group) => value(group, 1)),
      }, ["chain_id", "chain_name"]),
      "blockchain_comparison",
    ),
  growth: (groups, value, name = plainName) =>
    asSample(
      typed({
        chain_id: ids(groups).map((group) => `c${group}`),
        chain_name: ids(groups).map(name),
        measure: ids(groups).map(() => "ecosystem_tvl"),
        statistic: ids(groups).map(() => "change"),
        ...Object.fromEntries(
          WINDOWS.map((window, step) => [window, ids(groups).map((group) => value(group, step))]),
        ),
      }, ["chain_id", "chain_name", "measure", "statistic"]),
      "blockchain_comparison",
    ),
  flows: (groups, value, name = plainName) =>
    asSample(
      typed({
        project_id: ids(groups).map((group) => `p${group}`),
        project_name: ids(groups).map(name),
        inflows: ids(groups).map((group) => value(group, 0)),
        outflows: ids(groups).map((group) => value(group, 1)),
        net_flows: ids(groups).map((group) => value(group, 2)),
      }, ["project_id", "project_name"]),
      "project_contracts",
    ),
  metrics: (groups, value, name = plainName) =>
    asSample(
      typed({
        data_id: ids(groups).map(name),
        chain_id: ids(groups).map((group) => `c${group}`),
        fees_sum: ids(groups).map((group) => value(group, 0)),
        fees_trend: ids(groups).map((group) => value(group, 1)),
      }, ["data_id", "chain_id"]),
      "metric_breakdown",
    ),
  timeline: (groups, value, name = plainName) => {
    const rows = ids(groups).flatMap((group) => MONTHS.map((month) => ({ group, month })));
    const day = (month: number, of: number) => new Date(Date.UTC(2025, month, of));
    const some = rows.length === 0 ? [{ group: 0, month: 0 }] : rows;
    const frame = frameOf({
      date: some.map(({ month }) => day(month, 1)),
      until: some.map(({ month }) => day(month + 1, 0)),
      data_id: some.map(({ group }) => name(group)),
      chain_id: some.map(({ group }) => `c${group}`),
      fees_sum: some.map(({ group, month }) => value(group, month)),
    });
    const complete = pl.Series("complete", some.map(({ month }) => month < 11), pl.Bool);
    const whole = frame.withColumns(complete);
    return asSample(rows.length === 0 ? whole.limit(0) : whole, "metric_breakdown");
  },
  parts: (groups, value, name = plainName) =>
    resultOf(
      ids(groups).flatMap((group) => PERIODS.map((month) => partRow(group, month, value, name))),
      partRow(0, 0, PLAIN, name),
    ),
  layers: (groups, value) =>
    resultOf(
      ids(Math.min(groups, 40)).flatMap((cohort) =>
        MONTHS.map((month) => layerRow(cohort, month, value))
      ),
      layerRow(0, 0, PLAIN),
    ),
  gains: (groups, value) =>
    resultOf(ids(groups).map((at) => gainRow(at, value)), gainRow(0, PLAIN)),
  pairs: (groups, value, name = plainName) =>
    resultOf(
      ids(Math.min(groups, 45)).map((group) => pairRow(group, value, name)),
      pairRow(0, PLAIN, name),
    ),
  trends: (groups, value, name = plainName) => {
    const [whole, cohort] = trendRows(0, PLAIN, name) as [Row, Row];
    const plain = {
      ...whole,
      ...cohort,
      p_adjusted: 0.1,
      lower: 0,
      upper: 1,
      trend_lower: 0,
      trend_upper: 1,
    };
    return resultOf(ids(groups).flatMap((group) => trendRows(group, value, name)), plain);
  },
  effects: (groups, value) =>
    resultOf(
      groups === 0 ? [] : [
        effectRow(null, value(0, 0)),
        ...ids(groups).map((at) => effectRow(at - 4, value(at, 1))),
      ],
      effectRow(0, 0.5),
    ),
  gaps: (groups, value, name = plainName) => {
    const [whole, month] = gapRows(0, PLAIN, name) as [Row, Row];
    return resultOf(ids(groups).flatMap((group) => gapRows(group, value, name)), {
      ...whole,
      ...month,
    });
  },
};
