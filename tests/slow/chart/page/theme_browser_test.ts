import assert from "node:assert/strict";
import { plotRetention } from "../../../../lib/chart/retention.ts";
import { hasChromium, inBrowser } from "../browser.ts";
import { pooledSample } from "../../../chart/sample_frames.ts";

const LIGHT = "rgb(255, 255, 255)";
const DARK = "rgb(13, 17, 23)";

/** Returns the background color of a chart in a page. */
const PAPER = "getComputedStyle(document.querySelector('svg rect')).fill";

Deno.test({
  name: "a chart with theme auto follows its page, and as a file the system",
  ignore: !hasChromium,
  async fn() {
    const chart = plotRetention(pooledSample());
    const svg = await chart.svg();
    const page = (style: string) =>
      `<!doctype html><html style="${style}"><body>${svg}</body></html>`;
    const file = await Deno.makeTempFile({ suffix: ".svg" });
    try {
      await Deno.writeTextFile(file, svg);
      await inBrowser(async (browser) => {
        for (const system of ["light", "dark"] as const) {
          await browser.emulateMedia({ colorScheme: system });
          const paperOf = async (content: string) => {
            await browser.goto("about:blank");
            await browser.setContent(content);
            return await browser.evaluate(PAPER);
          };
          const own = system === "dark" ? DARK : LIGHT;
          assert.equal(await paperOf(page("")), LIGHT, `a page that says nothing, ${system}`);
          assert.equal(await paperOf(page("color-scheme:dark")), DARK, `a dark page, ${system}`);
          assert.equal(await paperOf(page("color-scheme:light dark")), own, `a page, ${system}`);
          assert.equal(await paperOf(await chart.html()), own, `our page, ${system}`);
          await browser.goto(`file://${file}`);
          assert.equal(await browser.evaluate(PAPER), own, `a file, ${system}`);
        }
      });
    } finally {
      await Deno.remove(file);
    }
  },
});

Deno.test({
  name: "a page shows the widest drawing that fits its window, with no text below 10 pixels",
  ignore: !hasChromium,
  async fn() {
    await inBrowser(async (browser) => {
      await browser.setContent(await plotRetention(pooledSample()).html());
      for (const [room, shown] of [[1000, 800], [832, 800], [831, 560], [560, 560], [559, 360]]) {
        await browser.setViewportSize({ width: room!, height: 700 });
        const widths = await browser.evaluate<number[]>(
          "[...document.querySelectorAll('svg')].map((svg) => svg.getBoundingClientRect().width)" +
            ".filter((width) => width > 0)",
        );
        assert.deepEqual(widths, [shown], `${room}`);
        const least = await browser.evaluate<number>(
          "Math.min(...[...document.querySelectorAll('svg text')]" +
            ".map((text) => parseFloat(getComputedStyle(text).fontSize)))",
        );
        assert.ok(least >= 10, `${least}`);
        // The table of rows for screen readers does not lengthen the page.
        const [height, drawn] = await browser.evaluate<[number, number]>(
          "[document.documentElement.scrollHeight, Math.max(...[...document.querySelectorAll('svg')]" +
            ".map((svg) => svg.getBoundingClientRect().bottom))]",
        );
        assert.ok(height <= Math.max(700, drawn + 40), `${height} ${drawn}`);
      }
    });
  },
});
