import { deepStrictEqual, ok } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { pl } from "../../mod.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { cohortFrame, cohortsOf } from "./cohort_frame.ts";
import { timelineFrame, type TimelineRow } from "./timeline_frame.ts";

const MODULE = await Deno.readTextFile(new URL("../../mod.ts", import.meta.url));

/** The dtypes that the doc comment of a function allows for each column, and the columns that it promises always. */
function documented(name: string) {
  const [, path] = new RegExp(`^export \\{ ${name} \\} from "./(.*)";$`, "m").exec(MODULE)!;
  const file = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
  const comment = file.split(new RegExp(`^export function ${name}\\b`, "m"))[0]!.split("/**").at(
    -1,
  )!;
  const rows = comment.split("\n").filter((line) => /^ \* \| `/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).slice(1).map((cell) => cell.trim()));
  const dtypes = new Map(
    rows.flatMap(([names, dtype]) =>
      [...names!.matchAll(/`([^`]+)`/g)].map(([, column]) =>
        [column!, dtype!.replace("Boolean", "Bool").split(", ")] as const
      )
    ),
  );
  const always = rows.filter(([names, , meaning]) =>
    !/ or /.test(names!) && !/^with /.test(meaning!)
  )
    .flatMap(([names]) => [...names!.matchAll(/`([^`]+)`/g)].map(([, column]) => column!));
  return { dtypes, always };
}

const CURVES = chainframe.retentionCurves(
  cohortFrame(
    ["a", "b", "c", "d"].flatMap((project, at) =>
      cohortsOf(project, [50, 40, 30, 35, 45, 42], Array(6).fill(100 + at))
        .map((cohort) => ({ ...cohort, sector: at < 2 ? "one" : "two" }))
    ),
  ),
  { unit: "fraction" },
);
const POOLED = chainframe.pooledRetention(CURVES, { by: "project_id" });
const FEES = timelineFrame(
  "month",
  Array.from({ length: 14 * 8 }, (_, at): TimelineRow => {
    const [month, id] = [Math.floor(at / 8), at % 8];
    const day = new Date(Date.UTC(2025, month, 1)).toISOString().slice(0, 10);
    return [day, `u${id}`, 1e5 * (id + 1) + 900 * ((month * (id + 3)) % 7)];
  }),
).withColumns(pl.lit(2).alias("two"), pl.col("fees_sum").div(2).alias("half"));
const COHORTS = cohortFrame([{ size: 10, months: [1, 0.5] }]);
const FIELD = { field: "fees_sum" } as const;

/** A frame, and the columns of the result that identify a row. */
const CASES: [name: keyof typeof chainframe, DataFrame, keys: string[], options?: object][] = [
  ["retentionCurves", COHORTS, []],
  ["pooledRetention", CURVES, []],
  ["forecastRetention", CURVES, ["project_id", "project_name"], { by: "project_id" }],
  ["compareRetention", CURVES, []],
  ["retentionSummary", POOLED, ["project_id", "project_name"]],
  ["cohortTrend", CURVES, []],
  ["cohortLayers", CURVES, []],
  ["userFlows", CURVES, []],
  ["detectable", CURVES, []],
  ["contributions", FEES, ["data_id"], FIELD],
  ["shares", FEES, ["data_id"], FIELD],
  ["decompose", FEES, ["data_id"], {
    product: "fees_sum",
    factors: ["half", "two"],
    per: "period",
  }],
  ["counterfactual", FEES, ["data_id"], { ...FIELD, starts: { u7: "2026-01" } }],
  ["eventStudy", FEES, [], { ...FIELD, starts: { u0: "2025-09", u1: "2025-10" } }],
  ["rankBy", FEES.head(8), FEES.columns, FIELD],
  ["concentration", FEES.head(8), ["date"], FIELD],
  ["check", FEES, ["date", "data_id", "chain_id"]],
];
/** Analyses that refuse a frame without rows, or return a row for it. */
const NEVER_EMPTY = ["counterfactual", "eventStudy", "concentration", "detectable"];

for (const [name, frame, keys, options = {}] of CASES) {
  Deno.test(`${name} has the columns and dtypes of its doc comment, also without rows`, () => {
    const run = chainframe[name] as (frame: DataFrame, options: object) => DataFrame;
    const { dtypes, always } = documented(name);
    const result = run(frame, options);
    const found = result.columns.filter((column) => !keys.includes(column));
    ok(result.height > 0 || name === "check");
    deepStrictEqual(always.filter((column) => !result.columns.includes(column)), []);
    for (const column of found) {
      const { variant } = result.getColumn(column).dtype;
      ok(
        dtypes.get(column)?.includes(variant),
        `${column} is ${variant}, not ${dtypes.get(column)}`,
      );
    }
    if (NEVER_EMPTY.includes(name)) return;
    const none = run(frame.limit(0), options);
    deepStrictEqual([none.columns, none.height], [result.columns, 0]);
    deepStrictEqual(none.dtypes, result.dtypes);
  });
}
