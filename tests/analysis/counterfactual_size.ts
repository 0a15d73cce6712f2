import { counterfactual } from "../../lib/analysis/counterfactual.ts";
import type { CounterfactualMethod } from "../../lib/analysis/counterfactual_fit.ts";
import { dateColumn, float64, utf8 } from "../../lib/table/columns.ts";
import { pl } from "../../lib/table/polars.ts";
import { chanceOf } from "./simulated_cohorts.ts";

const BEFORE = 12;
const DATES = 16;

/** Which worlds are drawn, and how many. */
interface Draws {
  readonly donors: number;
  readonly method: CounterfactualMethod;
  readonly draws: number;
}

/**
 * How often `counterfactual` has a p value of .05 or less in worlds without an event: units that differ in
 * level, share a common walk in different parts, and have errors of autocorrelation .5.
 */
export function counterfactualSize({ donors, method, draws }: Draws) {
  const chance = chanceOf(2900 + donors);
  const units = Array.from({ length: donors + 1 }, (_, unit) => `unit-${unit}`);
  const months = Array.from({ length: DATES }, (_, month) => new Date(Date.UTC(2024, month, 1)));
  let found = 0;
  const warn = console.error;
  console.error = () => {};
  for (let draw = 0; draw < draws; draw++) {
    let level = 0;
    const walk = months.map(() => level += chance.normal());
    const values = units.flatMap(() => {
      const [start, part] = [100 + 5 * chance.normal(), 1 + 0.3 * chance.normal()];
      let error = chance.normal();
      return walk.map((common) => {
        error = 0.5 * error + chance.normal();
        return start + part * common + error;
      });
    });
    const frame = pl.DataFrame([
      utf8("unit_id", units.flatMap((unit) => months.map(() => unit))),
      dateColumn("date", units.flatMap(() => months)),
      float64("value", values),
    ]);
    const result = counterfactual(frame, {
      field: "value",
      treated: "unit-0",
      event: months[BEFORE]!,
      method,
    });
    const [pValue] = result.getColumn("p_value").toArray() as number[];
    found += Number(pValue! <= 0.05 + 1e-12);
  }
  console.error = warn;
  const expected = Math.floor(0.05 * (donors + 1)) / (donors + 1);
  const standardError = Math.sqrt(expected * (1 - expected) / draws);
  return { rate: found / draws, expected, standardError };
}
