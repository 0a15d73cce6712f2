import { deepStrictEqual, match } from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { sourceLine } from "../../lib/table/show/display.ts";
import { annotationOf } from "../../lib/table/track/provenance.ts";
import { trackedPolars } from "../../lib/table/track/tracked_polars.ts";
import { plotComparison } from "../../lib/chart/comparison.ts";
import { report } from "../../lib/output/report.ts";
import { data, playing } from "../http/playing.ts";
import { inFolder } from "../in_folder.ts";

Deno.test("sample data of a service stay sample data in cache, archive, offline and derived frames", () =>
  inFolder(async (dir) => {
    const headers = { "data-sample": "true" };
    const play = () => data([{ chain_id: "a" }], headers);
    const frames = [];
    for (const mode of ["use", "use", "offline"] as const) {
      const { connection, clock } = playing(play, { cache: { dir, mode } });
      frames.push(await clock.finish(blockchainComparison({}, connection)));
    }
    deepStrictEqual(
      frames.map((frame) => [provenanceOf(frame).source, provenanceOf(frame).sample]),
      [["service", true], ["cache", true], ["cache", true]],
    );
    match(sourceLine(annotationOf(frames[1]!)!), /SAMPLE DATA · from the cache · 127\.0\.0\.1:9/);
    for (const frame of frames) {
      const chart = plotComparison(frame, { field: "market_cap_fd_latest" });
      match(
        (await chart.spec).caption.join(),
        /SAMPLE DATA, invented: .*Source: blockchain comparison/,
      );
      match(
        await report({ title: "Fees", parts: [frame] }).html(),
        /<p class="notice">SAMPLE DATA:/,
      );
    }
    const { connection, clock } = playing(() => data([{ chain_id: "b" }]));
    const live = await clock.finish(blockchainComparison({}, connection));
    deepStrictEqual(provenanceOf(live).sample, false);
    const both = provenanceOf(trackedPolars.concat([live, frames[0]!]));
    deepStrictEqual([both.kind, both.sample], ["combined", true]);
  }));
