import assert from "node:assert/strict";
import { LOSS_COLOR, SLATE } from "../../../lib/chart/colors.ts";
import { vegaComparison } from "../../../lib/chart/comparison.ts";
import { pl } from "../../../lib/table/build/polars.ts";
import { textWidth } from "../../../lib/chart/text/layout.ts";
import { theme } from "../../../lib/chart/theme.ts";
import { drawnSvg, placeOf } from "../drawn_svg.ts";
import { comparisonSample } from "../sample_frames.ts";

const fields = ["ecosystem_fees_30d_sum", "ecosystem_tvl_30d_change"];

interface Value {
  readonly name: string;
  readonly measure: string;
  readonly value: number | null;
  readonly text: string;
  readonly rank: number;
  readonly color: string;
}

async function valuesOf(): Promise<Value[]> {
  const { data } = await vegaComparison(comparisonSample(), { field: fields }).spec;
  return (data as { values: Value[] }).values;
}

Deno.test("vegaComparison ranks the chains within each measure, nulls last", async () => {
  const all = await valuesOf();
  const order = (measure: string) =>
    all.filter((row) => row.measure === measure).toSorted((a, b) => a.rank - b.rank)
      .map(({ name, text }) => `${name} ${text}`);
  assert.deepEqual(order("Ecosystem fees over 30 days"), [
    ...["Alder $41.2M", "Basalt $18.9M", "Cinder $6.24M", "Dune $2.31M"],
    ...["Ember Rollup $820K", "Fathom no value"],
  ]);
  assert.deepEqual(order("Ecosystem TVL, change over 30 days"), [
    ...["Ember Rollup +39.1%", "Cinder +21.2%", "Alder +4.3%"],
    ...["Dune −0.7%", "Basalt −11.8%", "Fathom no value"],
  ]);
});

Deno.test("vegaComparison colors values by their sign", async () => {
  const below = (await valuesOf()).filter(({ color }) => color === LOSS_COLOR).map(({ name }) =>
    name
  );
  assert.deepEqual(below.toSorted(), ["Basalt", "Dune"]);
});

Deno.test("vegaComparison draws a bar for each value of the first measure and none for null", async () => {
  const svg = await drawnSvg(vegaComparison(comparisonSample(), { field: fields }));
  const bars = [...svg.querySelectorAll(".bars_marks path")];
  assert.equal(bars.length, 5);
  assert.ok(bars.every((bar) => bar.getAttribute("fill") === SLATE));
  assert.match(svg.textContent, /no value/);
});

Deno.test("vegaComparison draws a name with line separators of JavaScript", async () => {
  const name = "Al\u2028d\u2029er \"'\\ </script>";
  const frame = pl.DataFrame({
    chain_id: pl.Series("chain_id", ["alder", "basalt"], pl.Utf8),
    chain_name: pl.Series("chain_name", [name, "Basalt"], pl.Utf8),
    ecosystem_fees_30d_sum: pl.Series("ecosystem_fees_30d_sum", [2, 1], pl.Float64),
    ecosystem_tvl_30d_change: pl.Series("ecosystem_tvl_30d_change", [0.1, -0.2], pl.Float64),
  });
  const svg = await vegaComparison(frame, { field: fields }).svg();
  assert.match(svg, /Basalt/);
  assert.match(svg, /Al[^]{1,8}d[^]{1,8}er/);
});

Deno.test("vegaComparison keeps a given title, and names the measure below it", async () => {
  const chart = vegaComparison(comparisonSample(), { field: fields, title: "Five years on" });
  const { title } = await chart.spec as { title: { text: { expr: string } } };
  assert.doesNotMatch(title.text.expr, /:\["Ecosystem/);
  const svg = await drawnSvg(chart);
  assert.match(svg.textContent, /Five years on/);
  assert.match(svg.textContent, /Ecosystem fees over 30 days; largest first/);
});

Deno.test("vegaComparison leaves out labels of an axis that would touch", async () => {
  const names = ["alder", "other (12 chains)"];
  const frame = pl.DataFrame({ chain_id: names, fees: [182_000, 19_100] });
  for (const width of [320, 360, 400]) {
    const svg = await drawnSvg(vegaComparison(frame, { field: "fees", unit: "usd", width }));
    const labels = [...svg.querySelectorAll(".role-axis-label text")]
      .filter((label) => label.getAttribute("opacity") !== "0" && label.textContent.startsWith("$"))
      .map((label) => ({ middle: placeOf(label).x, text: label.textContent }));
    labels.slice(1).forEach(({ middle, text }, index) => {
      const before = labels[index]!;
      const taken = (textWidth(text, theme.label) + textWidth(before.text, theme.label)) / 2;
      assert.ok(middle - before.middle - taken >= 4, `${before.text} ${text} at ${width}`);
    });
    assert.ok(labels.length > 1);
  }
});

Deno.test("vegaComparison draws a logarithmic axis for values above 0, also below 1", async () => {
  const field = "ecosystem_fees_30d_sum";
  const filterOf = async (values: number[]) => {
    const frame = pl.DataFrame({ chain_id: ["alder", "basalt"], [field]: values });
    const { transform } = await vegaComparison(frame, { field, scale: "log" }).spec;
    return (transform as { filter: string }[])[0]!.filter.includes("isValid");
  };
  assert.deepEqual([await filterOf([0.5, 200]), await filterOf([0, 200])], [true, false]);
});
