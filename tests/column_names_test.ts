import { deepStrictEqual } from "node:assert/strict";
import {
  counterfactual,
  eventStudy,
  pl,
  plotTimeline,
  retentionCurves,
  withSource,
} from "../mod.ts";
import { warned } from "./analysis/measured.ts";
import { cohortsOf, seriesOf } from "./frame_cases.ts";
import { differing, FIRST, FNS, OTHERS } from "./other_names.ts";

Deno.test("names of columns change no number, title, subtitle or caption", async () => {
  // tests/slow has all options.
  const plain = (all: readonly object[]) => all.slice(0, 1);
  deepStrictEqual(await differing(FNS.filter((name) => name !== "detectable"), plain), []);
});

Deno.test("studies of retention take the entity of the curves, of one column or several", () => {
  const starts = { "DE · ads": "2024-12", "FR · seo": "2025-01" };
  const studied = [FIRST, ...OTHERS].map((names) => {
    const curves = retentionCurves(cohortsOf(names), { unit: "count", since: null });
    const [study] = warned(() => eventStudy(curves, { month: 1, starts }));
    const one = { month: 1, starts: { "DE · ads": "2024-12" } };
    const [fitted] = warned(() => counterfactual(curves, one));
    return [study.rows(), fitted.drop(names.entity.join(" · ")).rows()];
  });
  for (const other of studied.slice(1)) deepStrictEqual(other, studied[0]);
});

Deno.test("captions say that own periods are as given, whatever their column is called", async () => {
  for (const names of [FIRST, ...OTHERS]) {
    const frame = pl.DataFrame(seriesOf(names).getColumns());
    const own = withSource(frame, { citation: "Own records" });
    const { caption } = await plotTimeline(own, { field: "fees" }).spec;
    deepStrictEqual(caption.at(-1), "Source: Own records, as given.");
  }
});
