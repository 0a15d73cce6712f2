import { deepEqual, equal, match, ok } from "node:assert/strict";
import * as fc from "fast-check";
import { plotTimeline } from "../../../lib/chart/timeline.ts";
import { plotContributions } from "../../../lib/chart/contributions.ts";
import { contributions } from "../../../lib/analysis/series/contributions.ts";
import type { PlotChart } from "../../../lib/chart/chart.ts";
import { SLATE } from "../../../lib/chart/colors.ts";
import { textWidth } from "../../../lib/chart/text/layout.ts";
import { theme } from "../../../lib/chart/theme.ts";
import { drawnSvg, marksOf, placeOf, type SvgElement, textsOf } from "../drawn_svg.ts";
import { ownFees, type Values } from "../own_months.ts";

const MONTHS = 12;
const steady = (level: number): Values => Array.from({ length: MONTHS }, () => level);

/** The boxes of the texts of a mark, in pixels of its panel. */
function boxesOf(svg: SvgElement, mark: string, bold: boolean) {
  return marksOf(svg, mark, "text").flatMap((text) => {
    const { x, y } = placeOf(text);
    const lines = [...text.querySelectorAll("tspan")].map(({ textContent }) => textContent);
    const shown = lines.length === 0 ? [text.textContent] : lines;
    const width = Math.max(...shown.map((line) => textWidth(line, { ...theme.label, bold })));
    const half = theme.label.size / 2 + (shown.length - 1) * theme.label.line / 2;
    return [{ text: text.textContent, left: x, right: x + width, top: y - half, bottom: y + half }];
  });
}

/** Asserts that no label covers another label, and that none is cut. */
async function assertReadable(chart: PlotChart, width: number) {
  const svg = await drawnSvg(chart);
  const names = boxesOf(svg, "line label", true);
  // A value is drawn to the right of its name.
  const boxes = [...names, ...boxesOf(svg, "end value", names.length === 0)];
  for (const [at, box] of boxes.entries()) {
    ok(box.left >= -0.5 && box.right <= width - 2 * theme.padding + 0.5, `${box.text} is cut`);
    for (const other of boxes.slice(at + 1)) {
      const apart = box.right <= other.left + 0.5 || other.right <= box.left + 0.5 ||
        box.bottom <= other.top + 0.5 || other.bottom <= box.top + 0.5;
      ok(apart, `${box.text} covers ${other.text} at ${width} px`);
    }
  }
}

Deno.test("names and values at the ends of lines neither overlap nor are cut, from 320 to 960 px", async () => {
  const name = fc.constantFrom(
    "Lido",
    "Friend.tech",
    "GMX",
    "Uniswap Labs v4",
    "Hop",
    "A long name of a protocol",
  );
  const line = fc.record({
    name,
    level: fc.double({ min: 1, max: 1e7, noNaN: true }),
    length: fc.integer({ min: 1, max: MONTHS }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 320, max: 960 }),
      async (lines, width) => {
        const all = Object.fromEntries(lines.map(({ name, level, length }, at) => [
          `${name} ${at}`,
          // At least one line goes on to the last month.
          steady(level).slice(0, at === 0 ? MONTHS : length),
        ]));
        await assertReadable(
          plotTimeline(ownFees(all), { width, highlight: Object.keys(all) }),
          width,
        );
      },
    ),
    { numRuns: 25, seed: 67 },
  );
});

Deno.test("a name is followed by its value, in the color of the line, 8 px after its last point", async () => {
  const svg = await drawnSvg(plotTimeline(ownFees({ Lido: steady(10.8e6), Aave: steady(7e6) })));
  deepEqual(textsOf(svg, "line label"), ["Lido", "Aave"]);
  deepEqual(textsOf(svg, "end value"), ["$10.8M", "$7.0M"]);
  const [name] = boxesOf(svg, "line label", true);
  const [value] = boxesOf(svg, "end value", false);
  const [end] = marksOf(svg, "value", "circle").slice(MONTHS - 1).map(placeOf);
  ok(Math.abs(name!.left - end!.x - 8) < 0.1, `${name!.left} ${end!.x}`);
  ok(Math.abs(value!.left - name!.right - 4) < 0.1);
  const bold = marksOf(svg, "line label", "text")[0] as SvgElement & { parentNode: SvgElement };
  equal(bold.parentNode.getAttribute("font-weight"), "bold");
});

Deno.test("a name that is moved by more than 8 px has a leader", async () => {
  const near = { a: steady(100), b: steady(101), c: steady(102), d: steady(10) };
  const chart = plotTimeline(ownFees(near), { highlight: Object.keys(near) });
  const svg = await drawnSvg(chart);
  equal(marksOf(svg, "leader", "path").length, 2);
});

Deno.test("values stand at all names of an edge, or at none", async () => {
  const long = { "A protocol of a very long name": steady(5e6), b: steady(1e6) };
  const wide = await drawnSvg(plotTimeline(ownFees(long), { width: 960 }));
  equal(textsOf(wide, "end value").length, 2);
  const narrow = await drawnSvg(plotTimeline(ownFees(long), { width: 360 }));
  deepEqual(textsOf(narrow, "end value"), []);
});

Deno.test("a line that ends before the others says when, then loses its value, then the word", async () => {
  const frame = ownFees({ Lido: steady(9e6), "Friend.tech": steady(3e5).slice(0, 9) });
  const shown = async (width: number, highlight = ["Lido", "Friend.tech"]) => {
    const svg = await drawnSvg(plotTimeline(frame, { width, highlight }));
    return textsOf(svg, "end value").at(-1);
  };
  equal(await shown(800), "ended Sep 2025, $300K");
  equal(await shown(520), "ended Sep 2025");
  equal(await shown(330), "$9.0M");
});

