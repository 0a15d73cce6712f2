import { match, ok, rejects, throws } from "node:assert/strict";
import { existsSync } from "node:fs";
import * as cf from "../../mod.ts";
import { inFolder } from "../scripts/run_script.ts";

const fees = cf.withSource(
  cf.pl.DataFrame({
    dapp: ["a", "b", "a", "b"],
    day: ["2026-01-01", "2026-01-01", "2026-02-01", "2026-02-01"].map((day) => new Date(day)),
    paid: [1, 2, 3, 4],
  }),
  {
    citation: "Own node",
    entity: "dapp",
    date: "day",
    columns: { paid: { unit: "usd", adds: "both" } },
  },
);
const field = "paid";

/** Options that newcomers guessed, and the word that the message names. */
const GUESSES: readonly (readonly [call: () => unknown, meant: RegExp])[] = [
  [() => cf.topN(fees, { field, top: 1 } as never), /^topN: top: did you mean limit\?/],
  [
    () => cf.plotTimeline(fees, { as: "share" } as never),
    /as: must be one of .*\(nearest: stack\)/,
  ],
  [() => cf.plotTimeline(fees, { dark: true } as never), /dark: did you mean theme\?/],
  [() => cf.plotTimeline(fees, { lang: "de" } as never), /lang: did you mean locale\?/],
  [() => cf.plotTimeline(fees, { size: 360 } as never), /size: did you mean width\?/],
  [() => cf.plotTimeline(fees, { log: true } as never), /log: did you mean scale\?/],
  [() => cf.shares(fees, { field, group_by: "dapp" } as never), /group_by: did you mean entity\?/],
  [() => cf.resample(fees, { freq: "month" } as never), /freq: did you mean every\?/],
  [
    () => cf.plotGrowth(cf.growthRates(fees, { field }) as never),
    /^plotGrowth: .*plotTimeline draws the result of growthRates/,
  ],
];

Deno.test("the messages on options that newcomers guess name what works", () => {
  for (const [call, meant] of GUESSES) throws(call, { message: meant });
});

Deno.test("save writes one thing to several paths, and names the one that is wrong", () =>
  inFolder(async (folder) => {
    const chart = cf.plotTimeline(fees, { field });
    await cf.save(chart, [`${folder}/a.svg`, `${folder}/a.png`]);
    ok(existsSync(`${folder}/a.svg`) && existsSync(`${folder}/a.png`));
    await rejects(cf.save(chart, [`${folder}/a.doc`]), /save: path: must end in .*a\.doc/);
  }));

Deno.test("colors stand by id, or below the column of the ids", async () => {
  for (const colors of [{ a: "#0052ff" }, { dapp: { a: "#0052ff" } }]) {
    match(await cf.plotTimeline(fees, { field, colors }).svg(), /#0052ff/);
  }
  throws(
    () => cf.plotTimeline(fees, { field, colors: { dapp: { a: "blue" } } }),
    /colors: must be colors, each as "#rrggbb"/,
  );
});

Deno.test("a chart for a phone, in German and dark, with own colors", async () => {
  const chart = cf.plotComparison(cf.where(fees, { day: "2026-02-01" }), {
    field,
    width: 360,
    locale: "de",
    theme: "dark",
    colors: { dapp: { a: { light: "#0052ff", dark: "#66a3ff" } } },
  });
  const svg = await chart.svg();
  match(svg, /^<svg [^>]*width="360"/);
  match(svg, /#0d1117/);
  match(svg, /4\s\$/);
  match(String(chart), /360 px wide/);
});
