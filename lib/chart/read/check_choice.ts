import type { Asker } from "./check_columns.ts";

/**
 * Checks an option that has a closed list of values.
 *
 * @throws {RangeError} that names the option, the value and what is allowed.
 */
export function checkChoice<T extends string>(
  asker: Asker,
  option: string,
  value: string,
  allowed: readonly T[],
): asserts value is T {
  if ((allowed as readonly string[]).includes(value)) return;
  throw new RangeError(
    `${asker.name}: ${option} must be ${
      allowed.map((name) => `"${name}"`).join(" or ")
    }: "${value}"`,
  );
}
