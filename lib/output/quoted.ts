// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
/** The one door to the standard library's CSV writer. */
import { stringify } from "npm:deno-std@1.4.0/csv/stringify.js";

/** A text as a quoted CSV cell. */
export function quoted(text: string): string {
  // It quotes what holds the separator, and every text holds the empty one. The line ends with \r\n.
  return stringify([[text]], { headers: false, separator: "" }).slice(0, -2);
}
