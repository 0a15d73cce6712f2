import assert from "node:assert/strict";
import { pngOf } from "../../../lib/chart/page/png.ts";

const open =
  `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="30" font-family="Inter, Arial">`;
const blank = `${open}</svg>`;
const text = `${open}<text y="20">text</text></svg>`;

/** Width and height as the PNG header has them. */
function sizeOf(png: Uint8Array): [number, number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return new Uint8Array(digest).toHex();
}

Deno.test("pngOf draws at twice the size, or at the given resolution", async () => {
  assert.deepEqual(sizeOf(await pngOf(blank)), [240, 60]);
  assert.deepEqual(sizeOf(await pngOf(blank, { dpi: 96 })), [120, 30]);
  assert.deepEqual(sizeOf(await pngOf(blank, { width: 300, dpi: 96 })), [300, 75]);
});

Deno.test("pngOf sets text in the bundled font", async () => {
  assert.notDeepEqual(await pngOf(text), await pngOf(blank));
});

Deno.test("pngOf refuses sizes that do not fit into memory", async () => {
  for (
    const options of [{ dpi: 0 }, { dpi: 1056 }, { dpi: NaN }, { width: 20_001 }, { width: -1 }]
  ) {
    await assert.rejects(pngOf(blank, options), RangeError);
  }
});

Deno.test({
  name: "pngOf gives the same bytes on every machine",
  // The bytes were taken on this kind of machine; another may round a pixel otherwise.
  ignore: Deno.build.target !== "x86_64-unknown-linux-gnu",
  async fn() {
    const png = await pngOf(text, { dpi: 96 });
    assert.equal(
      await sha256(png),
      "235e2a27d6e9696bd2d9e5672d33f64d8cde31eb71864adcb998c7266e489781",
    );
  },
});