Deno.test("a level of the last day stays; sums of a month that is not over are left out", () => {
  const values = { a: [1e6, 2e6, 3e6], b: [2e6, 3e6, 4e6] };
  const titleOf = (adds: "both" | "groups") =>
    plotTimeline(ownFees(values, { adds, retrievedAt: "2025-03-20" })).title;
  match(titleOf("both"), /Jan 2025 to Feb 2025$/);
  match(titleOf("groups"), /Jan 2025 to Mar 2025$/);
});

Deno.test("the line of a level goes on to its last day, whose value is at the end", async () => {
  const svg = await drawnSvg(
    plotTimeline(ownFees({ a: [1e6, 2e6, 3e6] }, { adds: "groups", retrievedAt: "2025-03-20" })),
  );
  deepEqual(textsOf(svg, "end value"), ["$3.0M"]);
  equal(marksOf(svg, "value, not complete", "circle").length, 0);
});

Deno.test("periods without a bar are named in a stack, and totals that are missing in the caption", async () => {
  const frame = ownFees({
    a: [4e6, 5e6, 4e6, 4e6, 5e6, 6e6, 5e6, 4e6],
    b: [2e6, 3e6, 2e6, null, null, 3e6, 4e6, 5e6],
  });
  const chart = plotContributions(contributions(frame, { field: "fees_usd" }));
  deepEqual(textsOf(await drawnSvg(chart), "gap"), ["no total"]);
  match(
    (await chart.spec).caption.join(" "),
    /No total, because a value is missing: Apr 2025, May 2025, Jun 2025\./,
  );
});

Deno.test("no name of ranks is cut in a narrow chart", async () => {
  const names = ["A long name of a protocol", "Lido", "Uniswap Labs v4", "Friend.tech"];
  const frame = ownFees(Object.fromEntries(names.map((name, at) => [name, steady(1e6 + at)])));
  const svg = await drawnSvg(plotTimeline(frame, { as: "rank", width: 320 }));
  const shown = marksOf(svg, "line label", "text").map(({ textContent }) => textContent);
  deepEqual(
    shown.map((name) => name.replace(/\s/g, "")).toSorted(),
    names.map((name) => name.replace(/\s/g, "")).toSorted(),
  );
});

Deno.test("a month that is over and lacks days is hollow, and so is everything if nothing is over", async () => {
  const lacking = ownFees({ a: [1, 2, 3, 4], b: [2, 3, 4, 5] }, {
    retrievedAt: "2025-12-01",
    complete: (at) => at !== 3,
  });
  const chart = plotTimeline(lacking);
  match((await chart.spec).subtitle, /hollow: not all days/);
  equal(marksOf(await drawnSvg(chart), "value, not complete", "circle").length, 2);
  const none = ownFees({ a: [1, 2], b: [2, 3] }, {
    retrievedAt: "2025-01-10",
    complete: () => false,
  });
  match((await plotTimeline(none).spec).subtitle, /hollow: Jan 2025, Feb 2025 so far/);
});

Deno.test("an entity that begins in a month that is not over is named in the caption", async () => {
  const frame = ownFees({ old: [1e6, 2e6, 3e6], new: [undefined, undefined, 5e6] }, {
    retrievedAt: "2025-03-20",
  });
  const { caption } = await plotTimeline(frame).spec;
  match(caption.join(" "), /Not drawn: Mar 2025, which is not over\. Not drawn, no value: new\./);
});

Deno.test("parts of a stack have names and values at the last full bar, or all are in a legend", async () => {
  const parts = { a: [4e6, 5e6, 1e6], b: [2e6, 3e6, 1e6] };
  const svg = await drawnSvg(
    plotTimeline(ownFees(parts, { retrievedAt: "2025-03-20" }), { as: "stack" }),
  );
  deepEqual([textsOf(svg, "line label"), textsOf(svg, "end value")], [["b", "a"], [
    "$3.0M",
    "$5.0M",
  ]]);
  match(svg.textContent, /values: Feb 2025/);
  const thin = Object.fromEntries(
    "abcdef".split("").map((name, at) => [name, steady(at < 5 ? 1 : 1e4)]),
  );
  const { legend } = await plotTimeline(ownFees(thin), { as: "stack" }).spec;
  equal(legend.length, 6);
});

Deno.test("a stack has six parts and the others, and a part of more than 60% is slate", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 9 }, (_, at) => [`p${at}`, steady(at === 0 ? 900 : 10 + at)]),
  );
  const chart = plotTimeline(ownFees(many), { as: "stack" });
  const svg = await drawnSvg(chart);
  const colors = new Set(marksOf(svg, "part", "rect").map((part) => part.getAttribute("fill")));
  equal(colors.size, 7);
  ok(colors.has(SLATE));
  const chosen = plotTimeline(ownFees(many), { as: "stack", colors: { p0: "#123456" } });
  ok((await chosen.svg()).includes("#123456"));
});

Deno.test("contributions mark events, and a waterfall refuses them", async () => {
  const frame = ownFees({ a: [4, 5, 7, 8], b: [2, 3, 3, 4] });
  const parts = contributions(frame, { field: "fees_usd" });
  const events = [{ date: "2025-03-01", label: "fork" }];
  const svg = await drawnSvg(plotContributions(parts, { events }));
  deepEqual(textsOf(svg, "rule name"), ["fork"]);
  try {
    plotContributions(parts, { as: "waterfall", events });
    ok(false);
  } catch (error) {
    match(String(error), /plotContributions: events: must not be given with as: "waterfall"/);
  }
});
