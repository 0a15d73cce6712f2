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

/** Returns the number of values of a column, or of the entities of each date if there is no such column. */
function entitiesIn(frame: DataFrame, column: string): number {
  if (frame.columns.includes(column)) return frame.getColumn(column).nUnique();
  const times = frame.columns.includes("date") ? frame.getColumn("date").nUnique() : frame.height;
  return Math.ceil(frame.height / Math.max(1, times));
}

/**
 * Returns the frame.
 *
 * @param analysis a name of the table of sizes
 * @param column the column of the entities that are compared
 * @throws {RangeError} when the analysis of the frame would take more than 5 seconds.
 */
export function withinSize(analysis: string, frame: DataFrame, column: string): DataFrame {
  const { of, most } = SIZES[analysis]!;
  const entities = entitiesIn(frame, column);
  const size = of === "rows" ? frame.height : frame.height * entities;
  if (size <= most) return frame;
  throw new RangeError(
    `${analysis}: ${frame.height} rows of ${entities} entities take longer than 5 s; ${of} must be at most ` +
      `${most}. Narrow project_ids, chain_ids or market_sector_ids, or request longer or fewer periods`,
  );
}
