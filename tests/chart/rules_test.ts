import { deepEqual, equal, match, ok } from "node:assert/strict";
import process from "node:process";
import {
  colors,
  type DataFrame,
  growthTable,
  pl,
  plotComparison,
  plotGrowth,
  plotTimeline,
  setColors,
  withSource,
} from "../../mod.ts";
import { colorOf } from "../../lib/chart/marks.ts";
import { drawnSvg, marksOf, textsOf } from "./drawn_svg.ts";

/** A series by month or by day, as texts of days. */
type Values = readonly (number | null)[];

function days(count: number, by: "month" | "day"): Date[] {
  return Array.from(
    { length: count },
    (_, at) => new Date(by === "month" ? Date.UTC(2025, at, 1) : Date.UTC(2023, 0, 1 + at)),
  );
}

/** A user's own table of a number by protocol and period. The last `open` periods are not over. */
function own(
  lines: Readonly<Record<string, Values>>,
  { by = "month", open = 0, field = "fees_usd", adds = "both" }: {
    readonly by?: "month" | "day";
    readonly open?: number;
    readonly field?: string;
    readonly adds?: "both" | "none";
  } = {},
): DataFrame {
  const rows = Object.entries(lines).flatMap(([protocol, values]) => {
    const dates = days(values.length + 1, by);
    return values.map((value, at) => ({
      protocol,
      date: dates[at]!,
      until: new Date(dates[at + 1]!.getTime() - 86_400_000),
      complete: at < values.length - open,
      value,
    }));
  });
  const column = (name: "date" | "until") => pl.Series(name, rows.map((row) => row[name]), pl.Date);
  const frame = pl.DataFrame({
    protocol: rows.map(({ protocol }) => protocol),
    date: column("date"),
    until: column("until"),
    complete: rows.map(({ complete }) => complete),
    [field]: pl.Series(field, rows.map(({ value }) => value), pl.Float64),
  });
  return withSource(frame, {
    citation: "Own (2026), Fees",
    license: "CC-BY-4.0",
    columns: { [field]: { unit: "usd", adds } },
  });
}

/** Lines of several sizes: `first` times the given values, then twice as much, and so on. */
function lines(count: number, values: Values, factor = 2): Record<string, Values> {
  return Object.fromEntries(
    Array.from(
      { length: count },
      (_, at) => [`p${at}`, values.map((value) => value === null ? null : value * factor ** at)],
    ),
  );
}

const typeOf = (axis: unknown) => (axis as { type?: string }).type;
const domainOf = (axis: unknown) => (axis as { domain: readonly number[] }).domain;

Deno.test("complete: a part of a month neither makes an axis logarithmic nor has a line", async () => {
  const chart = plotTimeline(own({ a: [100, 110, 105, 1], b: [90, 95, 92, 2] }, { open: 1 }));
  const { panels: [panel], title, caption } = await chart.spec;
  equal(typeOf(panel!.y), "linear");
  match(title, /Jan 2025 to Mar 2025$/);
  match(caption[0]!, /^Not drawn: Apr 2025, which is not over\.$/);
  const paths = marksOf(await drawnSvg(chart), "line", "path");
  deepEqual(paths.map((path) => path.getAttribute("d")!.match(/[ML]/g)!.length), [3, 3]);
});

Deno.test("complete: a period that lacks a part has no ranks", async () => {
  const frame = own({ a: [9, 9, 9, 9], b: [8, null, 8, 8], c: [7, 7, 7, 7] });
  const { rows, subtitle } = await plotTimeline(frame, { as: "rank" }).spec;
  match(subtitle, /not ranked: Feb 2025/);
  deepEqual(rows.filter(({ group }) => group === "c").map(({ value }) => value), [3, null, 3, 3]);
});

Deno.test("complete: a small line that lacks a value does not end the ranks of the largest", async () => {
  const frame = own({ a: [900, 900, 900, 900], b: [800, 800, 800, 800], c: [1, null, 1, 1] });
  const skipped = async (limit: number) =>
    /not ranked: (.*)/.exec((await plotTimeline(frame, { as: "rank", limit }).spec).subtitle)?.[1];
  deepEqual([await skipped(2), await skipped(3)], [undefined, "Feb 2025"]);
});

Deno.test("complete: a bar that lacks a part is faded", async () => {
  const frame = own({ a: [9, 9, 9, 9], b: [8, null, 8, 8] });
  const svg = await drawnSvg(plotTimeline(frame, { as: "stack" }));
  const faded = marksOf(svg, "part", "rect").filter((part) =>
    part.getAttribute("fill-opacity") === "0.45"
  );
  equal(faded.length, 1);
});

Deno.test("density: a stack of 900 days is an area", async () => {
  const values = Array.from({ length: 900 }, (_, at) => 100 + at % 7);
  const svg = await drawnSvg(plotTimeline(own(lines(3, values), { by: "day" }), { as: "stack" }));
  equal(marksOf(svg, "part", "rect").length, 0);
  equal(marksOf(svg, "part", "path").length, 3);
});

