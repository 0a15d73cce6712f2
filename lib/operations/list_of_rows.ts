/** The rows of a `data` that must be a list. */
export function listOfRows(data: unknown): readonly unknown[] | undefined {
  return Array.isArray(data) ? data : undefined;
}
