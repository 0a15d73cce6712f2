import assert from "node:assert/strict";
import { foldEntities, readEntities } from "../../../lib/chart/ranking.ts";
import { fieldWords } from "../../../lib/chart/field_words.ts";
import { frameOf } from "../sample_frames.ts";

Deno.test("readEntities ranks by a field, nulls last, ties as they came", () => {
  const frame = frameOf({ id: ["a", "b", "c", "d"], x: [1, null, 3, 1], y: [9, 8, null, 7] });
  const ranked = (by: number) =>
    readEntities(frame, { names: ["id"], fields: ["x", "y"], by }).map(({ label }) => label);
  assert.deepEqual(ranked(0), ["c", "a", "d", "b"]);
  assert.deepEqual(ranked(1), ["a", "b", "d", "c"]);
});

Deno.test("readEntities keeps rows of one name apart", () => {
  const frame = frameOf({ id: ["a", "a", "b"], x: [3, 2, 1] });
  const entities = readEntities(frame, { names: ["id"], fields: ["x"], by: 0 });
  assert.deepEqual(entities.map(({ label }) => label), ["a", "a (2)", "b"]);
});

Deno.test("readEntities reads NaN and infinity as no value", () => {
  const frame = frameOf({ id: ["a", "b", "c"], x: [NaN, Infinity, 1] });
  const entities = readEntities(frame, { names: ["id"], fields: ["x"], by: 0 });
  assert.deepEqual(entities.map(({ values }) => values[0]), [1, null, null]);
});

Deno.test("foldEntities adds up what adds up, and nothing else, and skips nulls", () => {
  const words = ["fees", "fees_change"].map(fieldWords);
  const entity = (label: string, ...values: (number | null)[]) => ({
    id: label,
    label,
    values,
    folded: false,
  });
  const all = [entity("a", 9, 1), entity("b", 5, 0.5), entity("c", 2, 0.1), entity("d", 1, null)];
  const { entities, notes } = foldEntities(all, words, { most: 3, noun: "chain", by: 0 });
  assert.deepEqual(entities.map(({ label }) => label), ["a", "b", "other (2 chains)"]);
  const other = "other (2 chains)";
  assert.deepEqual(entities[2], { id: other, label: other, values: [3, null], folded: true });
  assert.match(
    notes[0]!,
    /4 chains: drawn are the 2 largest \(Fees\), and the sum of the rest as “other”, where/,
  );
  assert.deepEqual(foldEntities(all, words, { most: 4, noun: "chain", by: 0 }).notes, []);
});

Deno.test("foldEntities puts nothing together where the ranking field does not add up", () => {
  const users = fieldWords("active_users_daily_latest");
  const all = [5, 3, 2].map((value, row) => (
    { id: `c${row}`, label: `c${row}`, values: [value], folded: false }
  ));
  const { entities, notes } = foldEntities(all, [users], { most: 2, noun: "chain", by: 0 });
  assert.deepEqual(entities.map(({ label }) => label), ["c0", "c1"]);
  assert.match(notes[0]!, /the other 1 are not: their values do not add up/);
});
