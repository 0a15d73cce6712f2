import assert from "node:assert/strict";
import { hasChromium, inBrowser } from "./browser.ts";
import { edgeCharts } from "./edge_charts.ts";

interface Layout {
  readonly texts: number;
  readonly faults: readonly string[];
}

Deno.test({
  name: "charts keep their texts apart and on the page over every edge frame",
  ignore: !hasChromium,
  async fn() {
    const findFaults = await Deno.readTextFile(new URL("find_faults.js", import.meta.url));
    await inBrowser(async (page) => {
      const faults: string[] = [];
      for (const { name, edge, draw } of edgeCharts) {
        await page.setContent(await draw().html());
        await page.waitForSelector("svg text");
        const layout = await page.evaluate<Layout>(findFaults);
        assert.ok(layout.texts > 0);
        faults.push(...layout.faults.map((fault) => `${name}, ${edge}: ${fault}`));
      }
      assert.deepEqual(faults, []);
    });
  },
});
