import { deepStrictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { createService } from "../../lib/service/mod.ts";
import { REQUEST_CORPUS } from "../service/request_corpus.ts";

const RESPONSES = new URL("./responses.json", import.meta.url);
const HEADERS = ["content-type", "location", "allow", "data-through", "data-since", "retry-after"];

Deno.test("the service answers the request corpus as it is kept", async () => {
  const token = "contract-token";
  const service = await createService({ tokens: [token] });
  try {
    const responses = [];
    for (const { method, path, body, type, authorization } of REQUEST_CORPUS) {
      const headers = new Headers();
      if (authorization !== null) headers.set("authorization", authorization ?? `Bearer ${token}`);
      if (body !== undefined) headers.set("content-type", type ?? "application/json");
      const text = body === undefined ? null : JSON.stringify(body);
      const request = new Request(`http://localhost${path}`, { method, headers, body: text });
      const response = await service.fetch(request);
      const bytes = new Uint8Array(await response.arrayBuffer());
      responses.push({
        request: [method, path, text, authorization].filter((part) => part !== undefined).join(" "),
        status: response.status,
        headers: Object.fromEntries(
          HEADERS.filter((name) => response.headers.has(name))
            .map((name) => [name, response.headers.get(name)]),
        ),
        bytes: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex"),
      });
    }
    if (Deno.args.includes("--update")) {
      await Deno.writeTextFile(RESPONSES, `${JSON.stringify(responses, null, 1)}\n`);
    }
    deepStrictEqual(responses, JSON.parse(await Deno.readTextFile(RESPONSES)));
  } finally {
    await service.close();
  }
});
