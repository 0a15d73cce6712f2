import { aLocale } from "../platform/locale.ts";
import {
  type Checked,
  checkOptions,
  integer,
  listOf,
  oneOf,
  pixels,
  type Rule,
  type Rules,
  string,
} from "../platform/check_options.ts";
import { shown } from "../platform/terminal.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { aFrame } from "../table/read/requirements.ts";
import { type Theme, THEMES } from "./chart.ts";
import type { NumberFormat } from "./numbers.ts";

/**
 * A color as `"#rrggbb"`, in both themes, or a color for each theme.
 *
 * @category Charts
 */
export type Color = string | { readonly light: string; readonly dark: string };

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
   * Your notes below the chart. These notes replace the generated notes, such as a note on missing values. The line
   * with the source remains.
   * @default {made from the data}
   */
  readonly caption?: string;
  /**
   * Your text below the chart, before the other notes.
   * @default {none}
   */
  readonly note?: string;
  /**
   * The width of the chart in pixels, 320 to 4000.
   * @default {800}
   */
  readonly width?: number;
  /**
   * The height of each panel in pixels, 120 to 4000, for charts whose height does not depend on the number of rows. In
   * `plotComparison`, the height determines the distance between rows.
   * @default {depends on the chart}
   */
  readonly height?: number;
  /**
   * Unit of the values: `"usd"`, `"count"`, `"fraction"` (a part of a whole, written as a percentage), `"change"` (a fraction,
   * written as a percentage with its sign), or your own axis label, such as `"EUR"`.
   * @default {the unit of the field, if the API or the analysis defines it; else none}
   */
  readonly unit?: string;
  /**
   * The format of the values: options of `Intl.NumberFormat`, or a function that formats a value.
   * @default {short numbers; all values of one kind have the same precision}
   */
  readonly format?: Intl.NumberFormatOptions | ((value: number) => string);
  /**
   * The column that names the lines, rows or points.
   * @default {the names or ids that distinguish them}
   */
  readonly label?: string;
  /**
   * The maximum number of lines, rows or points. If the values can be added, all other lines, rows or points are
   * combined into one, which is not counted. The caption states how many are drawn.
   * @default {depends on the chart}
   */
  readonly limit?: number;
  /**
   * The ids or names of the groups that keep their colors. All other groups are gray.
   * @default {none: all keep their colors}
   */
  readonly highlight?: readonly string[];
  /**
   * Colors by id or name, as `"#rrggbb"`, which are drawn as given in both themes, or as `{ light, dark }`. The ids can
   * stand below their column: `{ chain_id: { base: "#0052ff" } }`. Other ids have the color that `colorOf` returns, or
   * another one if two ids of the chart have the same.
   * @default {none}
   */
  readonly colors?: Readonly<Record<string, Color | Readonly<Record<string, Color>>>>;
  /**
   * `"light"`, `"dark"`, or `"auto"`. With `"auto"`, the theme of SVG and HTML files depends on the reader's system. An
   * SVG within a page has the theme of the page. Other formats are light.
   * @default {"auto"}
   */
  readonly theme?: "auto" | "light" | "dark";
  /**
   * The frame that records the source of the data, if the drawn frame has no source. The caption then states the
   * operation and the date of this frame, and whether its data are sample data.
   * @default {the frame that is drawn}
   */
  readonly source?: DataFrame;
  /**
   * The language of numbers and dates, as a locale of `Intl`. All other texts are in English.
   * @default {"en-US"}
   */
  readonly locale?: string;
}

const isColor = (value: unknown): value is string =>
  typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value);

/** A color of both themes. */
interface ColorPair {
  readonly light: string;
  readonly dark: string;
}

const aColor: Rule<ColorPair> = (value, refuse) => {
  const { light, dark } = isColor(value) ? { light: value, dark: value } : Object(value);
  return isColor(light) && isColor(dark)
    ? { light: light.toLowerCase(), dark: dark.toLowerCase() }
    : refuse('must be colors, each as "#rrggbb" or { light: "#rrggbb", dark: "#rrggbb" }');
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads colors by id, or by the column of the ids and id, as `setColors` has them. */
const colors: Rule<Record<string, ColorPair>> = (value, refuse) => {
  if (!isRecord(value)) return refuse("must be an object of colors by id");
  const isPair = (each: object) => Object.keys(each).every((key) => /^(?:light|dark)$/.test(key));
  const byId = Object.entries(value).flatMap(([id, color]) =>
    isRecord(color) && !isPair(color) ? Object.entries(color) : [[id, color] as const]
  );
  return Object.fromEntries(byId.map(([id, color]) => [id, aColor(color, refuse)]));
};

const aFormat: Rule<NumberFormat> = (value, refuse) => {
  if (typeof value === "function") {
    return (each) => {
      const text = value(each);
      return typeof text === "string" ? text : refuse(`must return a text, not ${shown(text)}`);
    };
  }
  return typeof value === "object" && value !== null
    ? value as Intl.NumberFormatOptions
    : refuse("must be options of Intl.NumberFormat, or a function");
};

const COMMON = {
  title: string,
  subtitle: string,
  caption: string,
  note: string,
  width: pixels(320, 4000),
  height: pixels(120, 4000),
  unit: string,
  format: aFormat,
  label: string,
  limit: integer(1, 1000),
  highlight: listOf(string),
  colors,
  theme: oneOf(THEMES),
  source: aFrame,
  locale: aLocale,
} satisfies Rules;

/** The scales of a value axis. With `auto`, the data determine whether the axis is linear or logarithmic. */
export const SCALES = ["auto", "linear", "log"] as const;

/** The checked options of a chart, with the defaults of most charts. */
export type Settings<Own extends Rules = Rules> =
  & Omit<Checked<typeof COMMON>, "colors">
  & Checked<Own>
  & {
    /** The given colors in the light theme, by id or name. */
    readonly colors?: Readonly<Record<string, string>> | undefined;
    /** The given colors of the dark theme, by color of the light theme. */
    readonly dark?: Readonly<Record<string, string>>;
    /** The name of the function, for messages, and the options that it was given. */
    readonly fn: string;
    readonly given: object | undefined;
    readonly width: number;
    readonly theme: Theme;
    readonly locale: string;
  };

/**
 * Checks the options of the function `name`: the options of every chart, and the function's own options.
 *
 * @throws {RangeError} when an option is invalid. The message contains the option, its rule and its value.
 */
export function chartSettings<Own extends Rules>(
  name: string,
  options: object | undefined,
  own?: Own,
): Settings<Own> {
  const { colors, ...checked } = checkOptions(options, { ...COMMON, ...own }, name) as
    & Checked<typeof COMMON>
    & Checked<Own>;
  const pairs = Object.entries(colors ?? {});
  const given = colors === undefined ? {} : {
    colors: Object.fromEntries(pairs.map(([id, { light }]) => [id, light])),
    dark: Object.fromEntries(pairs.map(([, { light, dark }]) => [light, dark])),
  };
  const made = { fn: name, given: options, width: 800, theme: "auto", locale: "en-US" };
  return { ...made, ...checked, ...given } as unknown as Settings<Own>;
}
