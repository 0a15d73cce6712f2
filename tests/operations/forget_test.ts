import assert from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { ask } from "../http/ask.ts";
import { connect } from "../../lib/http/connect.ts";
import { QUESTION } from "../http/question.ts";
import { inFolder } from "../in_folder.ts";

/** The names of the files, with # for digests and times. */
function names(dir: string): string {
  return [...Deno.readDirSync(dir)].map(({ name }) => name.replace(/-[0-9a-fTZ.]+(?=\.)/, "#"))
    .sort()
    .join(" ");
}

Deno.test("a response with a wrong type is removed from the cache, except offline", () =>
  inFolder(async (dir) => {
    const bodies = [[{ chain_id: true }], [{ chain_id: "alder" }]];
    let sent = 0;
    const fetch = () => Promise.resolve(Response.json({ data: bodies[Math.min(sent++, 1)] }));
    const open = (mode: "use" | "offline", keep: "newest" | "all" = "newest") =>
      connect({
        baseUrl: "http://127.0.0.1:9",
        token: "t0ken-of-a-test",
        fetch,
        cache: { dir, mode, keep },
      });
    await assert.rejects(blockchainComparison({}, open("use")), { name: "ResponseError" });
    assert.deepEqual([...Deno.readDirSync(dir)], []);
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
    // An archive keeps the response, also if the connection that removes its entry has stored nothing.
    Deno.removeSync(dir, { recursive: true });
    sent = 0;
    await ask(QUESTION, open("use", "all"));
    await assert.rejects(blockchainComparison({}, open("use", "all")), { name: "ResponseError" });
    assert.equal(names(dir), "blockchain_comparison#.body.json blockchain_comparison#.json");
  }));
