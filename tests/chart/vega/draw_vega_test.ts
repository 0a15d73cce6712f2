import assert from "node:assert/strict";
import { type Displayed, JUPYTER_DISPLAY } from "../../../lib/chart/chart.ts";
import { drawVega } from "../../../lib/chart/draw.ts";
import { vegaRetention } from "../../../lib/chart/retention.ts";
import { vegaTimeline } from "../../../lib/chart/timeline.ts";
import { timelineFrame, type TimelineRow } from "../../analysis/timeline_frame.ts";
import { drawnSvg } from "../drawn_svg.ts";
import { marksIn } from "../drawn_vega.ts";
import { pooledSample } from "../sample_frames.ts";

const chart = vegaRetention(pooledSample(), { title: `</script><b>"x"` });

Deno.test("vega charts display as Vega-Lite v5, PNG and plain text", async () => {
  const bundle = await (chart as unknown as Displayed)[JUPYTER_DISPLAY]();
  assert.deepEqual(Object.keys(bundle), [
    ...["application/vnd.vegalite.v5+json", "image/png", "text/plain"],
  ]);
  assert.equal((await chart.spec).$schema, "https://vega.github.io/schema/vega-lite/v5.json");
});

Deno.test("drawing a vega chart does not change it", async () => {
  const fresh = vegaRetention(pooledSample());
  await fresh.svg();
  assert.deepEqual(await fresh.spec, await vegaRetention(pooledSample()).spec);
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

Deno.test("vegaRetention leaves null months out of its points", async () => {
  const { data } = await vegaRetention(pooledSample(), { startMonth: 0 }).spec;
  const { values } = data as { values: { value: number }[] };
  assert.equal(values.length, 36);
  assert.ok(values.every(({ value }) => value > 0 && value <= 1));
});

Deno.test("drawVega refuses an invalid spec with the reason", () => {
  assert.throws(() => drawVega(chart.spec as never), /must be a Vega-Lite spec.*await it$/);
  assert.throws(() => drawVega({ data: {} }), /must be a Vega-Lite spec, with one of mark, layer/);
  assert.throws(() => drawVega({ mark: "bar", usermeta: { theme: "pink" } }), /theme: must be one/);
});

Deno.test("vegaTimeline draws the points of many lines only where no line leads to them", async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, day): TimelineRow => {
      const date = new Date(Date.UTC(2023, 0, 1 + day)).toISOString().slice(0, 10);
      return [date, "alder", day === 5 || day === 7 ? null : 10 + day];
    });
  const marked = async (count: number) => {
    const svg = await drawnSvg(vegaTimeline(timelineFrame("day", rows(count))));
    return marksIn(svg, ".mark-symbol").filter((mark) => mark.getAttribute("opacity") !== "0")
      .map((mark) => mark.getAttribute("aria-label"));
  };
  assert.equal((await marked(40)).length, 38);
  assert.deepEqual(await marked(501), ["alder, 7 Jan 2023: $16"]);
});
