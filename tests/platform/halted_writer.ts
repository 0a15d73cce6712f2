/** Writes a file as `writeWhole` does, and pauses at the step of its second argument, to be killed there. */
import { open } from "node:fs/promises";
import { writeWhole } from "../../lib/platform/file.ts";

const [path, where] = Deno.args as [string, string];
const standStill = () => {
  Deno.stdout.writeSync(new TextEncoder().encode("standing still\n"));
  return new Promise<never>(() => setInterval(() => {}, 1_000));
};

await using file = await open(path);
const handle = Object.getPrototypeOf(file);
const { writeFile, close } = handle;
if (where === "before the rename") {
  handle.close = async function () {
    await close.call(this);
    return standStill();
  };
} else {
  handle.writeFile = async function (bytes: Uint8Array) {
    await writeFile.call(this, bytes.subarray(0, bytes.length / 2));
    return standStill();
  };
}
await writeWhole(path, new Uint8Array(1_000_000), { force: true });
