import assert from "node:assert/strict";
import { JUPYTER_DISPLAY } from "../../../lib/chart/chart.ts";
import { drawVega } from "../../../lib/chart/vega/draw_vega.ts";
import { vegaRetention } from "../../../lib/chart/vega/vega_retention.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { pooledSample } from "../sample_frames.ts";

const chart = vegaRetention(pooledSample(), { title: `</script><b>"x"` });

Deno.test("vega charts show themselves as Vega-Lite v5, with an SVG and plain text beside it", async () => {
  const bundle = await chart[JUPYTER_DISPLAY]();
  assert.deepEqual(Object.keys(bundle), [
    ...["application/vnd.vegalite.v5+json", "image/svg+xml", "text/plain"],
  ]);
  assert.equal(chart.spec.$schema, "https://vega.github.io/schema/vega-lite/v5.json");
});

Deno.test("vega charts stay as they are when they are drawn", async () => {
  const fresh = vegaRetention(pooledSample());
  await fresh.svg();
  assert.deepEqual(fresh.spec, vegaRetention(pooledSample()).spec);
});

Deno.test("vega charts say in the picture that the data is sample data", async () => {
  assert.match(
    (await drawnSvg(chart)).textContent,
    /Sample data, invented: not facts about the world/,
  );
});

Deno.test("the HTML of a vega chart needs nothing from a network and cannot be broken out of", async () => {
  const html = await chart.html();
  assert.doesNotMatch(html, /<script[^>]+src=|<link|@import/);
  assert.equal(html.match(/<\/script>/g)!.length, 4);
  assert.doesNotMatch(html, /<b>/);
});

Deno.test("drawVega draws a changed spec anew", async () => {
  const changed = drawVega({ ...chart.spec, title: "Changed", description: "A changed chart" });
  assert.equal(changed.title, "Changed");
  assert.match(await changed.svg(), /role="img" aria-label="Changed\. A changed chart"/);
});

Deno.test("vegaRetention leaves null months out of its points", () => {
  const { values } = vegaRetention(pooledSample()).spec.data as { values: { retention: number }[] };
  assert.equal(values.length, 36);
  assert.ok(values.every(({ retention }) => retention > 0 && retention <= 1));
});
