// deno-lint-ignore-file no-import-prefix
import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { type Browser, chromium, type Page } from "npm:playwright-core@1.65.1";
import { createService } from "../../../lib/service/mod.ts";
import { TOKEN } from "../../service/call_service.ts";
import { serveLocally } from "../../service/serve_locally.ts";

const CHROMIUM = "/usr/bin/chromium";

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function withPage(use: (page: Page, url: string, asked: string[]) => Promise<void>) {
  await using local = await serveLocally(await createService({ tokens: [TOKEN] }));
  const browser: Browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox"],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1400 } });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${local.url}/reference`);
    await use(page, local.url, asked);
  } finally {
    await browser.close();
  }
}

Deno.test({
  name: "the reference page takes a token, runs an operation, shows rows, and holds limit to 50",
  ignore: !await isThere(CHROMIUM),
  // Playwright keeps timers of its own until the browser is gone.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withPage(async (page, url, asked) => {
      await page.click("button.authorize");
      await page.fill(".auth-container input", TOKEN);
      await page.click(".auth-btn-wrapper button.authorize");
      await page.click(".auth-btn-wrapper button.btn-done");

      const operation = page.locator("#operations-datasets-blockchainComparison");
      await operation.locator(".opblock-summary-control").click();
      const limit = operation.locator('tr[data-param-name="limit"] input');
      const execute = operation.locator("button.execute");

      await limit.fill("51");
      const before = asked.length;
      await execute.click();
      await operation.locator('tr[data-param-name="limit"] input.invalid').waitFor();
      equal(asked.length, before);

      await limit.fill("3");
      await operation.locator('tr[data-param-name="chain_ids"] button').click();
      await operation.locator('tr[data-param-name="chain_ids"] input').fill("alder");
      const answer = page.waitForResponse((response) => response.url().includes("/v2/datasets/"));
      await execute.click();
      equal((await answer).status(), 200);
      equal(
        (await answer).url(),
        `${url}/v2/datasets/blockchain_comparison?chain_ids=alder&limit=3`,
      );
      const shown = operation.locator(".live-responses-table .response-col_description pre")
        .first();
      await shown.waitFor();
      const text = await shown.innerText();
      ok(text.includes('"chain_name": "Alder"'), text.slice(0, 300));
      ok(text.includes("market_cap_fd_latest"));

      // Works without a network: nothing is loaded from another origin.
      equal(
        asked.filter((address) => !address.startsWith(url) && !address.startsWith("data:")),
        [],
      );
      const picture = Deno.env.get("REFERENCE_SCREENSHOT");
      if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
    }),
});
