import { deepStrictEqual as equal, throws } from "node:assert/strict";
import {
  cohortLayers,
  cohortTrend,
  counterfactual,
  eventStudy,
  pl,
  retentionCurves,
  userFlows,
} from "../../../mod.ts";
import { hearing } from "../../http/hearing.ts";

function curvesOf(cohorts: readonly string[]) {
  return retentionCurves(
    pl.DataFrame({
      project_id: cohorts.map(() => "a"),
      cohort: [...cohorts],
      initial_cohort_size: cohorts.map(() => 100),
      month_0: cohorts.map(() => 1),
      month_1: cohorts.map(() => 0.4),
    }),
    { since: null },
  );
}

const dates = (cohorts: readonly string[]) =>
  (curvesOf(cohorts).getColumn("cohort_date").toArray() as unknown as (Date | null)[])
    .map((date) => date?.toISOString().slice(0, 10) ?? null);

Deno.test("retentionCurves reads one form of months, and counts the texts that are not read", async () => {
  equal(dates(["Jan 2024", "Feb 2024"]).filter((_, at) => at % 2 === 0), [
    "2024-01-01",
    "2024-02-01",
  ]);
  const told = await hearing(() => {
    equal(dates(["202401", "202402", "2024-Q1"]).at(-1), null);
  });
  equal(told, [
    'retentionCurves: cohort: 1 of 3 texts are not read as months, such as "2024-Q1"; expected such as 2025-01',
  ]);
});

Deno.test("analyses by date refuse curves without a date, and show a text", () => {
  const curves = curvesOf(["mai 2024", "juin 2024"]);
  const refused = (fn: string) => ({
    name: "RangeError",
    message: `${fn}: cohort: expected months such as 2025-01; got "mai 2024"`,
  });
  throws(() => cohortTrend(curves), refused("cohortTrend"));
  throws(() => cohortLayers(curves), refused("cohortLayers"));
  throws(() => userFlows(curves), refused("userFlows"));
  throws(
    () => counterfactual(curves, { starts: { a: "2024-01" }, month: 1 }),
    refused("counterfactual"),
  );
  throws(() => eventStudy(curves, { starts: { a: "2024-01" }, month: 1 }), refused("eventStudy"));
});
