import assert from "node:assert/strict";
import type { Chart } from "../../../../lib/chart/chart.ts";
import { plotComparison } from "../../../../lib/chart/comparison.ts";
import { plotRetention } from "../../../../lib/chart/retention.ts";
import { plotRetentionHeatmap } from "../../../../lib/chart/retention_heatmap.ts";
import { plotTimeline } from "../../../../lib/chart/timeline.ts";
import { hasChromium, inBrowser } from "../browser.ts";
import { frames, longName } from "../../../chart/edge_frames.ts";
import { comparisonSample, curvesSample, frameOf } from "../../../chart/sample_frames.ts";

type Page = Parameters<Parameters<typeof inBrowser>[0]>[0];

const FIELDS = ["ecosystem_fees_30d_sum", "ecosystem_tvl_30d_change"];
const lines = () => frames.timeline(3, (group, step) => 10 * (group + 1) + step);

/** Four groups whose intervals cover each other: up to 0.9, their lines up to 0.4. */
const apart = () =>
  frameOf({
    project_id: ["a", "a", "b", "b", "c", "c", "d", "d"],
    project_name: ["Alder", "Alder", "Birch", "Birch", "Cedar", "Cedar", "Dogwood", "Dogwood"],
    month: [1, 2, 1, 2, 1, 2, 1, 2],
    size: [50, 50, 50, 50, 50, 50, 50, 50],
    retention: [0.4, 0.3, 0.35, 0.2, 0.2, 0.1, 0.1, 0.05],
    lower: [0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02],
    upper: [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9],
  });

/** Opens the page of a chart, and fails when it logs anything. */
function pageTest(name: string, draw: () => Chart, test: (page: Page) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !hasChromium,
    fn: () =>
      inBrowser(async (page) => {
        const logged: string[] = [];
        page.on("console", (message) => logged.push(message.text()));
        page.on("pageerror", (error) => logged.push(String(error)));
        await page.setContent(await draw().html());
        await page.waitForSelector("#chart svg text");
        await test(page);
        assert.deepEqual(logged, []);
      }),
  });
}

/** Returns the focused element as a screen reader announces it. */
async function focused(page: Page): Promise<string> {
  const element = page.locator(":focus");
  return await element.getAttribute("aria-label") ?? await element.innerHTML();
}

/** Presses keys, and gives what has the focus after each. */
async function press(page: Page, keys: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for (const key of keys) {
    await page.keyboard.press(key);
    said.push(await focused(page));
  }
  return said;
}

pageTest(
  "the page of lines fades the other lines if a name is selected by keyboard",
  () => plotTimeline(lines(), { highlight: ["Group 0", "Group 1", "Group 2"] }).interactive(),
  async (page) => {
    const names = page.locator('[role="button"]');
    assert.equal(await names.count(), 3);
    const faint = page.locator('.mark-line path[opacity="0.2"]');
    assert.equal(await faint.count(), 0);
    await names.first().focus();
    assert.match(await focused(page), /^show .* alone$/);
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      `document.querySelectorAll('.mark-line path[opacity="0.2"]').length === 2`,
    );
    await page.keyboard.press("Escape");
    await page.waitForFunction(`document.querySelectorAll('[opacity="0.2"]').length === 0`);
  },
);

/** The text of the tooltip. */
async function tooltip(page: Page): Promise<string> {
  await page.waitForSelector("#vg-tooltip-element.visible");
  return await page.locator("#vg-tooltip-element").innerText();
}

pageTest(
  "the page of interactive retention reaches its values by arrow keys, and shows their numbers",
  () => plotRetention(apart(), { bands: false }).interactive(),
  async (page) => {
    const [first] = await press(page, ["Tab"]);
    assert.match(first!, /^Alder, month 1: 40%/);
    assert.match(await tooltip(page), /^Alder\s[^]*month 1:?\s+40%/);
    const said = await press(page, ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]);
    assert.deepEqual(said.map((text) => text.split(":")[0]), [
      ...["Alder, month 2", "Birch, month 2", "Birch, month 1", "Alder, month 1"],
    ]);
    // There is nothing further up or left.
    assert.deepEqual(await press(page, ["ArrowUp", "ArrowLeft"]), [first, first]);
    await press(page, ["Tab"]);
    await page.waitForSelector("#vg-tooltip-element:not(.visible)", { state: "attached" });
  },
);

