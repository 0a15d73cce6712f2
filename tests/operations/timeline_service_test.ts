import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { timeline } from "../../lib/operations/timeline.ts";
import { createService } from "../../lib/service/mod.ts";
import { errorsOf, provenanceOf } from "../../lib/table/track/provenance.ts";
import { connectTo, singly, together, TOKEN } from "./single_calls.ts";

Deno.test("timeline equals 18 single calls, row by row, on the sample", async () => {
  const service = await createService({ tokens: [TOKEN] });
  const connection = connectTo(service);
  const query = {
    metric_ids: ["fees", "active_users"],
    group_by: "chains",
    every: "month",
    from: "2025-01-01",
    to: "2026-06-30",
  } as const;
  const rows = await together(query, connection);
  equal(rows, await singly(query, connection));
  equal(new Set(rows.map(({ date }) => date)).size, 18);
  ok(rows.length >= 18 * 5);
  equal(provenanceOf(await timeline(query, connection)).requests, 18);
  await service.close();
});

Deno.test("an unknown entity that every period reports is one error", async () => {
  const service = await createService({ tokens: [TOKEN] });
  const frame = await timeline({
    metric_ids: ["fees"],
    group_by: "chains",
    chain_ids: ["alder", "nowhere"],
    every: "quarter",
    from: "2025",
    to: "2025",
  }, connectTo(service));
  equal(errorsOf(frame).rows(), [["NOT_FOUND", "chain_ids", "nowhere"]]);
  equal(frame.getColumn("data_id").toArray(), ["alder", "alder", "alder", "alder"]);
  await service.close();
});
