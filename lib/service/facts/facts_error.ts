/** The facts are not right: each problem names its file, row and column. Nothing was built. */
export class FactsError extends Error {
  override readonly name = "FactsError";
  constructor(
    /** What is wrong, one sentence each, in the order of the files. */
    readonly problems: readonly string[],
  ) {
    super(`Cannot build from these facts:\n${problems.join("\n")}`);
  }
}
