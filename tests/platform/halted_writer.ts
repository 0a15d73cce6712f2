/** Writes a file as `writeWhole` does, and stands still where its second argument says, to be killed there. */
import { writeWhole } from "../../lib/platform/file.ts";

const [path, where] = Deno.args as [string, string];
const standStill = () => {
  Deno.stdout.writeSync(new TextEncoder().encode("standing still\n"));
  return new Promise<never>(() => setInterval(() => {}, 1_000));
};

if (where === "before the rename") Deno.rename = standStill;
else {
  const write = Deno.FsFile.prototype.write;
  Deno.FsFile.prototype.write = async function (bytes) {
    await write.call(this, bytes.subarray(0, bytes.length / 2));
    return standStill();
  };
}
await writeWhole(path, new Uint8Array(1_000_000), { force: true });
