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

/** What the test reads from a field of a form. The types of the DOM are not in the configuration. */
interface Input {
  readonly validity: { readonly rangeOverflow: boolean };
}

Deno.test({
  name: "the reference page takes a token, runs an operation, shows rows, and holds limit to 50",
  ignore: !await isThere(CHROMIUM),
  // Playwright keeps timers of its own until the browser is gone.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withPage(async (page, url, asked) => {
      await page.fill("#token", TOKEN);
      const operation = page.locator("#blockchainComparison");
      await operation.locator("summary").click();
      const limit = operation.locator('[name="limit"]');
      const send = operation.locator("button");

      await limit.fill("51");
      const before = asked.length;
      await send.click();
      equal(await limit.evaluate(({ validity }: Input) => validity.rangeOverflow), true);
      equal(asked.length, before);

      await limit.fill("3");
      await operation.locator('[name="chain_ids"]').fill("alder");
      const answer = page.waitForResponse((response) => response.url().includes("/v2/datasets/"));
      await send.click();
      equal((await answer).status(), 200);
      equal(
        (await answer).url(),
        `${url}/v2/datasets/blockchain_comparison?chain_ids=alder&limit=3`,
      );
      const shown = operation.locator("pre");
      await shown.waitFor();
      const text = await shown.innerText();
      ok(text.includes('"chain_name": "Alder"'), text.slice(0, 300));
      ok(text.includes("market_cap_fd_latest"));

      // A body and a path are filled from forms, too.
      const breakdown = page.locator("#metricBreakdown");
      await breakdown.locator("summary").click();
      await breakdown.locator('[name="metric_ids"]').fill("fees, tvl");
      await breakdown.locator('[name="interval"]').selectOption("30d");
      await breakdown.locator('[name="group_by"]').selectOption("chains");
      await breakdown.locator("button").click();
      await breakdown.locator("pre").waitFor();
      ok((await breakdown.locator("pre").innerText()).includes('"tvl"'));
      const project = page.locator("#project");
      await project.locator("summary").click();
      await project.locator('[name="project_id"]').fill("tide water");
      await project.locator("button").click();
      await project.locator("pre").waitFor();
      ok((await project.locator("output").innerText()).includes("404"));
      ok(asked.some((address) => address.endsWith("/v2/projects/tide%20water")));
      equal(await page.locator("details").count(), 6);
      equal(await page.locator('a[href="openapi.json"]').count(), 1);

      // Works without a network: nothing is loaded from another origin.
      equal(
        asked.filter((address) => !address.startsWith(url) && !address.startsWith("data:")),
        [],
      );
      const picture = Deno.env.get("REFERENCE_SCREENSHOT");
      if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
    }),
});
