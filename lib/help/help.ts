import { heldOutput } from "../platform/jupyter.ts";
import { utf8 } from "../table/columns/cell_values.ts";
import { type DataFrame, type Frame, pl } from "../table/columns/polars.ts";
import { show } from "../table/show/show.ts";
import { loadEntries } from "./entries.ts";
import { fieldEntries } from "./fields.ts";
import { pageBundle, pageText } from "./page.ts";
import { pageOf } from "./pages.ts";

const JUPYTER_DISPLAY = Symbol.for("Jupyter.display");
const CUSTOM_INSPECT = Symbol.for("Deno.customInspect");

/**
 * Shows the documentation of a function, operation, column, metric or frame.
 *
 * The page of a function has an example. It lists the options with their defaults, and the columns of the returned
 * frame with their units, windows and meaning of null. If there is no subject, the page lists all functions. For any
 * other word, such as `growth`, the page lists the functions and columns whose names or descriptions contain the word.
 *
 * @param subject a public function; the name of a public function, type, column or metric; or a frame. For a frame, the
 * page describes its columns
 *
 * @example
 * ```ts
 * import { help, plotRetention } from "@chainframe/chainframe";
 *
 * console.log(String(await help(plotRetention)).split("\n")[0]); // plotRetention(frame, options?)
 * console.log(await help("ecosystem_tvl_30d_change"));
 * ```
 *
 * @throws {RangeError} for a word that nothing contains, with the nearest known name. The error is thrown when the promise is
 * awaited or displayed.
 * @category Help
 */
export function help(
  subject?: string | DataFrame | ((...args: never[]) => unknown),
): PromiseLike<{ toString(): string }> {
  const page = async () => await pageOf(subject);
  const display = async () => heldOutput(pageBundle(await page()));
  const shown = async () => {
    const made = await page();
    const toString = () => pageText(made);
    return Object.freeze({
      toString,
      [JUPYTER_DISPLAY]: display,
      [CUSTOM_INSPECT]: toString,
    });
  };
  return {
    then: (fulfilled, rejected) => shown().then(fulfilled, rejected),
    display,
    [JUPYTER_DISPLAY]: display,
    [CUSTOM_INSPECT]: () => "Help is a promise: console.log(await help(…))",
  } as ReturnType<typeof help>;
}

/**
 * Returns every column of the operations and analyses, and every metric of the sample service, as a frame.
 *
 * All columns are String: `record` (an operation, `errors` for `errorsOf`, `metric`, or the function that returns the
 * column), `name`, `dtype`, `unit` (null for text and for analyses), `window` (null if the column has no window),
 * `about`, and `null` (the meaning of null; for analyses, `about` states it). docs/dictionary.md has
 * the same content.
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
export async function dictionary(): Promise<Frame> {
  const rows = fieldEntries(await loadEntries());
  const names = ["record", "name", "dtype", "unit", "window", "about", "null"] as const;
  const frame = pl.DataFrame(names.map((name) => utf8(name, rows.map((row) => row[name]))));
  return show(frame);
}
