/** The script was asked wrongly: it says how to ask, and ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
