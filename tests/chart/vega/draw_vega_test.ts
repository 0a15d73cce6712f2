import assert from "node:assert/strict";
import { type Displayed, JUPYTER_DISPLAY } from "../../../lib/chart/chart.ts";
import { drawVega } from "../../../lib/chart/own_spec.ts";
import { plotRetention } from "../../../lib/chart/retention.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { pooledSample } from "../sample_frames.ts";

const chart = plotRetention(pooledSample(), { title: `</script><b>"x"` }).interactive();

Deno.test("vega charts display as Vega-Lite v5, PNG and plain text", async () => {
  const bundle = await (chart as unknown as Displayed)[JUPYTER_DISPLAY]();
  assert.deepEqual(Object.keys(bundle), [
    ...["application/vnd.vegalite.v5+json", "image/png", "text/plain"],
  ]);
  assert.equal((await chart.spec).$schema, "https://vega.github.io/schema/vega-lite/v5.json");
});

Deno.test("drawing a vega chart does not change it", async () => {
  const fresh = plotRetention(pooledSample()).interactive();
  await fresh.svg();
  assert.deepEqual(await fresh.spec, await plotRetention(pooledSample()).interactive().spec);
});

Deno.test("vega charts mark sample data in the picture", async () => {
  assert.match(
    (await drawnSvg(chart)).textContent,
    /SAMPLE DATA, invented: not facts about the world/,
  );
});

Deno.test("the HTML of a vega chart needs no network, and data cannot break out of it", async () => {
  const html = await chart.html();
  assert.doesNotMatch(html, /<script[^>]+src=|<link|@import/);
  assert.equal(html.match(/<\/script>/g)!.length, 4);
  assert.doesNotMatch(html, /<b>/);
});

Deno.test("drawVega redraws a changed spec", async () => {
  const changed = drawVega({
    ...await chart.spec,
    title: "Changed",
    description: "A changed chart",
  });
  assert.equal(changed.title, "Changed");
  assert.match(await changed.svg(), /role="img" aria-label="Changed\. A changed chart"/);
});

Deno.test("drawVega refuses an invalid spec with the reason", () => {
  assert.throws(() => drawVega(chart.spec as never), /must be a Vega-Lite spec.*await it$/);
  assert.throws(() => drawVega({ data: {} }), /must be a Vega-Lite spec, with one of mark, layer/);
  assert.throws(() => drawVega({ mark: "bar", usermeta: { theme: "pink" } }), /theme: must be one/);
});
