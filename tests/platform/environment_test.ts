import assert from "node:assert/strict";
import { environment } from "../../lib/platform/machine.ts";
import { withEnvironment } from "../http/with_environment.ts";

Deno.test("environment returns the value, and undefined for an unset or empty variable", async () => {
  await withEnvironment({ CHAINFRAME_BASE_URL: "https://a.example", CHAINFRAME_TOKEN: "" }, () => {
    assert.equal(environment("CHAINFRAME_BASE_URL"), "https://a.example");
    assert.equal(environment("CHAINFRAME_TOKEN"), undefined);
    assert.equal(environment("CHAINFRAME_CACHE"), undefined);
  });
});

Deno.test({
  name: "environment returns undefined without read permission",
  permissions: { env: false },
  fn: () => assert.equal(environment("CHAINFRAME_TOKEN"), undefined),
});
