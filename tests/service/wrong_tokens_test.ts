import { deepStrictEqual as equal } from "node:assert/strict";
import { createService, type ServiceOptions } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";
import { serveLocally } from "./serve_locally.ts";

interface Asked {
  status: number;
  wait: string | null;
}

/** Serves with a bound on wrong tokens and a clock, over a real socket. */
async function withBound(
  wrongTokens: ServiceOptions["wrongTokens"],
  use: (ask: Ask, advance: (ms: number) => void) => Promise<void>,
) {
  let clock = Date.UTC(2026, 0, 1);
  const service = await createService({
    tokens: [TOKEN],
    now: () => clock,
    ...(wrongTokens === undefined ? {} : { wrongTokens }),
  });
  await using local = await serveLocally(service);
  const ask: Ask = async (token, from) => {
    const response = await fetch(`${local.url}/v2/datasets/blockchain_comparison?limit=1`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(from === undefined ? {} : { "x-client": from }),
      },
    });
    await response.body?.cancel();
    return { status: response.status, wait: response.headers.get("retry-after") };
  };
  await use(ask, (ms) => void (clock += ms));
}

type Ask = (token: string, from?: string) => Promise<Asked>;

const WRONG = { status: 403, wait: null };
const RIGHT = { status: 200, wait: null };

async function times(count: number, ask: () => Promise<Asked>): Promise<number[]> {
  const statuses = [];
  for (let time = 0; time < count; time++) statuses.push((await ask()).status);
  return statuses;
}

Deno.test("60 wrong tokens of an address are checked in a minute, and a valid one always is", () =>
  withBound(undefined, async (ask, advance) => {
    equal(await times(60, () => ask("wrong")), Array(60).fill(403));
    advance(15_500);
    equal(await ask("wrong"), { status: 429, wait: "45" });
    equal(await ask("another"), { status: 429, wait: "45" });
    equal(await ask(TOKEN), RIGHT);
    advance(44_500);
    equal(await ask("wrong"), WRONG);
  }));

Deno.test("wrong tokens of all addresses together are limited, too", () =>
  withBound({ perAddress: 3, total: 5, addressHeader: "X-Client" }, async (ask) => {
    equal(await times(4, () => ask("wrong", "192.0.2.1")), [403, 403, 403, 429]);
    equal(await times(3, () => ask("wrong", "192.0.2.2")), [403, 403, 429]);
    equal(await ask("wrong", "192.0.2.3"), { status: 429, wait: "60" });
    equal(await ask(TOKEN, "192.0.2.1"), RIGHT);
  }));

Deno.test("the last address of the header counts, which the proxy wrote; without one that of the connection", () =>
  withBound({ perAddress: 2, total: 9, addressHeader: "x-client" }, async (ask) => {
    // The client can forge the entries before it.
    for (const claimed of ["10.0.0.1", "10.0.0.2"]) {
      equal(await ask("wrong", `${claimed}, 192.0.2.1`), WRONG);
    }
    equal((await ask("wrong", "10.0.0.3, 192.0.2.1")).status, 429);
    equal(await times(4, () => ask("wrong")), [403, 403, 429, 429]);
    equal(await times(3, () => ask("wrong", " ")), [429, 429, 429]);
    equal(await ask(TOKEN), RIGHT);
    equal(await ask("wrong", "192.0.2.2"), WRONG);
  }));

Deno.test("a missing or malformed header does not count as a wrong token", () =>
  withBound({ perAddress: 1, total: 1 }, async (ask) => {
    equal(await times(3, () => ask("")), [401, 401, 401]);
    equal(await ask("wrong"), WRONG);
    equal((await ask("wrong")).status, 429);
    equal((await ask("")).status, 401);
  }));
