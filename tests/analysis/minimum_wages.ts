import { dateColumn, float64, utf8 } from "../../lib/table/columns/cell_values.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";

/**
 * Teen employment of 500 counties, 2003 to 2007, and the year in which their state raised its minimum wage.
 *
 * Source: `mpdta` of the R package did (Callaway and Sant'Anna 2021, GPL-3), also data/mpdta.csv of the public
 * repository d2cml-ai/csdid (MIT). The numbers are public statistics of the US Census Bureau (Quarterly Workforce
 * Indicators). mpdta.csv has the counts, of which the column `lemp` of the package is the logarithm.
 */
const [header, ...lines] = Deno.readTextFileSync(
  new URL("../../notebooks/published/mpdta.csv", import.meta.url),
)
  .trim().split("\n").map((line) => line.split(","));

/** The counts as a frame of counties and years, and the starts as a frame; null: never. */
export function minimumWages(): { frame: DataFrame; starts: DataFrame } {
  const years = header!.slice(2);
  const frame = pl.DataFrame([
    utf8("county", lines.flatMap(([county]) => years.map(() => county!))),
    dateColumn("date", lines.flatMap(() => years.map((year) => new Date(`${year}-01-01`)))),
    float64("employment", lines.flatMap(([, , ...counts]) => counts.map(Number))),
  ]);
  const starts = pl.DataFrame([
    utf8("county", lines.map(([county]) => county!)),
    utf8("start", lines.map(([, start]) => start || null)),
  ]);
  return { frame, starts };
}
