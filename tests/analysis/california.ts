import { dateColumn, float64, utf8 } from "../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";

/**
 * Cigarette packs per capita, 39 states, 1970 to 2000: data/california_prop99.csv of the public repository
 * synth-inference/synthdid (Abadie, Diamond and Hainmueller 2010). Proposition 99 began in 1989.
 */
const [header, ...lines] = Deno.readTextFileSync(
  new URL("../../notebooks/published/california_prop99.csv", import.meta.url),
).trim().split("\n").map((line) => line.split(","));

/** The table as a frame of states and years. */
export function california(): DataFrame {
  const years = header!.slice(1);
  return pl.DataFrame([
    utf8("state", lines.flatMap(([state]) => years.map(() => state!))),
    dateColumn("date", lines.flatMap(() => years.map((year) => new Date(`${year}-01-01`)))),
    float64("packs", lines.flatMap(([, ...packs]) => packs.map(Number))),
  ]);
}
