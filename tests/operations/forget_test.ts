import assert from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { ask } from "../http/ask.ts";
import { connect } from "../../lib/http/connect.ts";
import { QUESTION } from "../http/question.ts";

Deno.test("a response with a wrong type is removed from the cache, except offline", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const bodies = [[{ chain_id: true }], [{ chain_id: "alder" }]];
    let sent = 0;
    const fetch = () => Promise.resolve(Response.json({ data: bodies[Math.min(sent++, 1)] }));
    const open = (mode: "use" | "offline") =>
      connect({
        baseUrl: "http://127.0.0.1:9",
        token: "t0ken-of-a-test",
        fetch,
        cache: { dir, mode },
      });
    await assert.rejects(blockchainComparison({}, open("use")), { name: "ResponseError" });
    await assert.rejects(blockchainComparison({}, open("offline")), { name: "CacheError" });
    for (let time = 0; time < 2; time++) {
      assert.equal((await blockchainComparison({}, open("use"))).height, 1);
    }
    assert.equal(sent, 2);

    // One that is malformed and committed stays: offline the folder is all there is.
    for (const { name } of [...Deno.readDirSync(dir)]) Deno.removeSync(`${dir}/${name}`);
    sent = 0;
    await ask(QUESTION, open("use"));
    for (let time = 0; time < 2; time++) {
      await assert.rejects(blockchainComparison({}, open("offline")), { name: "ResponseError" });
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