pageTest(
  "the page of interactive cells reaches its cells by arrow keys",
  () => plotRetentionHeatmap(curvesSample()).interactive(),
  async (page) => {
    const cell = page.locator('.role-mark path[tabindex="0"]');
    assert.equal(await cell.count(), 1);
    await cell.focus();
    const said = [await focused(page), ...await press(page, ["ArrowRight", "ArrowDown"])];
    assert.deepEqual(said.map((text) => text.split(":")[0]), [
      ...["All cohorts, month 0", "All cohorts, month 1", "Jan 2025, month 1"],
    ]);
    assert.match(await tooltip(page), /^Jan 2025/);
  },
);

pageTest(
  "the page of interactive bars reaches its bars by arrow keys, and shows their numbers",
  () => plotComparison(comparisonSample(), { field: FIELDS }).interactive(),
  async (page) => {
    const [first] = await press(page, ["Tab"]);
    assert.equal(first, "Alder: Ecosystem fees over 30 days $41.2M");
    assert.match(await tooltip(page), /^Alder\s[^]*Ecosystem fees over 30 days:?\s+\$41\.2M/);
    const said = await press(page, ["ArrowDown", "ArrowDown", "ArrowUp"]);
    assert.deepEqual(said.map((text) => text.replace("Ecosystem fees over 30 days ", "")), [
      ...["Basalt: $18.9M", "Cinder: $6.24M", "Basalt: $18.9M"],
    ]);
    assert.match(await tooltip(page), /^Basalt\s[^]*\$18\.9M/);
    // The row has a bar in each panel.
    const [right, left] = await press(page, ["ArrowRight", "ArrowLeft"]);
    assert.match(right!, /^Basalt: Ecosystem TVL, change over 30 days −11\.8%/);
    assert.equal(left, "Basalt: Ecosystem fees over 30 days $18.9M");
  },
);

pageTest(
  "the page of interactive lines with many points reaches them by arrow keys",
  () => {
    const rows = Array.from({ length: 600 }, (_, row) => ({ group: row % 6, step: row / 6 | 0 }));
    const frame = frameOf({
      chain_name: rows.map(({ group }) => `Chain ${group}`),
      step: rows.map(({ step }) => step),
      value: rows.map(({ group, step }) => group + step),
    });
    return plotTimeline(frame, { x: "step", field: "value", by: "chain_name" }).interactive();
  },
  async (page) => {
    const point = page.locator('.mark-symbol path[tabindex="0"]');
    assert.equal(await point.count(), 1);
    await point.focus();
    const before = await focused(page);
    const [after] = await press(page, ["ArrowRight"]);
    assert.notEqual(after, before);
    assert.equal(after!.split(",")[0], before.split(",")[0]);
    assert.match(await tooltip(page), /Step|step/);
  },
);

Deno.test({
  name: "a tap on the page of an interactive chart shows the numbers of the nearest value",
  ignore: !hasChromium,
  fn: () =>
    inBrowser(async (page) => {
      const charts: readonly [chart: Chart, mark: string, text: RegExp][] = [
        [plotRetention(apart()).interactive(), '[aria-label^="Birch, month 2"]', /^Birch\s[^]*20%/],
        [
          plotRetentionHeatmap(curvesSample()).interactive(),
          '[aria-label^="Jan 2025, month 1:"]',
          /^Jan 2025/,
        ],
        [
          plotComparison(comparisonSample(), { field: FIELDS }).interactive(),
          '[aria-label^="Alder"]',
          /^Alder/,
        ],
      ];
      for (const [chart, mark, text] of charts) {
        await page.setContent(await chart.html());
        const box = (await page.locator(`#chart ${mark}`).first().boundingBox())!;
        // The name of a line begins 8 pixels right of its end.
        await page.touchscreen.tap(box.x + box.width / 2 - 6, box.y + box.height / 2 + 3);
        assert.match(await tooltip(page), text);
      }
    }, { hasTouch: true }),
});

