import type { DataFrame } from "../../table/polars.ts";
import { fieldWords } from "../text/field_words.ts";
import { checkColumns } from "./check_columns.ts";
import type { Ranking } from "./ranking_view.ts";

/** How the chains of a comparison frame are ranked by the first of some fields. */
export function comparisonRanking(
  frame: DataFrame,
  fields: readonly string[],
  name: string,
): Ranking {
  const asker = { name, hint: "pass what blockchainComparison or rankBy gives" };
  if (fields.length === 0) throw new RangeError(`${name}: fields must name a column: []`);
  checkColumns(frame, ["chain_id", ...fields], asker);
  const words = fields.map(fieldWords);
  const { title } = words[0]!;
  const alone = words.length === 1;
  return {
    asker,
    names: ["chain_name", "chain_id"],
    noun: "chain",
    fields,
    words,
    by: 0,
    title: alone ? title : "Chains compared",
    subtitle: alone ? "Chains, largest first" : `Chains ranked by: ${title}`,
    notes: [],
  };
}
