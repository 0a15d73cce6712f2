import type { Refuse } from "./rule.ts";

/** Checks a whole number above zero. */
export function positiveInteger(value: unknown, refuse: Refuse): string {
  if (!Number.isSafeInteger(value) || Number(value) < 1) {
    return refuse("must be a whole number above 0");
  }
  return String(value);
}
