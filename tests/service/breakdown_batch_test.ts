import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { createService } from "../../lib/service/mod.ts";
import { addDays } from "../../lib/service/datasets/window_value.ts";
import { GROUP_BYS } from "../../lib/schema/vocabulary.ts";

const [one, many] = await Promise.all([createService(), createService()]);

function requestTo({ tokens }: typeof one, body: object): Request {
  return new Request("https://service.invalid/v2/metric-breakdown", {
    method: "POST",
    headers: { authorization: `Bearer ${tokens[0]}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Windows of days to two years, also beyond both ends of the data. */
const window = fc.tuple(fc.integer({ min: -40, max: 930 }), fc.constantFrom(1, 2, 7, 30, 31, 400))
  .map(([from, days]) => {
    const start = addDays("2023-12-01", from);
    return { start, end: addDays(start, days - 1) };
  });

const some = (ids: readonly string[]) => fc.option(fc.subarray([...ids], { minLength: 1 }));

const query = fc.record({
  metric_ids: fc.subarray(["fees", "tvl", "active_users", "transaction_count"], { minLength: 1 }),
  group_by: fc.constantFrom(...GROUP_BYS),
  chain_ids: some(["alder", "basalt", "nowhere"]),
  project_ids: some(["tidewater", "copperleaf"]),
  market_sector_ids: some(["lending", "exchanges-dex"]),
}).map((each) => Object.fromEntries(Object.entries(each).filter(([, value]) => value !== null)));

Deno.test("breakdowns that arrive together are equal, to the byte, to those that arrive alone", async () => {
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(
      query,
      fc.uniqueArray(window, { minLength: 2, maxLength: 5, selector: JSON.stringify }),
      async (given, windows) => {
        const bodies = windows.map((each) => ({ ...given, interval: "max", ...each }));
        const together = await Promise.all(
          bodies.map(async (body) => await (await many.fetch(requestTo(many, body))).text()),
        );
        const alone = [];
        for (const body of bodies) alone.push(await (await one.fetch(requestTo(one, body))).text());
        deepStrictEqual(together, alone);
        rows += JSON.parse(alone[0]!).data?.length ?? 0;
      },
    ),
    { seed: 70, numRuns: 15 },
  );
  ok(rows > 20, String(rows));
  await Promise.all([one.close(), many.close()]);
});
