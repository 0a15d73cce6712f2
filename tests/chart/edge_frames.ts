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
};