Deno.test("density: no header of a category is left out", async () => {
  const windows = ["1d", "7d", "30d", "90d", "180d", "365d"];
  const chains = pl.DataFrame({
    chain_id: ["a", "b"],
    chain_name: ["A chain with a name that is very long", "Another chain of such a name"],
    ...Object.fromEntries(
      windows.map((window) => [`ecosystem_tvl_${window}_change`, [0.1, -0.2]]),
    ),
  });
  const table = growthTable(chains as never, { field: "ecosystem_tvl" });
  const svg = await drawnSvg(plotGrowth(table, { width: 320 }));
  const names = textsOf(svg, "column name").map((text) => Number.parseInt(text));
  deepEqual(names.toSorted((a, b) => a - b), windows.map((window) => Number.parseInt(window)));
});

Deno.test("one scale decision: all panels of sums begin at zero, and no panel lacks the word log", async () => {
  const values = [100, 98, 99, 97];
  const own_ = await plotTimeline(own(lines(9, values, 1.01)), { axes: "own" }).spec;
  deepEqual(own_.panels.map(({ y }) => domainOf(y)[0]), own_.panels.map(() => 0));
  const log = await plotTimeline(own(lines(9, [1, 10, 100, 1000], 1)), { axes: "shared" }).spec;
  deepEqual([typeOf(log.panels[0]!.y), /logarithmic axis/.test(log.subtitle)], ["log", true]);
});

Deno.test("one scale decision: a zero stands in a strip beside a log axis, and a reference keeps its type", async () => {
  const frame = pl.DataFrame({ protocol: ["a", "b", "c"], fees_usd: [1e4, 100, 0] });
  const dots = plotComparison(frame, { field: "fees_usd", scale: "log" });
  equal(marksOf(await drawnSvg(dots), "value dot", "circle").length, 3);
  const near = pl.DataFrame({ protocol: ["a", "b"], fees_usd: [100, 90] });
  const { panels: [panel] } = await plotComparison(near, { field: "fees_usd", reference: 1 }).spec;
  equal(typeOf(panel!.x), "linear");
});

Deno.test("one scale decision: a measure without values has no panel", async () => {
  const frame = pl.DataFrame({ protocol: ["a", "b"], fees_usd: [4, 2] })
    .withColumns(pl.lit(null).cast(pl.Float64).alias("tvl_usd"));
  const { panels } = await plotComparison(frame, { field: ["fees_usd", "tvl_usd"] }).spec;
  equal(panels.length, 1);
});

Deno.test("names and color: at most 12 of 40 lines are named, the alternative text counts all", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`p${at}`, [50 + at, 60 + at / 8, 60 + at / 9]]),
  );
  const frame = own(many, { adds: "none" });
  const chart = plotTimeline(frame, { limit: 40, highlight: Object.keys(many).slice(0, 3) });
  const svg = await drawnSvg(chart);
  const { subtitle, label } = await chart.spec;
  ok(textsOf(svg, "line label").length <= 12);
  match(subtitle, /5 of 40 named/);
  match(label, /^Line chart of 40 /);
});

Deno.test("names and color: panels have one ink", async () => {
  const svg = await drawnSvg(plotTimeline(own(lines(9, [3, 2, 4], 1.01))));
  const inks = marksOf(svg, "line", "path").map((path) => path.getAttribute("stroke"));
  equal(new Set(inks).size, 1);
});

Deno.test("names and color: an id has one color in charts of any order", () => {
  const ids = ["alder", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath"];
  const colored = (some: readonly string[]) => {
    setColors({});
    plotTimeline(own(Object.fromEntries(some.map((id, at) => [id, [9 - at, 9 - at]]))));
    return Object.assign({}, ...Object.values(colors())) as Record<string, number>;
  };
  const first = colored(ids);
  deepEqual(colored(ids.toReversed()), first);
  equal(new Set(Object.values(first)).size, 8);
  setColors({});
});

Deno.test("names and color: 8 000 new ids get their colors one by one in half a second", () => {
  setColors({});
  const started = process.cpuUsage();
  for (let at = 0; at < 8000; at++) colorOf(`id-${at}`, { kind: "project_id" });
  ok(process.cpuUsage(started).user < 500_000);
  setColors({});
});

Deno.test("words and numbers: values have three digits, also those that are equal then", async () => {
  const frame = pl.DataFrame({ protocol: ["a", "b"], fees_usd: [26.4581e6, 26.4579e6] });
  const svg = await drawnSvg(plotComparison(frame, { field: "fees_usd" }));
  deepEqual(textsOf(svg, "value").map((text) => text.split(" ")[0]), ["$26.5M", "$26.5M"]);
});

Deno.test("words and numbers: a share near zero is below a percent, and no word is broken", async () => {
  const frame = withSource(pl.DataFrame({ protocol: ["a", "b"], fees_usd: [1e9, 1] }), {
    citation: "Own",
    columns: { fees_usd: { unit: "usd", adds: "both" } },
  });
  const chart = plotComparison(frame, {
    field: "fees_usd",
    width: 320,
    title: "Decentralized exchanges and lending protocols of the ecosystem",
  });
  const svg = await drawnSvg(chart);
  match(textsOf(svg, "value")[1]!, /<1%/);
  ok(svg.textContent.includes("exchanges"));
});

Deno.test("words and numbers: a subtitle says what is drawn, the caption has citation and licence", async () => {
  const chart = plotTimeline(own(lines(2, [3, 2, 4])), { title: "My title" });
  const { subtitle, caption } = await chart.spec;
  match(subtitle, /^Fees/);
  match(caption.at(-1)!, /Own \(2026\), Fees, CC-BY-4\.0\.$/);
});
