import type { Arguments } from "./read_arguments.ts";
import { UsageError } from "./usage_error.ts";

/** The value of an option that must be given. */
export function required(given: Arguments, option: string): string {
  const value = given.one(option);
  if (value === undefined) throw new UsageError(`--${option}: is required; --help says for what`);
  return value;
}
