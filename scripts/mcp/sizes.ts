import type { DataFrame } from "../../mod.ts";

/** What makes an analysis long, and how much of it takes 5 seconds: rows, or rows times entities. */
interface Size {
  readonly of: "rows" | "rows times entities";
  readonly most: number;
}

/**
 * The largest sizes. A call cannot be canceled while it computes. Measured on two busy cores: panels of 50 to 2 000
 * entities and 100 to 300 days, cohorts of 100 to 1 000 projects.
 */
const SIZES: Readonly<Record<string, Size>> = {
  pooledRetention: { of: "rows", most: 400_000 },
  compareRetention: { of: "rows times entities", most: 30_000_000 },
  counterfactual: { of: "rows times entities", most: 10_000_000 },
  "counterfactual by sdid": { of: "rows times entities", most: 800_000 },
  eventStudy: { of: "rows", most: 300_000 },
};

const variantOf = (dtype: unknown) => (dtype as { readonly variant: string }).variant;

/**
 * Returns the number of entities: the distinct rows of these columns. Without such columns, the rows of each date, or the
 * distinct values of the text column that has most of them: a step can rename or drop columns.
 */
function entitiesIn(frame: DataFrame, columns: readonly string[]): number {
  const known = columns.filter((name) => frame.columns.includes(name));
  const distinct = (names: readonly string[]) => frame.select(...names).unique().height;
  if (known.length > 0) return distinct(known);
  const named = (is: RegExp) =>
    frame.columns.filter((_, at) => is.test(variantOf(frame.dtypes[at])));
  const [date] = named(/^Date/);
  if (date !== undefined) return Math.ceil(frame.height / Math.max(1, distinct([date])));
  return Math.max(1, ...named(/^(?:String|Utf8)$/).map((name) => distinct([name])));
}

/**
 * Returns the frame.
 *
 * @param analysis a name of the table of sizes
 * @param columns the columns of the entities that are compared
 * @throws {RangeError} when the analysis of the frame would take more than 5 seconds.
 */
export function withinSize(
  analysis: string,
  frame: DataFrame,
  columns: readonly string[],
): DataFrame {
  const { of, most } = SIZES[analysis]!;
  const entities = entitiesIn(frame, columns);
  const size = of === "rows" ? frame.height : frame.height * entities;
  if (size <= most) return frame;
  throw new RangeError(
    `${analysis}: ${frame.height} rows of ${entities} entities take longer than 5 s; ${of} must be at most ` +
      `${most}. Narrow project_ids, chain_ids or market_sector_ids, or request longer or fewer periods`,
  );
}
