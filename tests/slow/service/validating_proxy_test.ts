import { ok } from "node:assert/strict";
import { createService } from "../../../lib/service/mod.ts";
import { TOKEN } from "../../service/call_service.ts";
import { REQUEST_CORPUS, sentOf } from "../../service/request_corpus.ts";
import { PROXY_AVAILABLE, startValidatingProxy } from "./validating_proxy.ts";

Deno.test({
  name: "a validating proxy agrees with the service on every request of the corpus",
  ignore: !PROXY_AVAILABLE,
  fn: async () => {
    const service = await createService({ tokens: [TOKEN] });
    await using proxy = await startValidatingProxy(service.fetch);
    const checked = await proxy.agreesOn(REQUEST_CORPUS.map(sentOf), service.fetch);
    ok(checked > 110, `${checked} requests`);
    await service.close();
  },
});
