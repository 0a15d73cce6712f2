import fc from "fast-check";
import assert from "node:assert/strict";
import { beginningOf, newReading, readBody } from "../../lib/http/read_body.ts";

/** A response in pieces of these sizes, the bytes of which count up, and how much of it was taken. */
function inPieces(sizes: readonly number[], headers: Record<string, string> = {}) {
  const taken = { pieces: 0, cancelled: false };
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const size = sizes[taken.pieces++];
      if (size === undefined) return controller.close();
      controller.enqueue(Uint8Array.from({ length: size }, () => next++ % 251));
    },
    cancel: () => void (taken.cancelled = true),
  }, { highWaterMark: 0 });
  return { taken, response: new Response(body, { headers }) };
}

Deno.test("readBody returns every byte for any chunks and any declared length", async () => {
  const cases = fc.record({
    sizes: fc.array(fc.integer({ min: 1, max: 200_000 }), { maxLength: 6 }),
    declared: fc.option(fc.integer({ min: 0, max: 300_000 })),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ sizes, declared }) => {
      const headers = declared === null ? {} : { "content-length": `${declared}` };
      const { response } = inPieces(sizes, headers as Record<string, string>);
      const bytes = await readBody(response, 10_000_000, newReading());
      const length = sizes.reduce((sum, size) => sum + size, 0);
      assert.equal(bytes?.length, length);
      assert.equal(bytes?.buffer.byteLength, length);
      assert.ok(bytes?.every((byte, index) => byte === index % 251));
    }),
    { seed: 4, numRuns: 40 },
  );
});

Deno.test("readBody does not copy a body of one chunk, nor detach its buffer", async () => {
  const piece = Uint8Array.from([1, 2, 3]);
  const pieces = (...each: Uint8Array[]) =>
    new Response(ReadableStream.from(each), { headers: { "content-length": "3" } });
  const whole = await readBody(pieces(piece), 1_000, newReading());
  assert.equal(whole?.buffer, piece.buffer);
  // More than was declared.
  const more = await readBody(pieces(piece, piece), 1_000, newReading());
  assert.deepEqual(more, Uint8Array.from([1, 2, 3, 1, 2, 3]));
  assert.deepEqual(piece, Uint8Array.from([1, 2, 3]));
  // Part of a larger buffer, which would be held as long as the part.
  const part = new Uint8Array(100).subarray(10, 13);
  const copied = await readBody(pieces(part), 1_000, newReading());
  assert.equal(copied?.buffer.byteLength, 3);
  assert.equal(await readBody(pieces(piece), 2, newReading()), null);
});

Deno.test("readBody accepts a body of exactly the limit, and stops reading a longer one", async () => {
  const just = inPieces([600, 400]);
  assert.equal((await readBody(just.response, 1_000, newReading()))?.length, 1_000);

  const more = inPieces([600, 401, 5, 5, 5]);
  const reading = newReading();
  assert.equal(await readBody(more.response, 1_000, reading), null);
  assert.deepEqual(more.taken, { pieces: 2, cancelled: true });
  assert.ok(reading.chunks.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) <= 4_096);
});

Deno.test("readBody keeps the bytes before an error, for a message", async () => {
  const body = new ReadableStream({
    pull: (controller) => {
      if (reading.length > 0) return controller.error(new Error("cut"));
      controller.enqueue(new TextEncoder().encode('{"data":['));
    },
  }, { highWaterMark: 0 });
  const reading = newReading();
  await assert.rejects(readBody(new Response(body), 1_000, reading), { message: "cut" });
  assert.equal(beginningOf(reading), '{"data":[');
});

Deno.test("readBody keeps a whole body that ends in an error, for a message", async () => {
  let pulled = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      if (pulled++ > 0) return controller.error(new Error("cut"));
      controller.enqueue(new TextEncoder().encode("{}"));
    },
  }, { highWaterMark: 0 });
  const reading = newReading();
  const response = new Response(body, { headers: { "content-length": "2" } });
  await assert.rejects(readBody(response, 1_000, reading), { message: "cut" });
  assert.deepEqual([beginningOf(reading), reading.length], ["{}", 2]);
});

Deno.test("readBody of a response without a body is empty", async () => {
  assert.equal((await readBody(new Response(null), 10, newReading()))?.length, 0);
});
