import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { OTHER, requestChains, serve, TOKEN } from "../../scripts/served.ts";

// Its first line does not permit it to write, so that it builds the sample in memory.
Deno.test("serve.ts serves the sample to tokens of the environment, and is quiet with --quiet", async () => {
  const given = await serve(["--quiet"], { CHAINFRAME_SERVICE_TOKENS: `${TOKEN},${OTHER}` });
  ok(!given.told.includes("token"), given.told);
  match(given.told, /^serve\.ts: SAMPLE DATA/);
  strictEqual((await (await requestChains(given.url, OTHER)).json()).data.length, 24);
  const ended = await given.stop();
  deepStrictEqual(ended, {
    code: 0,
    told: "serve.ts: SIGINT: stopping after running requests\n",
  });
});
