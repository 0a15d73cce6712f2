import { dtypeNames } from "../columns/dtypes.ts";
import type { DataFrame } from "../columns/polars.ts";
import { columnIn } from "../track/descriptions.ts";
import { counterOf, distinct } from "./numbered.ts";
import { candidatesOf, timesAsText } from "./entity_candidates.ts";
import { statementOf } from "../../platform/statement.ts";

const LONG_FORM = ["field", "row", "metric_id", "metric_aggregation_name", "aggregation"];

/** What is asked about the dates of a frame. */
interface Asked {
  readonly fn: string;
  readonly date?: string | undefined;
  readonly entity?: string | readonly string[] | undefined;
  readonly repeats?: boolean | "sums";
}

/** The times of a frame. */
export interface RowTimes {
  /** The date, the month of a cohort, and the field of a long table. */
  readonly times: readonly string[];
  /** Other columns of dates that vary, which were left out. */
  readonly dates: readonly string[];
}

/** Chooses the date among several columns of dates. */
function chosenOf(frame: DataFrame, names: readonly string[], { fn, repeats }: Asked) {
  const count = counterOf(frame);
  const size = (name: string) => count([name]);
  const varying = names.filter((name) => size(name) > 1);
  if (varying.length < 2) return { date: varying[0] ?? names[0], dates: [] };
  const all = candidatesOf(frame, names);
  // Columns that name rows make each date unique.
  const shared = all.filter((name) => size(name) < frame.height);
  const fitting =
    [shared, all].map((candidates) =>
      varying.filter((name) => count([...candidates, name]) === frame.height)
    ).find((some) => some.length > 0) ?? varying;
  const [best] = fitting.toSorted((a, b) => size(a) - size(b)) as [string];
  const crossing = fitting.find((name) => name !== best && count([name, best]) > size(name));
  if (crossing !== undefined && repeats !== true) {
    throw new RangeError(
      `${fn}: date: ${best} and ${crossing} can both be the date of a row; state one: ${
        statementOf({ date: best })
      }`,
    );
  }
  return { date: best, dates: varying.filter((name) => name !== best) };
}

/** Returns a column of texts that holds times, if rows repeat without it. */
function repeatedTimes(frame: DataFrame, entity: Asked["entity"]): string | undefined {
  const texts = timesAsText(frame);
  if (texts === undefined) return undefined;
  const columns = entity === undefined ? candidatesOf(frame, []) : [entity].flat();
  const known = columns.filter((name) => frame.columns.includes(name));
  return distinct(frame, known) < frame.height ? texts : undefined;
}

/** Returns whether a column was stated or found as the times of the rows. */
export function isKeyOfTime(frame: DataFrame, name: string): boolean {
  const column = columnIn(frame, name);
  return column?.role === "time" && column.key !== undefined;
}

/** Finds the columns that tell the rows of an entity apart. */
export function timesOf(frame: DataFrame, asked: Asked): RowTimes {
  const { columns } = frame;
  const dtypeOf = new Map(dtypeNames(frame).map((dtype, at) => [columns[at]!, dtype]));
  const has = (dtype: RegExp) => (name: string) => dtype.test(dtypeOf.get(name) ?? "");
  const long = LONG_FORM.filter((name) =>
    has(/^(String|Cat|Enum)/)(name) && columnIn(frame, name)?.role === "id"
  );
  const known = asked.date ?? columns.find((name) => isKeyOfTime(frame, name)) ??
    ["date", "cohort", "cohort_date"].find((name) => columns.includes(name));
  const { date, dates } = known !== undefined ? { date: known, dates: [] } : chosenOf(
    frame,
    columns.filter((name) => has(/^Date/)(name) && name !== "until"),
    asked,
  );
  const month = ["month"].filter((name) =>
    (date === undefined || date.startsWith("cohort")) &&
    (has(/Int|Float/)(name) || columnIn(frame, name)?.role === "time")
  );
  const others = [...month, ...long];
  const first = date ?? (others.length > 0 ? undefined : repeatedTimes(frame, asked.entity));
  return { times: [...first === undefined ? [] : [first], ...others], dates };
}
