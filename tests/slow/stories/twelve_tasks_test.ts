import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { createService } from "../../../lib/service/mod.ts";
import { serveLocally } from "../../service/serve_locally.ts";
import { JUPYTER } from "../notebooks/jupyter.ts";
import { installKernel } from "../notebooks/workspace.ts";
import { inResearchFolder, isPng } from "./research_folder.ts";

Deno.test("growth of 90 days, with a chart and an own title, as SVG and PNG", () =>
  inResearchFolder(async ({ path, run }) => {
    const printed = await run(`
import { blockchainComparison, plotComparison, rankBy, save } from "@chainframe/chainframe";

const chains = await blockchainComparison();
const field = "ecosystem_fees_90d_trend";
console.log(rankBy(chains, { field }).select("rank", "chain_name", field).head(3));
const chart = plotComparison(chains, { field, title: "Fees fell on most chains" });
await save(chart, "out/growth.svg");
await save(chart, "out/growth.png");
`);
    match(printed, /\n +1 +Yonder +40\.8%\n +2 +Umbral +26\.0%\n +3 +Quarry +8\.8%\n/);
    const svg = await Deno.readTextFile(`${path}/out/growth.svg`);
    match(svg, /<title>Fees fell on most chains<\/title>/);
    match(svg, /Yonder \+40\.8%/);
    ok(await isPng(`${path}/out/growth.png`));
  }));

