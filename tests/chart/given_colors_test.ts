import { deepStrictEqual, doesNotMatch, match, ok, strictEqual, throws } from "node:assert/strict";
import { colorOf, setColors } from "../../lib/chart/color_registry.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { drawPlot } from "../../lib/chart/own_spec.ts";
import { figure } from "../../lib/chart/figure.ts";
import { plotScatter } from "../../lib/chart/scatter.ts";
import { plotTimeline } from "../../lib/chart/timeline.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import { withSource } from "../../lib/table/track/with_source.ts";
import { drawnSvg, marksOf } from "./drawn_svg.ts";

const NAMES: Readonly<Record<string, string>> = {
  arbi: "Arbitrum",
  opti: "Optimism",
  line: "Linea",
  scro: "Scroll",
};

/** Half a year of four rollups, with a name beside each id. */
function rollups(): DataFrame {
  return pl.DataFrame(
    Object.entries(NAMES).flatMap(([rollup, title], at) =>
      Array.from({ length: 6 }, (_, month) => ({
        rollup,
        title,
        date: new Date(Date.UTC(2025, month)),
        burnt: 100 * (at + 1) + month,
      }))
    ),
  );
}

async function strokes(chart: ReturnType<typeof plotTimeline>): Promise<Set<string | null>> {
  return new Set(
    marksOf(await drawnSvg(chart), "line", "path").map((path) => path.getAttribute("stroke")),
  );
}

