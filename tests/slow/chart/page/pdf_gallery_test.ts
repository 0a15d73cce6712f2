import assert from "node:assert/strict";
import { drawPlot } from "../../../../lib/chart/own_spec.ts";
import type { PlotSpec } from "../../../../lib/chart/chart.ts";
import { galleryCharts, galleryFrames, paperPage } from "../../../chart/gallery_charts.ts";
import { pdfTexts } from "../../../chart/page/pdf_texts.ts";

const frames = await galleryFrames();
const charts = galleryCharts(frames);
charts.set("paper_page", paperPage(frames));

for (const [name, chart] of charts) {
  Deno.test(`a PDF of ${name} shows each text of its text layer, light and dark`, async () => {
    const spec = await chart.spec as PlotSpec;
    for (const theme of ["light", "dark"] as const) {
      const { all, unseen } = await pdfTexts(await drawPlot({ ...spec, theme }).pdf());
      assert.deepEqual(unseen, [], theme);
      assert.ok(all.length > 5);
    }
  });
}
