import { match, ok } from "node:assert/strict";
import type { PlotChart } from "../../../lib/chart/chart.ts";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { plotRetention } from "../../../lib/chart/retention.ts";
import { plotScatter } from "../../../lib/chart/scatter.ts";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { pl } from "../../../lib/table/columns/polars.ts";

const ROWS = 1_000_000;

const numbers = (name: string, valueOf: (row: number) => number) =>
  pl.Series(name, Array.from({ length: ROWS }, (_, row) => valueOf(row)), pl.Float64);
const names = (name: string, each: number) =>
  pl.Series(name, Array.from({ length: ROWS }, (_, row) => `p${Math.floor(row / each)}`), pl.Utf8);

const CHARTS: Readonly<Record<string, () => PlotChart>> = {
  plotTimeline: () =>
    plotTimeline(
      pl.DataFrame([numbers("place", (row) => row), numbers("fees", (row) => 100 + row % 1007)]),
      { x: "place", field: "fees" },
    ),
  plotComparison: () =>
    plotComparison(
      pl.DataFrame([names("protocol", 1), numbers("fees", (row) => 100 + row % 1007)]),
      { field: "fees" },
    ),
  plotScatter: () =>
    plotScatter(
      pl.DataFrame([
        names("protocol", 1),
        numbers("fees", (row) => 100 + row % 1007),
        numbers("users", (row) => 100 + row % 907),
      ]),
      { x: "fees", y: "users" },
    ),
  plotRetention: () =>
    plotRetention(pl.DataFrame([
      names("project_id", 10),
      numbers("month", (row) => 1 + row % 10),
      numbers("size", () => 100),
      numbers("retention", (row) => 0.5 / (1 + row % 10)),
    ])),
};

for (const [name, draw] of Object.entries(CHARTS)) {
  Deno.test(`${name} draws a million rows, and says what it leaves out`, async () => {
    const chart = draw();
    ok((await chart.svg()).length < 1e6);
    match(
      (await chart.spec).caption.join(" "),
      /Drawn: the \d+|the lowest and the highest are drawn/,
    );
  });
}
