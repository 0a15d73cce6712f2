import type { Refuse } from "./rule.ts";

/** Checks the name of a response field. The interface lists no allowed values, so any name passes. */
export function fieldName(value: unknown, refuse: Refuse): string {
  return typeof value === "string" && value !== "" ? value : refuse("must name a response field");
}
