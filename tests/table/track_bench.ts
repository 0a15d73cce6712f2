/**
 * The cost of tracking: the same steps on a frame of polars and on a tracked one, in turn, so that a busy machine
 * slows both. Run it: `deno run --allow-all --no-check tests/table/track_bench.ts`.
 */
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { annotate, type Provenance } from "../../lib/table/provenance.ts";
import { track } from "../../lib/table/track.ts";

const provenance = { operation: "project", steps: [], inputs: [] } as unknown as Provenance;
const bare = pl.DataFrame({ a: [1, 2, 3], b: [4, 5, 6], c: ["x", "y", "z"] });
const ours = track(annotate(bare.clone(), { provenance, errors: pl.DataFrame() }));

const STEPS: Record<string, (frame: DataFrame) => unknown> = {
  isEmpty: (frame) => frame.isEmpty(),
  head: (frame) => frame.head(2),
  groupBy: (frame) => frame.groupBy("a"),
  lazy: (frame) => frame.lazy(),
};

const [CALLS, ROUNDS] = [50, 400];

/** The microseconds of one call. */
function timed(step: (frame: DataFrame) => unknown, frame: DataFrame): number {
  const start = performance.now();
  for (let call = 0; call < CALLS; call++) step(frame);
  return (performance.now() - start) / CALLS * 1_000;
}

function median(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

for (const [name, step] of Object.entries(STEPS)) {
  const times = Array.from({ length: ROUNDS }, () => [timed(step, bare), timed(step, ours)]);
  const [alone, remembered] = [0, 1].map((which) => median(times.map((pair) => pair[which]!)));
  console.log(
    `${name}: ${alone!.toFixed(1)} µs of polars, ${(remembered! - alone!).toFixed(1)} µs more`,
  );
}
