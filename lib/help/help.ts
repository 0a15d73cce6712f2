import { utf8 } from "../table/columns.ts";
import { type DataFrame, pl } from "../table/polars.ts";
import { type MimeBundle, show } from "../table/show.ts";

/** What help knows, and what makes pages of it: opened when somebody asks. */
const entries = (): Promise<typeof import("./entries.ts")> =>
  import(new URL("./entries.ts", import.meta.url).href);
const pages = (): Promise<typeof import("./pages.ts")> =>
  import(new URL("./pages.ts", import.meta.url).href);

/**
 * A page of help, there to be read: a cell shows it, `console.log` prints it.
 *
 * @category Help
 */
export interface HelpPage {
  /** The page as plain text. */
  toString(): string;
}

/**
 * Help that was asked for. As the last line of a cell it shows itself; `console.log(await help(…))`
 * prints it.
 *
 * @category Help
 */
export interface Help extends PromiseLike<HelpPage> {
  /** What the Deno kernel shows. */
  display(): Promise<MimeBundle>;
}

/**
 * What there is help about: a name, a frame, or a public function.
 *
 * @category Help
 */
export type HelpSubject = string | DataFrame | ((...args: never[]) => unknown);

/**
 * What the documentation says about a function, an operation, a field, a metric or a frame: what it does,
 * its options with their defaults, its columns with unit, window and what null means, and an example.
 * Without a subject: every function, in the order in which data flows.
 *
 * @param subject A public function, or the name of anything public, of a field or of a metric; or a frame,
 * for its columns.
 *
 * @example
 * ```ts
 * import { help, plotRetention } from "@chainframe/chainframe";
 *
 * console.log(String(await help(plotRetention)).split("\n")[0]); // plotRetention(frame, options?)
 * console.log(await help("ecosystem_tvl_30d_change"));
 * ```
 *
 * @throws {RangeError} with the nearest known name, when it is awaited or shown.
 * @category Help
 */
export function help(subject?: HelpSubject): Help {
  const shown = async () => await (await pages()).shownPage(subject);
  const display = async () => (await shown()).bundle();
  return {
    then: (fulfilled, rejected) => shown().then(({ page }) => page).then(fulfilled, rejected),
    display,
    [Symbol.for("Jupyter.display")]: display,
    [Symbol.for("Deno.customInspect")]: () => "Help that is on its way: console.log(await help(…))",
  } as Help;
}

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
  const { loadEntries } = await entries();
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
