import {
  aNumber,
  aText,
  aWhole,
  type Checked,
  checkOptions,
  listOf,
  oneOf,
  type Rule,
  type Rules,
} from "../platform/check_options.ts";
import type { DataFrame } from "../table/polars.ts";
import { aFrame } from "../table/require_columns.ts";
import { type Theme, THEMES } from "./chart.ts";
import type { NumberFormat } from "./format.ts";

/**
 * Options of every chart.
 *
 * @category Charts
 */
export interface ChartOptions {
  /**
   * The title.
   * @default {made from the data}
   */
  readonly title?: string;
  /**
   * The line below the title.
   * @default {made from the data}
   */
  readonly subtitle?: string;
  /**
   * The text below the chart, in place of what the chart says there itself of values that are missing or were
   * put together. The line on the source stays.
   * @default {made from the data}
   */
  readonly caption?: string;
  /**
   * A text of yours below the chart, before its caption.
   * @default {none}
   */
  readonly note?: string;
  /**
   * The width of the chart in pixels, 320 to 4000.
   * @default {800}
   */
  readonly width?: number;
  /**
   * The height of each panel in pixels, 120 to 4000, of a chart whose height does not follow from its rows;
   * `plotComparison` sets its rows apart to fill it.
   * @default {by the chart}
   */
  readonly height?: number;
  /**
   * Unit of the values: `"usd"`, `"count"`, `"share"` (a fraction, written as %), `"change"` (a fraction,
   * written as % with its sign), or a text of yours that stands at the axis, such as `"EUR"`.
   * @default {that of the field, where the interface or our analysis has it; else none}
   */
  readonly unit?: string;
  /**
   * How values are written: options of `Intl.NumberFormat`, or a function of the value.
   * @default {short, all values of one kind with one precision}
   */
  readonly format?: NumberFormat;
  /**
   * The column that names what is drawn: lines, rows, points.
   * @default {the names, or ids, that tell them apart}
   */
  readonly label?: string;
  /**
   * The most lines, rows or points that are drawn; what is left over is put together where it adds up, and
   * counted in the caption.
   * @default {by the chart}
   */
  readonly limit?: number;
  /**
   * Ids or names: these keep their colors, all others are gray.
   * @default {none: all have colors}
   */
  readonly highlight?: readonly string[];
  /**
   * Colors by id or name, as `"#rrggbb"`. Without one, an id takes the next of twelve colors when it is first
   * drawn, and keeps it in every chart of the process.
   * @default {none}
   */
  readonly colors?: Readonly<Record<string, string>>;
  /**
   * `"light"`, `"dark"`, or `"auto"`: an SVG or HTML file follows the reader's system, an SVG inside of a page that
   * page, and others are light.
   * @default {"auto"}
   */
  readonly theme?: Theme;
  /**
   * The frame that knows where the data came from, when the frame you draw does not: the caption tells its
   * operation and date, and whether it is sample data.
   * @default {the frame that is drawn}
   */
  readonly source?: DataFrame;
  /**
   * The language of numbers and dates, as `Intl` names it; words stay English.
   * @default {"en-US"}
   */
  readonly locale?: string;
}

const aColor: Rule<string> = (value, refuse) =>
  typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value)
    ? value.toLowerCase()
    : refuse('must be colors, each as "#rrggbb"');

const colors: Rule<Record<string, string>> = (value, refuse) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
      Object.entries(value).map(([id, color]) => [id, aColor(color, refuse)]),
    )
    : refuse("must be an object of colors by id");

const aLocale: Rule<string> = (value, refuse) => {
  try {
    return Intl.getCanonicalLocales(value as string)[0] ?? refuse("must name a language");
  } catch {
    return refuse("must be a language as Intl names it, such as en-GB");
  }
};

const aFormat: Rule<NumberFormat> = (value, refuse) =>
  typeof value === "function" || (typeof value === "object" && value !== null)
    ? value as NumberFormat
    : refuse("must be options of Intl.NumberFormat, or a function");

const COMMON = {
  title: aText,
  subtitle: aText,
  caption: aText,
  note: aText,
  width: aNumber(320, 4000),
  height: aNumber(120, 4000),
  unit: aText,
  format: aFormat,
  label: aText,
  limit: aWhole(2, 1000),
  highlight: listOf(aText),
  colors,
  theme: oneOf(THEMES),
  source: aFrame,
  locale: aLocale,
} satisfies Rules;

/**
 * Whether a value axis is linear or logarithmic; `auto` decides by the data.
 *
 * @category Charts
 */
export const SCALES = ["auto", "linear", "log"] as const;

/**
 * How a value axis runs.
 *
 * @category Charts
 */
export type Scale = typeof SCALES[number];

/** The options of a chart, checked, with what most charts take where nothing is said. */
export type Settings<Own extends Rules = Rules> = Checked<typeof COMMON> & Checked<Own> & {
  readonly width: number;
  readonly theme: Theme;
  readonly locale: string;
};

/**
 * Checks the options of the function called `name`: those that every chart has, and its own. No options count as
 * none given, so that the message about a required one names it.
 *
 * @throws {RangeError} that names the option, its rule and its value.
 */
export function chartSettings<Own extends Rules>(
  name: string,
  options: object | undefined,
  own: Own,
): Settings<Own> {
  const checked = checkOptions(options === undefined ? {} : options, { ...COMMON, ...own }, name);
  return { width: 800, theme: "auto", locale: "en-US", ...checked } as Settings<Own>;
}

/** The options that name the columns a chart cannot do without. */
export function requireNames<Name extends string>(
  fn: string,
  settings: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Record<Name, string> {
  const missing = names.filter((name) => settings[name] === undefined);
  if (missing.length > 0) {
    const rule = missing.length === 1 ? "must name a column" : "must each name a column";
    throw new RangeError(`${fn}: ${missing.join(", ")}: ${rule}; got undefined`);
  }
  return settings as Record<Name, string>;
}
