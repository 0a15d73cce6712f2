// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import { closestString } from "npm:deno-std@1.4.0/text/closest_string.js";
import { terminalText } from "./terminal_text.ts";

/** The one door to the standard library's text comparison. */

/** The known name that is nearest to a name; undefined when none is known. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const known = [...names];
  return known.length === 0 ? undefined : closestString(name, known);
}

/** A longer list of names would hide the nearest. */
const MOST_LISTED = 20;

/** The one wording for a value that is none of the words there are: all of them, or of many the nearest. */
export function mustBeOneOf(names: readonly string[], value: unknown): string {
  const near = typeof value === "string" && value !== "" ? nearest(value, names) : undefined;
  const hint = near === undefined ? "" : ` (nearest: ${near})`;
  return names.length > MOST_LISTED
    ? `must be one of ${names.length} names${hint}`
    : `must be one of ${names.join(", ")}${hint}`;
}

/** The one wording for a name that is none of those there are. */
export function didYouMean(name: string, names: readonly string[]): string {
  const hint = names.length === 0 ? "there is none" : `did you mean ${nearest(name, names)}?`;
  const rest = names.length > 1 && names.length <= MOST_LISTED ? ` known: ${names.join(", ")}` : "";
  return `${terminalText(name)}: ${hint}${rest}`;
}
