import type { ExcerptColumn } from "../table/show/excerpt.ts";
import { titleIn } from "../table/track/descriptions.ts";
import { idsIn } from "../table/read/names.ts";
import type { DataFrame } from "../table/columns/polars.ts";

/** Returns the title of a column with its unit, for readers: `Ecosystem fees over 30 days, US$`. */
export function columnHead(frame: DataFrame, { name, named, unitLine }: ExcerptColumn): string {
  if (named) return titleIn(frame, idsIn(frame, name)!).replace(/ id$/, "");
  const title = titleIn(frame, name);
  return title.toLowerCase().includes(unitLine.toLowerCase()) ? title : `${title}, ${unitLine}`;
}
