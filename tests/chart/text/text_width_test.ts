import assert from "node:assert/strict";
import { textWidth } from "../../../lib/chart/text/layout.ts";

Deno.test("textWidth adds up the widths of Inter", () => {
  assert.equal(textWidth("", { size: 20 }), 0);
  assert.equal(textWidth("A", { size: 2048 }), 1413);
  assert.equal(textWidth("A ", { size: 2048 }), 1413 + 576);
  assert.ok(textWidth("A", { size: 20, bold: true }) > textWidth("A", { size: 20 }));
});

Deno.test("textWidth counts one em for a letter that is not in the table", () => {
  assert.equal(textWidth("海", { size: 12 }), 12);
  assert.equal(textWidth("😀", { size: 12 }), 12);
});
