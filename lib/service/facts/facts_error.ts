/** The facts are not right: each problem names its file, row and column. Nothing was built. */
export class FactsError extends Error {
  /** The name of the class. */
  override readonly name = "FactsError";
  /** Makes the error of some problems: one sentence each, in the order of the files. */
  constructor(readonly problems: readonly string[]) {
    super(`Cannot build from these facts:\n${problems.join("\n")}`);
  }
}
