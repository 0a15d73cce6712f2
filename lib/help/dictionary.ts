import { type DataFrame, pl } from "../table/polars.ts";
import { utf8 } from "../table/columns.ts";
import { show } from "../table/show.ts";
import { loadEntries } from "./entries.ts";

/**
 * Every field of every record, and every metric of the sample service, as a frame.
 *
 * Columns, all String: `record` (the operation whose frame has the field, `errors` for that of `errorsOf`,
 * `metric` for a metric), `name`, `dtype`, `unit`, `window` (null where there is none), `about`, and `null`:
 * what null means there. The same, to read: docs/dictionary.md.
 *
 * @example Which fields are money?
 * ```ts
 * import { dictionary, pl } from "@chainframe/chainframe";
 *
 * const fields = await dictionary();
 * console.log(fields.filter(pl.col("unit").eq(pl.lit("usd"))).height > 30); // true
 * ```
 * @category Help
 */
export async function dictionary(): Promise<DataFrame> {
  const { fields, metrics } = await loadEntries();
  const rows = [
    ...fields.map(({ field, ...rest }) => ({ ...rest, name: field })),
    ...metrics.map(({ metric_id, unit, about, kind, null: none }) => ({
      record: "metric",
      name: metric_id,
      dtype: "Float64",
      unit,
      window: null,
      about: `${about} ${kind}`,
      null: none,
    })),
  ];
  const names = ["record", "name", "dtype", "unit", "window", "about", "null"] as const;
  return show(pl.DataFrame(names.map((name) => utf8(name, rows.map((row) => row[name])))));
}
