import assert from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { ask } from "../http/ask.ts";
import { connect } from "../../lib/http/connect.ts";
import { QUESTION } from "../http/question.ts";
import { inFolder } from "../in_folder.ts";

Deno.test("a response with a wrong type is removed from the cache, except offline", () =>
  inFolder(async (dir) => {
    const bodies = [[{ chain_id: true }], [{ chain_id: "alder" }]];
    let sent = 0;
    const fetch = () => Promise.resolve(Response.json({ data: bodies[Math.min(sent++, 1)] }));
    const open = (mode: "use" | "offline", asOf?: string) =>
      connect({
        baseUrl: "http://127.0.0.1:9",
        token: "t0ken-of-a-test",
        fetch,
        cache: { dir, mode, ...asOf === undefined ? {} : { asOf } },
      });
    await assert.rejects(blockchainComparison({}, open("use")), { name: "ResponseError" });
    await assert.rejects(blockchainComparison({}, open("offline")), { name: "CacheError" });
    for (let time = 0; time < 2; time++) {
      assert.equal((await blockchainComparison({}, open("use"))).height, 1);
    }
    assert.equal(sent, 2);

    // One that is malformed and committed stays: offline the folder is all there is.
    Deno.removeSync(dir, { recursive: true });
    sent = 0;
    await ask(QUESTION, open("use"));
    for (let time = 0; time < 2; time++) {
      await assert.rejects(blockchainComparison({}, open("offline")), { name: "ResponseError" });
    }
    // Its version can still be read as of a moment.
    await assert.rejects(blockchainComparison({}, open("use")), { name: "ResponseError" });
    await assert.rejects(blockchainComparison({}, open("offline")), { name: "CacheError" });
    await assert.rejects(blockchainComparison({}, open("offline", "2999-01-01")), {
      name: "ResponseError",
    });
  }));
