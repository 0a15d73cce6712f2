import { match } from "node:assert/strict";
import { counterfactual, pl, plotCounterfactual, retentionCurves } from "../../mod.ts";
import { warned } from "../analysis/measured.ts";

Deno.test("a study of cohorts of every third month is of months, and one of quarters of quarters", () => {
  const rows = ["a", "b", "c", "d", "e", "f", "g"].flatMap((app, k) =>
    Array.from({ length: 12 }, (_, at) => {
      const date = new Date(Date.UTC(2022, 3 * at));
      const kept = 30 + k + at * at * (k + 7) % 11;
      return { app, cohort: date.toISOString().slice(0, 7), size: 100, month_0: 100, kept, date };
    })
  );
  const starts = { a: "2024-01" };
  const cohorts = pl.DataFrame(rows).select("app", "cohort", "size", "month_0", "kept")
    .rename({ size: "initial_cohort_size", kept: "month_1" });
  const [curves] = warned(() => retentionCurves(cohorts, { unit: "count" }));
  const [months] = warned(() => counterfactual(curves, { month: 1, starts }));
  match(plotCounterfactual(months).title, /^Retention of a, .*, Feb 2022 to Nov 2024$/);
  const quarters = pl.DataFrame(rows).select("app", "date", "kept").rename({ kept: "retention" });
  const [own] = warned(() => counterfactual(quarters, { field: "retention", starts }));
  match(plotCounterfactual(own).title, /^Retention of a, .*, Q1 2022 to Q4 2024$/);
});
