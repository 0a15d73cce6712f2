import assert from "node:assert/strict";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { described } from "../../table/described.ts";
import { drawnSvg, marksOf, textsOf } from "../drawn_svg.ts";
import { frameOf } from "../sample_frames.ts";

const groups = described(
  frameOf({
    sector: ["x", "y", "z"],
    share: [0.2, 0.5, null],
    low: [0.1, 0.4, null],
    high: [0.3, 0.7, null],
  }),
  ["fraction", "share", "low", "high"],
);

Deno.test("plotComparison with bounds draws the largest on top, with its interval, and reports missing values", async () => {
  const chart = plotComparison(groups, {
    field: "share",
    lower: "low",
    upper: "high",
    label: "sector",
  });
  const svg = await drawnSvg(chart);
  assert.deepEqual(textsOf(svg, "y-axis tick label"), ["y", "x", "z"]);
  assert.deepEqual(textsOf(svg, "value"), ["50%", "20%"]);
  assert.deepEqual(textsOf(svg, "missing"), ["no value"]);
  const dots = marksOf(svg, "value dot", "circle").map((dot) => Number(dot.getAttribute("cx")));
  const spans = marksOf(svg, "interval", "line").map((line) =>
    ["x1", "x2"].map((end) => Number(line.getAttribute(end)))
  );
  const pixel = (dots[0]! - dots[1]!) / 0.3;
  assert.deepEqual(
    spans.map((ends, row) => ends.map((end) => Math.round((end - dots[row]!) / pixel * 100))),
    [
      [-10, 20],
      [-10, 10],
    ],
  );
});

Deno.test("plotComparison with bounds states the confidence of the frame or the option", async () => {
  const bounds = { field: "share", lower: "low", upper: "high", label: "sector" };
  const noteOf = async (confidence: readonly number[] | null, options = {}) => {
    const frame = frameOf({
      ...{ sector: ["x", "y"], share: [0.2, 0.5], low: [0.1, 0.4], high: [0.3, 0.7] },
      ...confidence === null ? {} : { confidence },
    });
    return (await plotComparison(frame, { ...bounds, ...options }).spec).caption[0];
  };
  assert.equal(await noteOf([0.95, 0.95]), "Whiskers: 95% intervals.");
  assert.equal(await noteOf([0.95, 0.9]), "Whiskers: intervals.");
  assert.equal(await noteOf(null), "Whiskers: intervals.");
  assert.equal(await noteOf(null, { confidence: 0.8 }), "Whiskers: 80% intervals.");
  assert.equal(await noteOf([0.95, 0.95], { confidence: 0.995 }), "Whiskers: 99.5% intervals.");
  await assert.rejects(() => noteOf(null, { confidence: 95 }), /confidence: must be a number/);
});

Deno.test("plotComparison with bounds draws the reference at its value on the axis", async () => {
  const options = { field: "share", label: "sector", reference: 0.35 };
  const svg = await drawnSvg(plotComparison(groups, options));
  const dots = marksOf(svg, "value dot", "circle").map((dot) => Number(dot.getAttribute("cx")));
  const [line] = marksOf(svg, "reference", "line");
  // 0.35 lies in the middle of 0.5 and 0.2.
  assert.ok(Math.abs(Number(line!.getAttribute("x1")) - (dots[0]! + dots[1]!) / 2) < 0.6);
  assert.deepEqual(textsOf(svg, "reference value"), ["35%"]);
  const plain = await drawnSvg(plotComparison(groups, { field: "share", label: "sector" }));
  assert.equal(marksOf(plain, "reference", "line").length, 0);
  assert.throws(() => plotComparison(groups, { ...options, reference: NaN }), {
    message: "plotComparison: reference: must be a finite number; got NaN",
  });
});

Deno.test("plotComparison with bounds names the reference", async () => {
  const options = { field: "share", label: "sector" };
  const at = { value: 0.35, label: "all sectors" };
  const svg = await drawnSvg(plotComparison(groups, { ...options, reference: at }));
  assert.deepEqual(textsOf(svg, "reference value"), ["all sectors 35%"]);
  for (const wrong of [{ value: NaN, label: "x" }, { value: 1 }, { label: "x" }]) {
    assert.throws(
      () => plotComparison(groups, { ...options, reference: wrong as typeof at }),
      /plotComparison: reference: must be a finite number with its label: { value, label }/,
    );
  }
});

Deno.test("plotComparison with bounds draws a cap at each bound", async () => {
  const options = { field: "share", lower: "low", upper: "high", label: "sector" };
  const svg = await drawnSvg(plotComparison(groups, options));
  const intervals = marksOf(svg, "interval", "line");
  const [low, high] = ["lower bound", "upper bound"].map((bound) => marksOf(svg, bound, "line"));
  assert.ok(intervals.length > 1);
  assert.deepEqual(
    low!.map((cap) => cap.getAttribute("x1")),
    intervals.map((line) => line.getAttribute("x1")),
  );
  assert.deepEqual(
    high!.map((cap) => cap.getAttribute("x1")),
    intervals.map((line) => line.getAttribute("x2")),
  );
  // The line of a row is half a row below the top that its group is drawn from.
  const dots = marksOf(svg, "value dot", "circle").map((dot) => Number(dot.getAttribute("cy")));
  for (const [index, cap] of low!.entries()) {
    const [top, bottom] = ["y1", "y2"].map((end) => Number(cap.getAttribute(end)));
    assert.equal(bottom! - top!, 8);
    assert.ok(Math.abs((top! + bottom!) / 2 - 13 - dots[index]!) < 0.6);
  }
});

Deno.test("plotComparison with bounds spaces its rows to fill the height", async () => {
  const options = { field: "share", lower: "low", upper: "high", label: "sector" };
  const [own] = (await plotComparison(groups, options).spec).panels;
  const chart = plotComparison(groups, { ...options, height: 400 });
  assert.equal((await chart.spec).panels[0]!.height, 400);
  const rows = marksOf(await drawnSvg(chart), "value dot", "circle").map((dot) =>
    Number(dot.getAttribute("cy"))
  );
  assert.ok(rows[1]! - rows[0]! > 60);
  // Rows are never nearer than their names need.
  const low = (await plotComparison(groups, { ...options, height: 120 }).spec).panels[0]!;
  assert.equal(low.height, Math.max(120, own!.height!));
});

Deno.test("plotComparison with bounds requires both bounds or none", () => {
  assert.throws(() => plotComparison(groups, { field: "share", lower: "low" }), {
    name: "RangeError",
    message: "plotComparison: lower and upper: must be given together; got low alone",
  });
});

Deno.test("plotComparison with bounds has a linear axis for fractions and changes, however small", async () => {
  for (
    const [unit, type] of [["fraction", "linear"], ["change", "linear"], ["usd", "log"]] as const
  ) {
    const frame = frameOf({
      ...{ sector: ["x", "y", "z"], value: [0.5, 0.001, 0.0001] },
      ...{ low: [0.4, 0.0005, 0.00005], high: [0.6, 0.002, 0.0002] },
    });
    const options = { field: "value", lower: "low", upper: "high", label: "sector", unit } as const;
    const { panels } = await plotComparison(frame, options).spec;
    assert.equal((panels[0]!.x as { type: string }).type, type, unit);
  }
});
