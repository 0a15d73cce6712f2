import { match, ok } from "node:assert/strict";
import { vegaTimeline } from "../../../lib/chart/timeline.ts";
import { timelineFrame } from "../../analysis/timeline_frame.ts";

Deno.test("vegaTimeline selects lines by their names, and marks incomplete periods", async () => {
  const frame = timelineFrame("month", [
    ["2025-03-01", "a", 1],
    ["2025-04-01", "a", 2],
    ["2025-03-01", "b", 3],
    ["2025-04-01", "b", 4],
  ], ["2025-04-01"]);
  const spec = JSON.stringify(await vegaTimeline(frame).spec);
  ok(spec.includes('"name":"selected","select"'));
  ok(spec.includes(' (period not complete)"') && spec.includes('"strokeDash":[4,3]'));
  match(await vegaTimeline(frame).svg(), /^<svg /);
});
