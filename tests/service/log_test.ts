import { deepStrictEqual as equal } from "node:assert/strict";
import { createLog } from "../../scripts/serving/log.ts";

/** A disk with limited space, which can be extended. */
function disk() {
  const decoder = new TextDecoder();
  return {
    text: "",
    room: Infinity,
    write(bytes: Uint8Array): number {
      const part = bytes.subarray(0, Math.min(this.room, bytes.length));
      if (part.length === 0) throw new Error("No space left on device (os error 28)");
      this.room -= part.length;
      this.text += decoder.decode(part);
      return part.length;
    },
  };
}

Deno.test("createLog drops and counts lines that cannot be written, and writes the count later", () => {
  const full = disk();
  const log = createLog((bytes) => full.write(bytes));
  log("one");
  full.room = 0;
  log("two");
  log("three");
  full.room = Infinity;
  log("four");
  log("five");
  equal(full.text, "one\nlog: 2 lines could not be written\nfour\nfive\n");
});

Deno.test("createLog starts a new line after one that was cut off", () => {
  const full = disk();
  const log = createLog((bytes) => full.write(bytes));
  full.room = 2;
  log("one");
  full.room = Infinity;
  log("two");
  equal(full.text, "on\nlog: 1 line could not be written\ntwo\n");
});