pageTest(
  "the tooltip of interactive lines is that of the nearest point, also between months",
  () => plotRetention(apart(), { bands: false }).interactive(),
  async (page) => {
    const boxOf = async (mark: string) =>
      (await page.locator(`#chart [aria-label^="${mark}"]`).first().boundingBox())!;
    const [one, two] = [await boxOf("Birch, month 1"), await boxOf("Birch, month 2")];
    const at = (part: number) => one.x + one.width / 2 + part * (two.x - one.x);
    for (const [part, month] of [[0.3, "month 1"], [0.7, "month 2"]] as const) {
      await page.mouse.move(at(part), one.y + 30 * (1 - part));
      await page.waitForFunction(
        `document.querySelector("#vg-tooltip-element.visible")?.innerText.includes("${month}")`,
      );
      assert.match(await tooltip(page), /^(?:Alder|Birch)/);
    }
  },
);

pageTest(
  "the page of interactive lines is drawn for its width, in the color scheme of the reader",
  () => plotTimeline(lines()).interactive(),
  async (page) => {
    const look = async () => {
      const svg = page.locator("#chart svg");
      const style = await svg.getAttribute("style");
      return [await svg.getAttribute("width"), /rgb\([^)]*\)/.exec(style!)![0]];
    };
    const [white, black] = ["rgb(255, 255, 255)", "rgb(13, 17, 23)"];
    assert.deepEqual(await look(), ["800", white]);
    await page.setViewportSize({ width: 360, height: 600 });
    await page.waitForSelector('#chart svg[width="360"]');
    assert.deepEqual(await look(), ["360", white]);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForSelector(`#chart svg[style*="${black}"]`);
    assert.deepEqual(await look(), ["360", black]);
    await page.setViewportSize({ width: 640, height: 600 });
    // Vega adds room for texts that it measures itself.
    await page.waitForFunction(
      `Math.abs(document.querySelector("#chart svg")?.getAttribute("width") - 600) <= 40`,
    );
  },
);

Deno.test({
  name: "tooltips stay inside a window of 360 pixels",
  ignore: !hasChromium,
  fn: () =>
    inBrowser(async (page) => {
      const charts = [
        plotRetention(apart()).interactive(),
        plotTimeline(frames.timeline(3, (group, step) => 10 * (group + 1) + step, longName))
          .interactive(),
        plotRetentionHeatmap(curvesSample()).interactive(),
        plotComparison(comparisonSample(), { field: FIELDS }).interactive(),
      ];
      await page.setViewportSize({ width: 360, height: 700 });
      for (const chart of charts) {
        await page.setContent(await chart.html());
        await page.waitForSelector("#chart svg text");
        const marks = page.locator("svg .role-mark path[aria-label]");
        const count = await marks.count();
        for (const at of [0, Math.floor(count / 2), count - 1]) {
          await marks.nth(at).focus();
          await tooltip(page);
          const box = (await page.locator("#vg-tooltip-element").boundingBox())!;
          assert.ok(box.x >= 0 && box.x + box.width <= 360, `${chart.title} ${at}: ${box.x}`);
          assert.ok(box.height <= 120, `${chart.title} ${at}: ${box.height} pixels`);
        }
      }
    }),
});

pageTest(
  "the picture of the page is as wide as its spec, also with long titles and many panels",
  () =>
    plotRetention(frames.pooled(10, (group, step) => 0.9 / (1 + step) + 0.01 * group, longName), {
      title:
        "Retention of ten projects whose names are long, and a title that fills the whole line",
    }).interactive(),
  async (page) => {
    const width = Number(await page.locator("#chart > svg").getAttribute("width"));
    // Marks at the edges take a few pixels of the padding.
    assert.ok(width >= 800 && width <= 804, String(width));
  },
);
