import assert from "node:assert/strict";
import type { Chart } from "../../../../lib/chart/chart.ts";
import { vegaComparison } from "../../../../lib/chart/comparison.ts";
import { vegaRetention } from "../../../../lib/chart/retention.ts";
import { vegaRetentionHeatmap } from "../../../../lib/chart/retention_heatmap.ts";
import { vegaTimeline } from "../../../../lib/chart/timeline.ts";
import { timelineFrame, type TimelineRow } from "../../../analysis/timeline_frame.ts";
import { hasChromium, inBrowser } from "../browser.ts";
import {
  asSample,
  comparisonSample,
  curvesSample,
  pooledSample,
} from "../../../chart/sample_frames.ts";

/** The methods of a page with a chart. */
interface Shown {
  /** Number of matching elements. */
  count(selector: string): Promise<number>;
  /** The text of the tooltip after the mouse moved onto an element, or so many pixels left of its middle. */
  tooltipOf(selector: string, left?: number): Promise<string>;
  click(selector: string): Promise<void>;
  /** Chooses a measure in the list. */
  select(measure: string): Promise<void>;
  /** The texts of the elements that match. */
  texts(selector: string): Promise<string[]>;
  /** An attribute of the elements that match. */
  attributes(selector: string, name: string): Promise<(string | null)[]>;
  wheel(selector: string, key?: string): Promise<void>;
  /** Drags the mouse from an element by so many pixels to both sides. */
  drag(selector: string, by: { readonly right: number; readonly down: number }): Promise<void>;
}

/** Opens a chart's HTML from a file, without a network, and fails when the page logs anything. */
async function show(chart: Chart, test: (shown: Shown) => Promise<void>): Promise<void> {
  const file = await Deno.makeTempFile({ suffix: ".html" });
  try {
    await Deno.writeTextFile(file, await chart.html());
    await inBrowser(async (page) => {
      const logged: string[] = [];
      page.on("console", (message) => logged.push(message.text()));
      page.on("pageerror", (error) => logged.push(String(error)));
      page.on("request", (request) => {
        if (!request.url().startsWith("file:")) logged.push(`request: ${request.url()}`);
      });
      await page.goto(`file://${file}`);
      await page.waitForSelector("#chart svg");
      await test({
        count: (selector) => page.locator(selector).count(),
        texts: (selector) => page.locator(selector).allTextContents(),
        tooltipOf: async (selector, left) => {
          const element = page.locator(selector).first();
          if (left === undefined) {
            await element.hover();
          } else {
            const { x, y, width, height } = (await element.boundingBox())!;
            await page.mouse.move(x + width / 2 - left, y + height / 2);
          }
          await page.waitForSelector("#vg-tooltip-element.visible");
          return await page.locator("#vg-tooltip-element").innerText();
        },
        click: async (selector) => {
          // A tooltip would be in the way.
          await page.mouse.move(2, 2);
          await page.locator(selector).first().click();
        },
        select: async (measure) => {
          await page.locator("#controls select").selectOption(measure);
        },
        attributes: async (selector, name) => {
          const all = await page.locator(selector).all();
          return await Promise.all(all.map((element) => element.getAttribute(name)));
        },
        wheel: async (selector, key) => {
          await page.locator(selector).first().hover();
          if (key !== undefined) await page.keyboard.down(key);
          await page.mouse.wheel(0, -400);
          if (key !== undefined) await page.keyboard.up(key);
        },
        drag: async (selector, { right, down }) => {
          const box = (await page.locator(selector).first().boundingBox())!;
          await page.mouse.move(box.x + right, box.y + down);
          await page.mouse.down();
          await page.mouse.move(Math.max(0, box.x - right), box.y + 2 * down, { steps: 4 });
          await page.mouse.up();
        },
      });
      assert.deepEqual(logged, []);
    });
  } finally {
    await Deno.remove(file);
  }
}

const browserTest = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, ignore: !hasChromium, fn });

browserTest("vegaRetention shows a tooltip, fades lines by name and zooms, offline", async () => {
  await show(plotRetention(pooledSample()).interactive(), async (shown) => {
    const points = ".mark-symbol.role-mark path";
    assert.equal(await shown.count(points), 33);
    const tooltip = await shown.tooltipOf(`${points}[aria-label*="month 11"]`);
    assert.match(tooltip, /^Copperleaf Swap\s/);
    assert.match(tooltip, /month\s+11/);
    assert.match(tooltip, /still active\s+28\.6%/);
    assert.match(tooltip, /users observed\s+683/);
    await shown.click(`.role-legend-label text:text-is("Harbor Lend")`);
    assert.equal(await shown.count(`${points}[opacity="0.2"]`), 22);
    const before = await shown.texts(".role-axis-label text");
    await shown.wheel(`${points}[aria-label*="month 5"]`);
    assert.deepEqual(await shown.texts(".role-axis-label text"), before);
    await shown.wheel(`${points}[aria-label*="month 5"]`, "Control");
    assert.notDeepEqual(await shown.texts(".role-axis-label text"), before);
  });
});

