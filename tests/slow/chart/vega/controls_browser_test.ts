import assert from "node:assert/strict";
import type { Chart } from "../../../../lib/chart/chart.ts";
import { vegaComparison } from "../../../../lib/chart/comparison.ts";
import { vegaRetention } from "../../../../lib/chart/retention.ts";
import { vegaRetentionHeatmap } from "../../../../lib/chart/retention_heatmap.ts";
import { vegaTimeline } from "../../../../lib/chart/timeline.ts";
import { hasChromium, inBrowser } from "../browser.ts";
import { frames, longName } from "../../../chart/edge_frames.ts";
import {
  comparisonSample,
  curvesSample,
  forecastSample,
  pooledSample,
} from "../../../chart/sample_frames.ts";

const FIELDS = [
  "ecosystem_fees_30d_sum",
  "active_users_daily_latest",
  "ecosystem_tvl_30d_change",
];

/** The clickable elements, once each. */
const CLICKS = [".role-legend-symbol path", ".role-legend-label text"];

const CHARTS: readonly [name: string, draw: (width: number) => Chart][] = [
  ["vegaRetention", (width) => vegaRetention(pooledSample(), { width })],
  ["vegaRetention with a forecast", (width) => vegaRetention(forecastSample(), { width })],
  ["vegaRetention by cohort", (width) => vegaRetention(curvesSample(8), { width })],
  [
    "vegaTimeline",
    (width) => vegaTimeline(frames.timeline(5, (group, step) => 10 + group * step), { width }),
  ],
  ["vegaRetentionHeatmap", (width) => vegaRetentionHeatmap(curvesSample(), { width })],
  ["vegaComparison", (width) => vegaComparison(comparisonSample(), { field: FIELDS, width })],
  [
    "vegaComparison of long names",
    (width) =>
      vegaComparison(frames.comparison(9, (group, step) => 10 ** group - 5 * step, longName), {
        field: [FIELDS[0]!, FIELDS[2]!],
        width,
      }),
  ],
];

for (const width of [360, 800]) {
  Deno.test({
    name: `vega charts of ${width} pixels keep their texts apart through all their controls`,
    ignore: !hasChromium,
    async fn() {
      const findFaults = await Deno.readTextFile(new URL("../find_faults.js", import.meta.url));
      await inBrowser(async (page) => {
        const faults: string[] = [];
        let steps = 0;
        for (const [name, draw] of CHARTS) {
          const logged: string[] = [];
          page.removeAllListeners("pageerror");
          page.on("pageerror", (error) => logged.push(String(error)));
          await page.setViewportSize({ width: width + 40, height: 900 });
          await page.setContent(await draw(width).html());
          await page.waitForSelector("#chart svg text");
          const look = async (step: string) => {
            steps++;
            await page.evaluate(() =>
              new Promise((done) =>
                (globalThis as unknown as { requestAnimationFrame(call: () => void): void })
                  .requestAnimationFrame(() => done(null))
              )
            );
            const found = await page.evaluate<{ faults: string[] }>(findFaults);
            faults.push(...found.faults.map((fault) => `${name}, ${step}: ${fault}`));
            faults.push(...logged.splice(0).map((error) => `${name}, ${step}: ${error}`));
          };
          await look("as it opens");
          const list = page.locator("#controls select");
          const options = await list.locator("option").allTextContents();
          const measures = name === "vegaComparison" ? 3 : name.startsWith("vegaComp") ? 2 : 0;
          assert.equal(options.length, measures, name);
          const plot = page.locator(".role-frame.root path.background").first();
          for (const measure of options) {
            const box = (await list.boundingBox())!;
            const { y } = (await plot.boundingBox())!;
            assert.ok(box.y + box.height <= y, `${name}: the list stands above the plot`);
            assert.ok(box.x >= 0 && box.x + box.width <= width + 40, `${name}: and on the page`);
            await list.selectOption(measure);
            await look(`measure ${measure}`);
            const shown = (await page.locator(".role-title-text").allTextContents()).join("");
            assert.ok(shown.replaceAll(/\s/g, "").startsWith(measure.replaceAll(/\s/g, "")), name);
          }
          for (const selector of CLICKS) {
            const count = await page.locator(selector).count();
            for (let at = 0; at < count; at++) {
              await page.mouse.move(2, 2);
              await page.locator(selector).nth(at).dispatchEvent("mousedown");
              await page.locator(selector).nth(at).click({ force: true });
              await look(`${selector} ${at}`);
            }
          }
          const marks = page.locator(".role-mark path[aria-label]");
          if (await marks.count() > 0) {
            await marks.first().hover({ force: true });
            await look("hover");
            await page.keyboard.down("Control");
            await page.mouse.wheel(0, -200);
            await page.keyboard.up("Control");
            await look("wheel");
          }
        }
        assert.deepEqual(faults, []);
        assert.ok(steps > 40, `${steps} steps`);
      });
    },
  });
}
