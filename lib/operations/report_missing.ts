import { NotFoundError } from "../http/errors/not_found_error.ts";
import { notify } from "../http/notify.ts";
import type { DataFrame } from "../table/polars.ts";
import type { Answered } from "./answered.ts";
import { nearestKnown } from "./known_ids.ts";

/**
 * Warns of entities that were not found, as the connection says.
 *
 * @throws {NotFoundError} with `onMissing: "throw"`; it carries the error frame.
 */
export function reportMissing(
  { operation, connection }: Answered,
  errors: DataFrame,
  url: string,
): void {
  if (errors.height === 0 || connection.onMissing === "ignore") return;
  const rows = errors.head(5).toRecords() as { code: string; field: string; value: string }[];
  const list = rows.map(({ code, field, value }) => {
    const nearest = nearestKnown(connection, field, value);
    const notes = [
      code === "NOT_FOUND" ? "" : ` (${code})`,
      nearest ? ` (nearest: ${nearest})` : "",
    ];
    return `${field} ${value}${notes.join("")}`;
  });
  if (errors.height > rows.length) list.push(`and ${errors.height - rows.length} more`);
  const told = `${operation}: not found: ${list.join(", ")}`;
  if (connection.onMissing === "throw") throw new NotFoundError(told, { operation, url, errors });
  notify(`${told}; errorsOf(frame) lists them`);
}
