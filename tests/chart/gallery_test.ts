import assert from "node:assert/strict";
import type { Chart, PlotSpec, VegaSpec } from "../../lib/chart/chart.ts";
import { drawPlot, drawVega } from "../../lib/chart/own_spec.ts";
import { galleryCharts, galleryFrames, paperPage } from "./gallery_charts.ts";

const FOLDER = new URL("../../docs/gallery/", import.meta.url);
const frames = await galleryFrames();
const charts = galleryCharts(frames);
charts.set("paper_page", paperPage(frames));

/** `UPDATE_GALLERY=1` draws the pictures anew: look at them before you commit them. */
const update = Deno.env.get("UPDATE_GALLERY") === "1";

/** The same chart in the dark theme. */
async function inDark(chart: Chart): Promise<Chart> {
  const spec = await chart.spec;
  return Array.isArray((spec as PlotSpec).panels)
    ? drawPlot({ ...spec as PlotSpec, theme: "dark" })
    : drawVega({
      ...spec as VegaSpec,
      usermeta: { ...(spec as VegaSpec).usermeta as VegaSpec, theme: "dark" },
    });
}

/** Numbers the clip paths from 0. Vega numbers those of all drawings of a process. */
function renumbered(svg: string): string {
  const ids = [...new Set(svg.match(/\bclip\d+/g))];
  return svg.replace(/\bclip\d+/g, (id) => `clip${ids.indexOf(id)}`);
}

for (const [name, chart] of charts) {
  for (const [ending, drawn] of [["", chart], ["_dark", await inDark(chart)]] as const) {
    Deno.test(`the gallery's picture of ${name}${ending} equals the drawn chart`, async () => {
      const file = new URL(`${name}${ending}.svg`, FOLDER);
      const svg = renumbered(await drawn.svg());
      if (update) await Deno.writeTextFile(file, svg);
      assert.equal(svg, renumbered(await Deno.readTextFile(file)));
      assert.match(svg, /SAMPLE DATA, invented: not facts about the world/);
    });
  }
}

Deno.test("the gallery shows every picture once, and no others", async () => {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();
  assert.deepEqual(
    files,
    [...charts.keys()].flatMap((name) => [`${name}.svg`, `${name}_dark.svg`]).toSorted(),
  );
  const page = await Deno.readTextFile(new URL("../gallery.md", FOLDER));
  const shown = [...page.matchAll(/gallery\/(\w+\.svg)/g)].map(([, file]) => file!);
  assert.deepEqual(shown.toSorted(), files);
});

Deno.test("the gallery's code equals the code that draws its pictures", async () => {
  const bare = (code: string) => code.replace(/\s+|,(?=\s*[)}\]])|;|\/\/.*/g, "");
  const page = await Deno.readTextFile(new URL("../gallery.md", FOLDER));
  const drawn = bare(await Deno.readTextFile(new URL("gallery_charts.ts", import.meta.url)));
  const snippets = [...page.matchAll(/```ts ignore\n([^`]+)```/g)].map(([, code]) => bare(code!));
  assert.equal(snippets.length, charts.size);
  for (const snippet of snippets) assert.ok(drawn.includes(snippet), snippet);
});
