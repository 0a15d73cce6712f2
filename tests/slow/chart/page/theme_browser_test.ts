import assert from "node:assert/strict";
import { plotRetention } from "../../../../lib/chart/retention.ts";
import { hasChromium, inBrowser } from "../browser.ts";
import { pooledSample } from "../../../chart/sample_frames.ts";

const LIGHT = "rgb(255, 255, 255)";
const DARK = "rgb(13, 17, 23)";

/** Of which colour the paper of a chart is, drawn by a page. */
const PAPER = "getComputedStyle(document.querySelector('svg rect')).fill";

Deno.test({
  name:
    "a chart of the theme auto is as dark as the page it stands on, and as a file as the system",
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
