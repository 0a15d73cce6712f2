import { strictEqual } from "node:assert/strict";
import { fileSha256 } from "../../../lib/platform/machine.ts";

Deno.test("fileSha256 reads a file of more than 2 GiB in pieces", async () => {
  const path = await Deno.makeTempFile();
  try {
    // A sparse file, which takes no space. The digest is that of `sha256sum`.
    Deno.truncateSync(path, 2 ** 31 + 5);
    const before = Deno.memoryUsage().rss;
    strictEqual(
      fileSha256(path),
      "68bdfcb656af3067b8110b5cc839b4e12b180ef11e86011b8df4a709fe2c2f67",
    );
    strictEqual(Deno.memoryUsage().rss - before < 500 * 2 ** 20, true);
  } finally {
    await Deno.remove(path);
  }
});
