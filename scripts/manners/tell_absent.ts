import type { DataFrame } from "../../mod.ts";
import { tell } from "./tell.ts";

/**
 * Says on stderr which of the ids that were asked for the answer of a dataset does not hold: the
 * interface reports unknown entities to two operations only, and leaves them out in silence elsewhere.
 */
export function tellAbsent(frame: DataFrame, query: Readonly<Record<string, unknown>>): void {
  if (query.limit !== undefined) return;
  for (const [field, asked] of Object.entries(query)) {
    const column = field.replace(/s$/, "");
    if (!Array.isArray(asked) || !frame.columns.includes(column)) continue;
    const there = new Set(frame.getColumn(column).toArray());
    const absent = [...new Set(asked)].filter((id) => !there.has(id));
    if (absent.length === 0) continue;
    const more = absent.length > 5 ? `, and ${absent.length - 5} more` : "";
    tell(`no rows for ${field} ${absent.slice(0, 5).join(", ")}${more}`);
  }
}
