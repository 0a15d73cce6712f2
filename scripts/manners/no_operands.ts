import type { Arguments } from "./read_arguments.ts";
import { UsageError } from "./usage_error.ts";

/** Refuses words that are no options, of a script that takes none. */
export function noOperands({ operands }: Arguments): void {
  if (operands.length === 0) return;
  throw new UsageError(`takes options only, and got ${operands.join(" ")}; --help lists them`);
}
