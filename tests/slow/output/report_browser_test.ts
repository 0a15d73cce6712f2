// deno-lint-ignore-file no-import-prefix -- only these tests drive a browser
import { deepStrictEqual, ok } from "node:assert/strict";
import axe from "npm:axe-core@4.14.1";
import {
  blockchainComparison,
  cohortAnalysis,
  md,
  pl,
  plotComparison,
  plotRetention,
  plotRetentionHeatmap,
  pooledRetention,
  report,
  retentionCurves,
} from "../../../mod.ts";
import { hasChromium, inBrowser } from "../chart/browser.ts";

const chains = await blockchainComparison();
const curves = retentionCurves(await cohortAnalysis());
const tidewater = curves.filter(pl.col("project_id").eq(pl.lit("tidewater")));
const halfYear = tidewater.filter(
  pl.col("cohort").gtEq(pl.lit("2025-07")).and(pl.col("cohort").ltEq(pl.lit("2025-12"))),
);
const sectors = pooledRetention(curves, { by: "market_sector_id" });
const fields = ["ecosystem_fees_30d_sum", "ecosystem_tvl_latest", "market_cap_fd_latest"] as const;

Deno.test({
  name:
    "a report of ten charts opens offline, prints, has no violation of axe-core, and at most 5 MB",
  ignore: !hasChromium,
  async fn() {
    const page = await report({
      title: "Chains & <cohorts>",
      parts: [
        md`Fees **fell** of ${"<script>alert(1)</script>"}.`,
        chains,
        ...fields.map((field) => plotComparison(chains, { field: [field] })),
        ...fields.map((field) => plotComparison(chains, { field: [field], theme: "light" })),
        plotRetention(sectors),
        plotRetention(halfYear),
        plotRetentionHeatmap(tidewater),
        plotRetention(halfYear).interactive(),
        sectors,
      ],
    }).html();
    ok(page.length < 5_000_000, `${page.length} bytes`);
    await inBrowser(async (tab) => {
      const requests: string[] = [];
      const errors: string[] = [];
      tab.on("request", ({ url }) => requests.push(url()));
      tab.on("pageerror", (error) => errors.push(error.message));
      tab.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      for (const colorScheme of ["light", "dark"] as const) {
        await tab.emulateMedia({ colorScheme });
        await tab.setContent(page);
        const pdf = await tab.pdf();
        ok(pdf.length > 10_000, `${pdf.length} bytes of PDF`);
        await tab.evaluate(axe.source);
        const violations = await tab.evaluate("axe.run().then(({ violations }) => violations)") as {
          id: string;
          nodes: { html: string }[];
        }[];
        deepStrictEqual(violations.map(({ id, nodes }) => [id, nodes[0]!.html.slice(0, 200)]), []);
      }
      deepStrictEqual(requests, []);
      deepStrictEqual(errors, []);
    });
  },
});