browserTest(
  "vegaRetentionHeatmap shows a tooltip and fades by its legend, offline",
  async () => {
    await show(plotRetentionHeatmap(curvesSample()).interactive(), async (shown) => {
      const cells = ".cells_marks path";
      // Twelve more for all cohorts together.
      assert.equal(await shown.count(cells), 78 + 12);
      const tooltip = await shown.tooltipOf(`${cells}[aria-label*="month 11"]`);
      assert.match(tooltip, /^All cohorts\s/);
      assert.match(tooltip, /still active\s+12\.4%/);
      const faint = `${cells}[opacity="0.2"]`;
      assert.equal(await shown.count(faint), 0);
      const step = '.role-legend-label text:text-is("10–15%")';
      await shown.click(step);
      assert.equal(await shown.count(faint), 78 + 12 - 9);
      await shown.click(step);
      assert.equal(await shown.count(faint), 0);
    });
  },
);

browserTest("vegaComparison shows a tooltip and changes its measure, offline", async () => {
  const fields = ["ecosystem_fees_30d_sum", "ecosystem_tvl_30d_change"];
  await show(plotComparison(comparisonSample(), { field: fields }).interactive(), async (shown) => {
    const bars = ".bars_marks path";
    assert.match(await shown.tooltipOf(bars), /value\s+\$41\.2M/);
    const measures = ["Ecosystem fees over 30 days", "Ecosystem TVL, change over 30 days"];
    const texts = async () => (await shown.texts(".mark-text.role-mark text")).slice(0, -1);
    assert.deepEqual(await shown.texts("#controls option"), measures);
    assert.deepEqual(await texts(), [
      ...["$41.2M", "$18.9M", "$6.2M", "$2.3M", "$820K", "no value"],
    ]);
    assert.deepEqual(await shown.texts(".role-axis-label text"), [
      ...["$0", "$10M", "$20M", "$30M", "$40M"],
      ...["Alder", "Basalt", "Cinder", "Dune", "Ember Rollup", "Fathom"],
    ]);
    await shown.select(measures[1]!);
    assert.deepEqual(await texts(), [
      ...["+39.1%", "+21.2%", "+4.3%", "−0.7%", "−11.8%", "no value"],
    ]);
    const ticks = ["−10%", "0%", "+10%", "+20%", "+30%", "+40%"];
    const labels = await shown.texts(".role-axis-label text");
    assert.deepEqual(labels.filter((label) => label.endsWith("%")).toSorted(), ticks.toSorted());
    const places = await shown.attributes(".role-axis-label text", "transform");
    const down = places.map((place) => Number(/,([-\d.]+)/.exec(place!)![1]));
    const names = labels.map((name, at) => ({ name, y: down[at]! }))
      .filter(({ name }) => !name.endsWith("%"));
    assert.deepEqual(names.toSorted((a, b) => a.y - b.y).map(({ name }) => name), [
      ...["Ember Rollup", "Cinder", "Alder", "Dune", "Basalt", "Fathom"],
    ]);
    assert.match(
      (await shown.texts(".role-title text")).join(" "),
      /Ecosystem TVL, change over 30 days: 5 chains Largest first/,
    );
    // A click on a bar changes nothing.
    await shown.click(bars);
    assert.equal((await texts())[0], "+39.1%");
    await shown.select(measures[0]!);
    assert.equal((await texts())[0], "$41.2M");
  });
});

browserTest(
  "vegaTimeline shows a tooltip and fades lines by name, offline",
  async () => {
    const days = ["2025-01-01", "2025-02-01", "2025-03-01", "2025-04-01"];
    const rows = days.flatMap((day, index): TimelineRow[] => [
      [day, "alder", 10 + index],
      [day, "birch", 20 - index],
    ]);
    const frame = asSample(timelineFrame("month", rows, ["2025-04-01"]), "metric_breakdown");
    await show(plotTimeline(frame).interactive(), async (shown) => {
      const points = ".mark-symbol.role-mark path";
      assert.equal(await shown.count(points), 8);
      const tooltip = await shown.tooltipOf(`${points}[aria-label*="birch"]`);
      assert.match(tooltip, /^birch\s/);
      assert.match(tooltip, /month\s+Jan 2025/);
      assert.match(tooltip, /value\s+\$20/);
      assert.doesNotMatch(tooltip, /complete/);
      const open = await shown.tooltipOf(`${points}[aria-label*="not complete"]`);
      assert.match(open, /value\s+\$\d+ \(period not complete\)/);
      const name = '.role-legend-label text:text-is("alder")';
      await shown.click(name);
      assert.equal(await shown.count(`${points}[opacity="0.2"]`), 4);
      await shown.click(name);
      assert.equal(await shown.count(`${points}[opacity="0.2"]`), 0);
    });
  },
);
