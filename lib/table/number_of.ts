const NUMERIC = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The finite number that a value is, or that a numeric string stands for; undefined for all else. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && NUMERIC.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}
