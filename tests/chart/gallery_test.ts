import assert from "node:assert/strict";
import { galleryCharts, galleryFrames } from "./gallery_charts.ts";

const FOLDER = new URL("../../docs/gallery/", import.meta.url);
const charts = galleryCharts(await galleryFrames());

/** `UPDATE_GALLERY=1` draws the pictures anew: look at them before you commit them. */
const update = Deno.env.get("UPDATE_GALLERY") === "1";

for (const [name, chart] of charts) {
  Deno.test(`the gallery's picture of ${name} is what the chart draws`, async () => {
    const file = new URL(`${name}.svg`, FOLDER);
    const svg = await chart.svg();
    if (update) await Deno.writeTextFile(file, svg);
    assert.equal(svg, await Deno.readTextFile(file));
    assert.match(svg, /Sample data, invented: not facts about the world/);
  });
}

Deno.test("the gallery shows every picture once, and no others", async () => {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();
  assert.deepEqual(files, [...charts.keys()].map((name) => `${name}.svg`).toSorted());
  const page = await Deno.readTextFile(new URL("../gallery.md", FOLDER));
  const shown = [...page.matchAll(/!\[[^\]]+\]\(gallery\/([^)]+)\)/g)].map(([, file]) => file!);
  assert.deepEqual(shown.toSorted(), files);
});

Deno.test("the gallery's code is the code that drew its pictures", async () => {
  const bare = (code: string) => code.replace(/\s+|,(?=\s*[)}\]])|;|\/\/.*/g, "");
  const page = await Deno.readTextFile(new URL("../gallery.md", FOLDER));
  const drawn = bare(await Deno.readTextFile(new URL("gallery_charts.ts", import.meta.url)));
  const snippets = [...page.matchAll(/```ts ignore\n([^`]+)```/g)].map(([, code]) => bare(code!));
  assert.equal(snippets.length, charts.size);
  for (const snippet of snippets) assert.ok(drawn.includes(snippet), snippet);
});
