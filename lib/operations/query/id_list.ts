import type { Refuse } from "./rule.ts";

/** Checks one id: ids travel comma separated, so a comma would make two of one. */
export function id(value: unknown, refuse: Refuse): string {
  if (typeof value !== "string" || value === "" || !value.isWellFormed()) {
    return refuse("an id must be a text that is not empty");
  }
  if (value.includes(",")) return refuse("an id must hold no comma");
  return value;
}

/** Checks a list of ids. Each is sent once. An empty list would select everything, so it is refused. */
export function idList(value: unknown, refuse: Refuse): string[] {
  if (!Array.isArray(value)) return refuse("must be a list of ids");
  if (value.length === 0) return refuse("must hold an id; leave it out to select all");
  return [...new Set(value.map((element) => id(element, refuse)))];
}
