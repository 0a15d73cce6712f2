/** Makes frames, derives frames from them, releases all but the last, and prints how many of the first are left. */
import { pl } from "../../lib/table/columns/polars.ts";
import { annotate, type Provenance, provenanceOf } from "../../lib/table/track/provenance.ts";
import { track } from "../../lib/table/track/track.ts";

const provenance = { operation: "project", steps: [], inputs: [] } as unknown as Provenance;
const kept: unknown[] = [];

function made(): WeakRef<object>[] {
  const errors = pl.DataFrame({ code: [] });
  const frame = track(annotate(pl.DataFrame({ a: [1, 2, 3] }), { provenance, errors }));
  const step = frame.filter(pl.col("a").gt(1));
  const last = step.lazy().sort("a").collectSync();
  provenanceOf(last);
  kept.push(last);
  return [new WeakRef(frame), new WeakRef(step)];
}

const refs = Array.from({ length: 100 }, made).flat();
for (let round = 0; round < 10; round++) {
  await new Promise((done) => setTimeout(done, 10));
  (globalThis as unknown as { gc(): void }).gc();
}
const left = refs.filter((ref) => ref.deref() !== undefined).length;
console.log(`${refs.length} frames, ${left} left`);
