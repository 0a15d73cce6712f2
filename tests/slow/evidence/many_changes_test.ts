import { strictEqual } from "node:assert/strict";
import { connect } from "../../../lib/http/connect.ts";
import { metricBreakdown } from "../../../lib/operations/metric_breakdown.ts";
import { restatements } from "../../../lib/evidence/restatements.ts";
import { inFolder } from "../../in_folder.ts";

Deno.test("restatements returns more changes than a call can have arguments", () =>
  inFolder(async (dir) => {
    const query = { metric_ids: ["fees"], interval: "30d", group_by: "projects" } as const;
    for (const length of [1, 130_001]) {
      const data = Array.from({ length }, (_, index) => ({
        data_id: `p${index}`,
        metrics: { fees: 1 },
      }));
      const fetch = () => Promise.resolve(Response.json({ data }));
      const cache = { dir, mode: "refresh" } as const;
      const service = { baseUrl: "http://127.0.0.1:9", token: "t0ken", fetch, cache };
      await metricBreakdown(query, connect(service));
    }
    const archive = connect({ baseUrl: "http://127.0.0.1:9", cache: { dir, mode: "offline" } });
    const { height } = await restatements({ operation: metricBreakdown, query }, archive);
    strictEqual(height, 130_000);
  }));
