import assert from "node:assert/strict";
import { plotComparison } from "../../../lib/chart/comparison.ts";
import { lastValue, series, sumOfLines } from "../../../lib/chart/read/lines.ts";
import { frameOf } from "../sample_frames.ts";

Deno.test("plotComparison keeps rows with the same name apart", async () => {
  const frame = frameOf({ data: ["a", "a", "b"], x: [3, 2, 1] });
  const { rows } = await plotComparison(frame, { field: "x", label: "data" }).spec;
  assert.deepEqual(rows.map((row) => Object.values(row)[0]), ["a", "a (2)", "b"]);
});

Deno.test("plotComparison reads NaN and infinity as null", async () => {
  const frame = frameOf({ data: ["a", "b", "c"], x: [NaN, Infinity, 1] });
  const { rows } = await plotComparison(frame, { field: "x", label: "data" }).spec;
  assert.deepEqual(rows.map((row) => Object.values(row)), [["c", 1], ["a", null], ["b", null]]);
});

Deno.test("plotComparison sums the rest for additive fields only, and skips nulls", async () => {
  const frame = frameOf({
    chain_id: ["a", "b", "c", "d"],
    fees: [9, 5, 2, 1],
    fees_change: [1, 0.5, 0.1, null],
  });
  const { rows, caption } = await plotComparison(frame, {
    field: ["fees", "fees_change"],
    limit: 2,
  }).spec;
  assert.deepEqual(rows.map(({ chain }) => chain), ["a", "b", "other (2 chains)"]);
  assert.deepEqual(Object.values(rows[2]!).slice(1), [3, null]);
  assert.match(caption[0]!, /^Drawn: the 2 largest chains of 4, and the sum of the others\./);
});

Deno.test("plotComparison does not sum the rest if the ranking field is not additive", async () => {
  const frame = frameOf({ chain_id: ["a", "b", "c"], active_users_daily_latest: [5, 3, 2] });
  const { rows, caption } = await plotComparison(frame, {
    field: "active_users_daily_latest",
    limit: 2,
  }).spec;
  assert.deepEqual(rows.map(({ chain }) => chain), ["a", "b"]);
  assert.match(caption[0]!, /^Drawn: the 2 largest chains of 3\./);
});

const days = ["2026-01-01", "2026-02-01", "2026-03-01"].map((day) => new Date(day));
const months = frameOf({
  date: [...days, ...days, ...days],
  chain_id: ["a", "a", "a", "b", "b", "b", "c", "c", "c"],
  fees: [1, 2, 90, 3, null, 1, 5, 6, 7],
  complete: ["true", "true", "false", "true", "true", "false", "true", "true", "false"],
});

Deno.test("series returns rows with color, id, label and complete", () => {
  const rows = series(frameOf({ month: [2, 1], retention: [0.4, null] }), {
    field: "retention",
    x: "month",
  });
  assert.deepEqual(rows.map(({ x, y, id, complete }) => ({ x, y, id, complete })), [
    { x: 1, y: null, id: "", complete: true },
    { x: 2, y: 0.4, id: "", complete: true },
  ]);
  const [row] = series(months, { field: "fees", x: "date", by: "chain_id" });
  assert.ok(row!.x instanceof Date && /^#[0-9a-f]{6}$/.test(row!.color));
  assert.throws(() => series(months, { field: "fees", x: "date", by: "complete" }), {
    message: /^series: by: each line must have one row for each date; got several of "true"/,
  });
});

Deno.test("lines are compared by their last complete period, and a sum of nulls is null", () => {
  const line = (y: number, complete: boolean) => ({ x: y, y, complete });
  const points = [line(1, true), line(2, true), line(90, false)];
  assert.equal(lastValue({ id: "a", label: "a", points }), 2);
  const none = { id: "n", label: "n", points: [{ x: 1, y: null, complete: true }] };
  assert.deepEqual(sumOfLines([none], "sum").points, [{ x: 1, y: null, complete: true }]);
});

Deno.test("charts draw the row of the others of topN last, and do not count it", async () => {
  const chains = frameOf({ chain_id: ["b", "(other)", "a"], fees: [1, 9, 5] });
  const { rows } = await plotComparison(chains, { field: "fees", limit: 2 }).spec;
  assert.deepEqual(rows.map(({ chain }) => chain), ["a", "b", "(other)"]);
});
