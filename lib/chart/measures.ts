import { currencyOf } from "../schema/dictionary.ts";
import { columnIn, isPerDay, titleIn } from "../table/track/descriptions.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import type { NumberUnit } from "./numbers.ts";
import { bareTitle, inSentence } from "./words.ts";

/** The title, unit and axis label of a numeric column in a chart. */
export interface Measure {
  /** The text of a heading: `Ecosystem fees over 30 days`. */
  readonly title: string;
  readonly unit: NumberUnit;
  /** The unit on an axis. Empty if ticks have the unit, as in `$2M` or `40%`. */
  readonly axis: string;
  /** Whether values of several entities can be added. */
  readonly additive: boolean;
}

type Style = Pick<Measure, "unit" | "axis">;

/** The units that have a format of their own. Any other text is used as the axis label. */
const STYLES: Readonly<Record<string, Style>> = {
  usd: { unit: "usd", axis: "" },
  fraction: { unit: "fraction", axis: "" },
  change: { unit: "change", axis: "" },
  percent: { unit: "count", axis: "%" },
  count: { unit: "count", axis: "" },
  statistic: { unit: "count", axis: "" },
  retention: { unit: "count", axis: "" },
};

/** Names the column of which a column was made: `fees`. Null if that is not known. */
export function wholeOf(frame: DataFrame, field: string): string | null {
  const [part] = columnIn(frame, field)?.of ?? [];
  return part === undefined ? null : inSentence(bareTitle(part.title));
}

/** The end of titles of values per day of their periods. */
const A_DAY = ", a day";

/** The titles of columns that need the column of which they were made. */
const PARTS: Readonly<Record<string, (whole: string) => string>> = {
  Share: (whole) => `Share of ${whole}`,
  Change: (whole) => `Change of ${whole}`,
  Contribution: (whole) => `Contribution to the growth of ${whole}`,
  Total: (whole) => `Total of ${whole}`,
};

/**
 * Returns the title and the unit of a numeric column, and whether its values can be added. The values of an unknown
 * column are plain numbers that cannot be added. `every` is the length of a period, for titles such as `Fees per
 * month`. `as` is the column whose unit counts, if `field` is only named in the frame.
 */
export function measureOf(
  frame: DataFrame,
  field: string,
  { unit, every = null, as = field }: {
    readonly unit?: string | undefined;
    readonly every?: string | null;
    readonly as?: string;
  } = {},
): Measure {
  const column = columnIn(frame, as);
  const kind = unit ?? column?.unit ?? currencyOf(field) ?? "count";
  const [own, whole] = [titleIn(frame, field), wholeOf(frame, field)];
  // The total of a row that is made of several columns is not that of one of them.
  const isPart = own !== "Total" || columnIn(frame, field)?.of?.length === 1;
  const named = whole !== null && isPart && Object.hasOwn(PARTS, own) ? PARTS[own]!(whole) : own;
  const title = named + (isPerDay(column) ? A_DAY : "");
  // A unit that the title has is not written beside each value.
  const said = title.toLowerCase().includes(kind) ? "count" : kind;
  const style = Object.hasOwn(STYLES, kind) ? STYLES[kind]! : { unit: said, axis: kind };
  return {
    title: every === null ? title : title.replace(/, sum(?=,|$)/, ` per ${every}`),
    additive: (column?.adds ?? "none") !== "none",
    ...style,
  };
}

/** Returns the axis label of a measure: its title, followed by its unit unless the title contains the unit. */
export function axisName({ title, axis }: Measure): string {
  return axis === "" || title.toLowerCase().includes(axis) ? title : `${title}, ${axis}`;
}