Deno.test("given colors are drawn as given in both themes, and pairs in that of the theme", async () => {
  // A color of the palette has another one in the dark theme, unless a user gives it.
  const colors = { arbi: "#0072b2", Optimism: { light: "#AA0000", dark: "#ffbbbb" } };
  const given = { field: "burnt", by: "rollup", label: "title", colors } as const;
  const [light, dark] = [
    await strokes(plotTimeline(rollups(), { ...given, theme: "light" })),
    await strokes(
      plotTimeline(rollups(), { ...given, theme: "dark" }),
    ),
  ];
  ok(light.has("#0072b2") && light.has("#aa0000"));
  ok(dark.has("#0072b2") && dark.has("#ffbbbb") && !dark.has("#aa0000"));
  const chart = plotTimeline(rollups(), given);
  const auto = await chart.svg();
  match(auto, /\[stroke="#0072b2"\]\{stroke:light-dark\(#0072b2,#0072b2\)\}/);
  match(auto, /\[stroke="#aa0000"\]\{stroke:light-dark\(#aa0000,#ffbbbb\)\}/);
  // The spec has the colors, so that they stay in a changed chart and in a figure.
  const again = drawPlot({ ...await chart.spec, theme: "dark" });
  match(await again.svg(), /stroke="#ffbbbb"/);
  match(await figure([chart, chart]).svg(), /light-dark\(#aa0000,#ffbbbb\)/);
  const page = await chart.interactive().html();
  match(page, /const dark = \{[^}]*"#aa0000":"#ffbbbb"/);
});

Deno.test("a given color is a color, or one for each theme", () => {
  for (
    const color of ["red", "#12345", { light: "#123456" }, { light: "#123456", dark: "no" }, 3]
  ) {
    throws(() => plotTimeline(rollups(), { colors: { arbi: color as string } }), {
      name: "RangeError",
      message: /plotTimeline: colors: must be colors, each as "#rrggbb" or \{ light: /,
    });
  }
});

Deno.test("a misspelled name in colors is an error that names both", () => {
  const draw = (colors: Record<string, string>) =>
    plotTimeline(rollups(), { field: "burnt", by: "rollup", label: "title", colors });
  throws(() => draw({ Arbitrom: "#123456" }), {
    name: "RangeError",
    message:
      'plotTimeline: colors: must name groups of the frame; got "Arbitrom", did you mean Arbitrum?',
  });
  throws(
    () => draw({ rollup: { Optimysm: "#123456" } } as never),
    /plotTimeline: colors: .*"Optimysm", did you mean Optimism/,
  );
  throws(
    () => plotComparison(rollups().head(1), { field: "burnt", colors: { Arbitrun: "#123456" } }),
    /plotComparison: colors: .*"Arbitrun", did you mean Arbitrum/,
  );
  // The colors of a paper can name groups of other charts.
  draw({ Arbitrum: "#123456", Arbitrum2: "#123457", base: "#123458", Polygon: "#123459" });
});

Deno.test("label is what is drawn, never the identity", async () => {
  setColors({});
  const plain = { field: "burnt", by: "rollup" } as const;
  const named = { field: "burnt", label: "title" } as const;
  deepStrictEqual(
    await strokes(plotTimeline(rollups(), named)),
    await strokes(plotTimeline(rollups(), plain)),
  );
  const chart = plotTimeline(rollups(), { ...named, highlight: ["opti"] });
  ok((await strokes(chart)).has(colorOf("opti")));
  match(await chart.svg(), /Optimism/);
  doesNotMatch(await chart.svg(), /opti\b/);
  const bars = plotComparison(rollups().filter(pl.col("burnt").modulo(100).eq(0)), {
    field: "burnt",
    label: "title",
    highlight: ["line"],
  });
  const fills = marksOf(await drawnSvg(bars), "bar", "rect").map((bar) => bar.getAttribute("fill"));
  strictEqual(fills.filter((fill) => fill === colorOf("line")).length, 1);
  setColors({});
});

Deno.test("an id has one color in all charts of a figure, also beside an id of the same color", async () => {
  setColors({});
  const names = Array.from({ length: 30 }, (_, at) => `chain ${at}`);
  // Two ids whose own colors are the same, of which one has another color beside the other.
  const [first, second] = names.flatMap((one, at) =>
    names.slice(at + 1).filter((other) => colorOf(one) === colorOf(other)).map((
      other,
    ) => [one, other])
  )[0]!;
  const frame = (ids: readonly string[]) =>
    pl.DataFrame(ids.flatMap((chain, at) =>
      [0, 1, 2].map((month) => (
        { chain, date: new Date(Date.UTC(2025, month)), burnt: 10 * (at + 1) + month }
      ))
    ));
  const charts = [[first!, second!], [first!], [second!]].map((ids) =>
    plotTimeline(frame(ids), { field: "burnt" })
  );
  const both = [...await strokes(charts[0]!)];
  strictEqual(new Set(both).size, 2);
  const all = marksOf(await drawnSvg(figure(charts)), "line", "path");
  deepStrictEqual(new Set(all.map((path) => path.getAttribute("stroke"))), new Set(both));
  setColors({});
});

Deno.test("the name of a group of several columns that is not drawn is known in colors", async () => {
  const rows = pl.DataFrame(
    [["DE", "ads", 3], ["IT", "ads", 9], ["FR", "seo", 8]]
      .map(([country, funnel, fees]) => ({ country, funnel, fees })),
  );
  const frame = withSource(rows, { entity: ["country", "funnel"] });
  const colors = { "DE · ads": "#aa0000", "IT · ads": "#00aa00" };
  const chart = plotComparison(frame, { field: "fees", limit: 2, colors });
  ok((await chart.svg()).includes("#00aa00"));
});

Deno.test("a misspelled group of several columns is refused in charts whose groups have one color", () => {
  const rows = pl.DataFrame(
    [["DE", "ads", 3], ["IT", "ads", 9]].map(([country, funnel, fees]) => (
      { country, funnel, fees, users: fees }
    )),
  );
  const frame = withSource(rows, { entity: ["country", "funnel"] });
  const colors = { "IT · adz": "#00aa00" };
  const message = /colors: must name groups of the frame; got "IT · adz", did you mean IT · ads\?/;
  throws(() => plotComparison(frame, { field: "fees", colors }), message);
  throws(() => plotScatter(frame, { x: "users", y: "fees", colors }), message);
});
