import { deepEqual, match, ok } from "node:assert/strict";
import { vegaTimeline } from "../../../lib/chart/timeline.ts";
import { drawnSvg } from "../drawn_svg.ts";
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
  ok(spec.includes(' (period not complete)"'));
  match(await vegaTimeline(frame).svg(), /^<svg /);
});

Deno.test("vegaTimeline names highlighted lines in its legend, and counts the others", async () => {
  const frame = timelineFrame("month", [
    ["2025-03-01", "a", 1],
    ["2025-04-01", "a", 2],
    ["2025-03-01", "b", 3],
    ["2025-04-01", "b", 4],
    ["2025-03-01", "c", 5],
    ["2025-04-01", "c", 6],
  ]);
  const svg = await drawnSvg(vegaTimeline(frame, { highlight: ["b"] }));
  deepEqual([...svg.querySelectorAll(".role-legend-label text")].map((t) => t.textContent), ["b"]);
  match(svg.textContent, /Gray: 2 other lines, which show their names when you point at them\./);
});
