import type { DataFrame } from "../../mod.ts";

/**
 * The most rows times entities that an analysis gets. A call cannot be canceled while it computes, so these are sizes
 * of 5 seconds, measured on two cores.
 */
const MOST: Readonly<Record<string, number>> = {
  pooledRetention: 1e9,
  compareRetention: 1e9,
  counterfactual: 1e9,
  eventStudy: 1e9,
};

/** Returns the number of entities of a panel or of retention curves. */
function entitiesIn(frame: DataFrame): number {
  const times = frame.columns.includes("date") ? frame.getColumn("date").nUnique() : 0;
  return times > 0 ? Math.ceil(frame.height / times) : frame.getColumn("project_id").nUnique();
}

/**
 * Returns the frame.
 *
 * @throws {RangeError} when the analysis `fn` of the frame would take more than five seconds.
 */
export function withinSize(fn: string, frame: DataFrame): DataFrame {
  if (frame.height === 0) return frame;
  const entities = entitiesIn(frame);
  const most = MOST[fn]!;
  if (frame.height * entities <= most) return frame;
  throw new RangeError(
    `${fn}: ${frame.height} rows of ${entities} entities take longer than 5 s; rows times entities must be at most ${most}. Request fewer entities by project_ids, chain_ids or market_sector_ids, or longer periods`,
  );
}
