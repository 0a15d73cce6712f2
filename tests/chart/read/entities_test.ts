import assert from "node:assert/strict";
import { foldEntities, readEntities } from "../../../lib/chart/read/ranking.ts";
import { fieldWords } from "../../../lib/chart/text/field_words.ts";
import { frameOf } from "../sample_frames.ts";

const asker = { name: "test", hint: "pass numbers" };

Deno.test("readEntities ranks by a field, nulls last, ties as they came", () => {
  const frame = frameOf({ id: ["a", "b", "c", "d"], x: [1, null, 3, 1], y: [9, 8, null, 7] });
  const ranked = (by: number) =>
    readEntities(frame, { names: ["id"], fields: ["x", "y"], by, asker }).map(({ label }) => label);
  assert.deepEqual(ranked(0), ["c", "a", "d", "b"]);
  assert.deepEqual(ranked(1), ["a", "b", "d", "c"]);
});

Deno.test("readEntities keeps rows of one name apart", () => {
  const frame = frameOf({ id: ["a", "a", "b"], x: [3, 2, 1] });
  const entities = readEntities(frame, { names: ["id"], fields: ["x"], by: 0, asker });
  assert.deepEqual(entities.map(({ label }) => label), ["a", "a (2)", "b"]);
});

Deno.test("readEntities reads NaN and infinity as no value", () => {
  const frame = frameOf({ id: ["a", "b", "c"], x: [NaN, Infinity, 1] });
  const entities = readEntities(frame, { names: ["id"], fields: ["x"], by: 0, asker });
  assert.deepEqual(entities.map(({ values }) => values[0]), [1, null, null]);
});

Deno.test("foldEntities adds up what adds up, takes the mean of the rest, and skips nulls", () => {
  const words = ["fees", "fees_change"].map(fieldWords);
  const entity = (label: string, ...values: (number | null)[]) => ({
    label,
    values,
    folded: false,
  });
  const all = [entity("a", 9, 1), entity("b", 5, 0.5), entity("c", 2, 0.1), entity("d", 1, null)];
  const { entities, notes } = foldEntities(all, words, { most: 3, noun: "chain", by: 0 });
  assert.deepEqual(entities.map(({ label }) => label), ["a", "b", "other (2 chains)"]);
  assert.deepEqual(entities[2], { label: "other (2 chains)", values: [3, 0.1], folded: true });
  assert.match(notes[0]!, /4 chains: drawn are the 2 largest \(Fees\), and the sum of the rest/);
  assert.deepEqual(foldEntities(all, words, { most: 4, noun: "chain", by: 0 }).notes, []);
});
