import assert from "node:assert/strict";
import { hasChromium, inBrowser } from "./browser.ts";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { edgeCharts } from "../../chart/edge_charts.ts";
import { galleryCharts, galleryFrames } from "../../chart/gallery_charts.ts";
import { comparisonSample } from "../../chart/sample_frames.ts";

const FIELDS = ["ecosystem_fees_30d_sum", "active_users_daily_latest", "ecosystem_tvl_30d_change"];
const WIDTHS = [320, 500, 1600];

interface Layout {
  readonly texts: number;
  readonly faults: readonly string[];
}

Deno.test({
  name: "texts of charts neither overlap nor leave the page, for every edge frame and the gallery",
  ignore: !hasChromium,
  async fn() {
    const findFaults = await Deno.readTextFile(new URL("find_faults.js", import.meta.url));
    await inBrowser(async (page) => {
      // As wide as the widest chart: a page shows the widest drawing that fits.
      await page.setViewportSize({ width: 1700, height: 900 });
      const faults: string[] = [];
      const gallery = [...galleryCharts(await galleryFrames())];
      const charts = [
        ...edgeCharts,
        ...gallery.map(([name, chart]) => ({ name, edge: "the gallery", draw: () => chart })),
        ...WIDTHS.map((width) => ({
          name: "plotComparison",
          edge: `${width} pixels`,
          draw: () => plotComparison(comparisonSample(), { field: FIELDS, width }),
        })),
      ];
      for (const { name, edge, draw } of charts) {
        const chart = draw();
        const pages = [await chart.html()];
        for (const content of pages) {
          await page.setContent(content);
          await page.waitForSelector("svg text");
          const layout = await page.evaluate<Layout>(findFaults);
          assert.ok(layout.texts > 0);
          faults.push(...layout.faults.map((fault) => `${name}, ${edge}: ${fault}`));
        }
      }
      assert.deepEqual(faults, []);
    });
  },
});
