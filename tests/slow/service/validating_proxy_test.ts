import { ok } from "node:assert/strict";
import * as created from "../../service/create_service_test.ts";
import * as http from "../../service/http_test.ts";
import * as openapi from "../../service/openapi_test.ts";
import * as sample from "../../service/sample_test.ts";
import type { SentRequest } from "../../service/sent_request.ts";
import { type Ask, PROXY_AVAILABLE, startValidatingProxy } from "./validating_proxy.ts";

// The imported tests run first, in this process, and each of them sends requests to a service.

interface Case {
  readonly ask: Ask;
  readonly sent: () => Promise<readonly SentRequest[]>;
  /** The proxy must be able to check more requests than these. */
  readonly moreThan: number;
}

const CASES: Readonly<Record<string, Case>> = {
  create_service_test: {
    ask: created.embedded.fetch,
    sent: created.service.sent,
    moreThan: 60,
  },
  http_test: {
    ask: http.service.fetch,
    sent: async () => [...await http.plain.sent(), ...await http.limited.sent()],
    moreThan: 15,
  },
  sample_test: { ask: sample.embedded.fetch, sent: sample.service.sent, moreThan: 5 },
  openapi_test: { ask: openapi.service.fetch, sent: openapi.local.sent, moreThan: 110 },
};

for (const [name, { ask, sent, moreThan }] of Object.entries(CASES)) {
  Deno.test({
    name: `a validating proxy agrees with the service on every request of ${name}`,
    ignore: !PROXY_AVAILABLE,
    fn: async () => {
      await using proxy = await startValidatingProxy(ask);
      const checked = await proxy.agreesOn(await sent(), ask);
      ok(checked > moreThan, `${checked} requests`);
    },
  });
}