Deno.test("retention in month 3 with a test, in a dark and a light chart", () =>
  inResearchFolder(async ({ path, run }) => {
    const printed = await run(`
import { cohortAnalysis, compareRetention, plotComparison, plotDifference, pooledRetention, retentionCurves, save, where } from "@chainframe/chainframe";

const curves = retentionCurves(await cohortAnalysis());
const by = "market_sector_id";
const third = where(pooledRetention(curves, { by }), { month: 3 });
const compared = compareRetention(curves, { by, groups: ["lending", "exchanges-dex"], month: 3 });
console.log(compared.select("retention_a", "retention_b", "difference", "lower", "upper", "p_value"));
for (const theme of ["light", "dark"]) {
  const chart = plotComparison(third, { field: "retention", lower: "lower", upper: "upper", theme });
  await save(chart, \`out/month_3_\${theme}.svg\`);
  await save(plotDifference(compared, { theme }), \`out/difference_\${theme}.svg\`);
}
`);
    match(printed, / 26\.4% +11\.9% +14\.5% +8\.9% +20\.4% +0\.00002/);
    for (const name of ["month_3", "difference"]) {
      const [light, dark] = await Promise.all(
        ["light", "dark"].map((theme) => Deno.readTextFile(`${path}/out/${name}_${theme}.svg`)),
      );
      match(light!, /<path fill="#ffffff" stroke="none" d="M 0 0 L 800 0/);
      match(dark!, /<path fill="#0d1117" stroke="none" d="M 0 0 L 800 0/);
    }
  }));

Deno.test("own cohorts with countries: curves, a test by funnels, a chart", () =>
  inResearchFolder(async ({ path, run }) => {
    const rows = ["DE", "FR"].flatMap((country, at) =>
      ["ads", "direct", "mail", "shop"].flatMap((funnel, place) =>
        ["2025-01", "2025-02", "2025-03"].flatMap((cohort) => [
          `${country},${funnel},${cohort},0,400,400`,
          `${country},${funnel},${cohort},1,400,${120 + 8 * place + 40 * at}`,
        ])
      )
    );
    const header = "country,funnel,cohort,month,size,retained";
    await Deno.writeTextFile(`${path}/cohorts.csv`, [header, ...rows].join("\n"));
    const printed = await run(`
import { compareRetention, pl, plotRetention, pooledRetention, retentionCurves, save, withSource } from "@chainframe/chainframe";

const cohorts = withSource(pl.readCSV("cohorts.csv"), { citation: "Own warehouse, June 2026" });
const curves = retentionCurves(cohorts);
const pooled = pooledRetention(curves, { by: "country" });
console.log(pooled.select("country", "month", "retention", "clusters"));
console.log(compareRetention(curves, { by: "country", month: 1 }).select("difference", "cluster_a", "test"));
const chart = plotRetention(pooled);
console.log(chart);
await save(chart, "out/countries.svg");
`);
    // The mean of the funnels: .30, .32, .34, .36 in DE, and 10 points more in FR.
    match(printed, /\nDE +1 +33\.0% +4\n/);
    match(printed, /\nFR +1 +43\.0% +4\n/);
    match(printed, /\n +-10\.0% +funnel +jackknife\n/);
    match(printed, /Source: Own warehouse, June 2026, as given\./);
  }));

Deno.test("own daily fees become months, with growth and contributions", () =>
  inResearchFolder(async ({ path, run }) => {
    const days = Array.from({ length: 69 }, (_, at) => new Date(Date.UTC(2026, 0, 1 + at)));
    const rows = days.flatMap((day) => {
      const date = day.toISOString().slice(0, 10);
      return [`${date},aave,100`, `${date},uniswap,${day.getUTCMonth() === 0 ? 100 : 150}`];
    });
    await Deno.writeTextFile(`${path}/fees.csv`, ["date,protocol,fees_usd", ...rows].join("\n"));
    const printed = await run(`
import { contributions, growthRates, pl, plotContributions, plotTimeline, resample, save, withSource } from "@chainframe/chainframe";

const fees = withSource(pl.readCSV("fees.csv", { tryParseDates: true }), {
  citation: "Own node, daily fees",
  retrievedAt: "2026-03-10",
  columns: { fees_usd: { unit: "usd", title: "Fees", adds: "both" } },
});
const months = resample(fees, { every: "month" });
console.log(growthRates(months, { field: "fees_usd" }).select("date", "complete", "protocol", "fees_usd", "fees_usd_growth"));
const parts = contributions(months, { field: "fees_usd" });
console.log(parts.select("date", "protocol", "contribution", "total"));
await save(plotTimeline(months), "out/months.svg", { text: "plain" });
await save(plotContributions(parts), "out/parts.svg");
`);
    // 28 days of February at 150 against 31 days of January at 100: growth per day is 50%.
    match(
      printed,
      /\n2026-02-01 +true +aave +2,800 +0\.0%\n2026-02-01 +true +uniswap +4,200 +50\.0%/,
    );
    match(printed, /\n2026-03-01 +false +aave +1,000 +null\n/);
    match(printed, /\n2026-02-01 +aave +0\.0% +25\.0%\n2026-02-01 +uniswap +25\.0% +25\.0%\n/);
    match(await Deno.readTextFile(`${path}/out/months.svg`), /Mar 2026, which is not over/);
  }));

Deno.test("a program on own data: the effect, its interval and a chart", () =>
  inResearchFolder(async ({ path, run }) => {
    const rows = Array.from({ length: 24 * 24 }, (_, at) => {
      const [shop, week] = [at % 24, Math.floor(at / 24)];
      const date = new Date(Date.UTC(2025, 0, 6 + 7 * week)).toISOString().slice(0, 10);
      const noise = (shop * 37 + week * 53 + shop * week * 11) % 17 - 8;
      const effect = shop < 8 && week >= 14 ? 60 : 0;
      return `shop ${shop},${date},${1000 + 20 * shop + 5 * week + noise + effect}`;
    });
    await Deno.writeTextFile(`${path}/sales.csv`, ["shop,date,sales", ...rows].join("\n"));
    const printed = await run(`
import { eventStudy, pl, plotEventStudy, save, where, withSource } from "@chainframe/chainframe";

const sales = withSource(pl.readCSV("sales.csv", { tryParseDates: true }), { citation: "Own shops" });
const starts = Object.fromEntries(
  [0, 1, 2, 3, 4, 5, 6, 7].map((shop) => [\`shop \${shop}\`, "2025-04-14"]),
);
const study = eventStudy(sales, { field: "sales", starts });
const overall = where(study, { row: "overall" });
console.log(overall.select("lower", "upper", "entities", "controls").writeCSV().toString());
await save(plotEventStudy(study), "out/program.svg");
`);
    const [lower, upper, entities, controls] = printed.trim().split("\n")[1]!.split(",").map(
      Number,
    );
    ok(lower! > 50 && lower! < 60 && upper! > 60 && upper! < 70, printed);
    deepStrictEqual([entities, controls], [8, 16]);
    match(await Deno.readTextFile(`${path}/out/program.svg`), /<title>Effect on sales/);
  }));

Deno.test("one event: the effect against what other chains predict", () =>
  inResearchFolder(async ({ path, run }) => {
    const printed = await run(`
import { counterfactual, plotCounterfactual, save, timeline } from "@chainframe/chainframe";

const deposits = await timeline({
  metric_ids: ["tvl"],
  group_by: "chains",
  every: "week",
  from: "2025-04-07",
  to: "2026-06-14",
});
const starts = { fjord: "2026-01-05" };
const chart = plotCounterfactual(counterfactual(deposits, { field: "tvl_avg", starts, scale: "log" }));
console.log(chart);
await save(chart, "out/event.svg");
`);
    const text = /ratios \+[\d.]+% \(95% interval \+([\d.]+)% to \+([\d.]+)%.*p 0\.042/;
    const [, lower, upper] = text.exec(printed)!;
    // docs/sample.md: the deposits are 40% higher from that day on.
    ok(Number(lower) < 40 && Number(upper) > 40, printed);
    match(await Deno.readTextFile(`${path}/out/event.svg`), /Sample data/);
  }));

Deno.test("JSON of a public shape at an address becomes a chart", () =>
  inResearchFolder(async ({ path, run }) => {
    const totalDataChart = [[1767225600, 500], [1767312000, 550], [1767398400, 605]];
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      ({ url }) =>
        Response.json({ chain: new URL(url).pathname.split("/").at(-1), totalDataChart }),
    );
    const printed = await run(`
import { growthRates, openFrame, plotTimeline, save } from "@chainframe/chainframe";

const fees = await openFrame("http://127.0.0.1:${server.addr.port}/overview/fees/Base", {
  rows: "totalDataChart",
  names: ["date", "fees_usd"],
  dates: { date: "seconds" },
  citation: "DefiLlama, fees of Base",
  columns: { fees_usd: { unit: "usd", title: "Fees", adds: "both" } },
});
console.log(growthRates(fees, { field: "fees_usd" }));
await save(plotTimeline(fees), "out/fees.svg");
`);
    match(printed, /\n2026-01-03 +605 +10\.0%\n3 rows .* DefiLlama, fees of Base · /);
    match(await Deno.readTextFile(`${path}/out/fees.svg`), /<title>Fees, 1 Jan 2026 to 3 Jan 2026/);
  }));

Deno.test({
  name: "the notebook of the folder becomes an HTML page with its table and chart",
  ignore: JUPYTER === null,
  fn: () =>
    inResearchFolder(async ({ path, command }) => {
      await installKernel(`${path}/jupyter`);
      const env = { JUPYTER_DATA_DIR: `${path}/jupyter`, JUPYTER_RUNTIME_DIR: `${path}/run` };
      const line = "jupyter nbconvert --execute --to html --output-dir out first.ipynb".split(" ");
      const { code, stderr } = await command(line, env);
      strictEqual(code, 0, stderr);
      const page = await Deno.readTextFile(`${path}/out/first.html`);
      match(page, /SAMPLE DATA/);
      match(page, /<img src="data:image\/svg\+xml;base64,\w/);
      match(page, /Exchanges \(DEX\)/);
    }),
});

Deno.test("a report keeps the origin of its numbers, a lock its responses, and verify finds a change", () =>
  inResearchFolder(async ({ path, run, task }) => {
    const paper = `
import { cell, cohortAnalysis, compareRetention, connect, md, report, retentionCurves, save } from "@chainframe/chainframe";

const connection = connect({ cache: { dir: "answers" }, allowSample: true });
const compared = compareRetention(retentionCurves(await cohortAnalysis({}, connection)), {
  by: "market_sector_id",
  groups: ["lending", "exchanges-dex"],
  month: 6,
});
const text = md\`After six months, \${cell(compared, "retention_a")} against \${cell(compared, "retention_b")}.\`;
await save(report({ title: "June", parts: [text] }), "out/june.html", { force: true });
`;
    await run(paper, { CHAINFRAME_LOCK: "data.lock" });
    const lock = await Deno.readTextFile(`${path}/data.lock`);
    strictEqual(JSON.parse(lock).entries.length, 1);
    await run(paper, { CHAINFRAME_LOCK: "data.lock" });
    strictEqual(await Deno.readTextFile(`${path}/data.lock`), lock);
    deepStrictEqual(await task("verify out/june.html --cache answers"), {
      code: 0,
      screen: "2 numbers agree with the table\n2 of 2 as computed again\n",
    });
    const page = await Deno.readTextFile(`${path}/out/june.html`);
    const changed = page.replace("After six months, ", "After six months, 1");
    notStrictEqual(changed, page);
    await Deno.writeTextFile(`${path}/out/june.html`, changed);
    strictEqual((await task("verify out/june.html --cache answers")).code, 1);
  }));

Deno.test("growth and retention in the terminal alone", () =>
  inResearchFolder(async ({ path, task }) => {
    const title = "--title 'Fees fell on most chains'";
    const growth = await task(
      `compare --field ecosystem_fees_90d_trend ${title} --out out/growth.svg --out out/growth.png`,
    );
    match(growth.screen, /\necosystem_fees_90d_trend +1 +Yonder +40\.8%\n/);
    const svg = await Deno.readTextFile(`${path}/out/growth.svg`);
    match(svg, /<title>Fees fell on most chains<\/title>/);
    ok(await isPng(`${path}/out/growth.png`));
    for (const theme of ["light", "dark"]) {
      const out = `--theme ${theme} --out out/${theme}.svg`;
      const month = await task(`retention --by market_sector_id --month 3 ${out}`);
      match(month.screen, /\n(?:lending +)?Lending +3 +26\.4% +20\.9% +32\.7% /);
      const drawn = await Deno.readTextFile(`${path}/out/${theme}.svg`);
      match(drawn, theme === "dark" ? /<path fill="#0d1117"/ : /<path fill="#ffffff"/);
    }
    const { screen } = await task("retention --compare lending,exchanges-dex --month 3");
    const names = "--by market_sector_name --compare 'Lending,Exchanges (DEX)'";
    match((await task(`retention ${names} --month 3`)).screen, / 3 +26\.4% +11\.9% +14\.5% /);
    match(
      screen,
      /\nLending +Exchanges \(DEX\) +3 +26\.4% +11\.9% +14\.5% +8\.9% +20\.4% +0\.00002/,
    );
  }));

Deno.test("a slow service: a limit that is too short, progress, and the kept responses without it", () =>
  inResearchFolder(async ({ path, run }) => {
    const service = await createService();
    const slow = await serveLocally({
      ...service,
      fetch: async (request) => {
        await delay(800);
        return await service.fetch(request);
      },
    });
    const code = (options: string) => `
import { connect, plotTimeline, save, timeline } from "@chainframe/chainframe";

let last = "";
const connection = connect({
  cache: { dir: "answers"${options.includes("offline") ? ', mode: "offline"' : ""} },
  allowSample: true,
  onProgress: ({ done, total }) => last = \`\${done} of \${total}\`,
  ${options.replace("offline", "")}
});
const query = { metric_ids: ["fees"], group_by: "chains", every: "month", from: "2026-03", to: "2026-05" };
try {
  const months = await timeline(query, connection);
  await save(plotTimeline(months, { field: "fees_sum" }), "out/fees.svg", { force: true });
  console.log(months.height, "rows,", last);
} catch (error) {
  console.log(error.name, error.message);
}
`;
    const env = { CHAINFRAME_BASE_URL: slow.url, CHAINFRAME_TOKEN: service.tokens[0]! };
    match(await run(code("timeout: 500, retries: 0"), env), /^NetworkError .*timeout/);
    const before = slow.requests();
    match(await run(code(""), env), /^72 rows, (\d) of \1$/m);
    strictEqual(slow.requests() - before, 3);
    await slow[Symbol.asyncDispose]();
    match(await run(code("offline"), env), /^72 rows, /m);
    match(await Deno.readTextFile(`${path}/out/fees.svg`), /<title>Fees per month/);
  }));
