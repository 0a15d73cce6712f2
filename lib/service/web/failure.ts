/** One thing that is wrong with a request. */
export interface FailureItem {
  readonly code: string;
  /** The parameter, body field or header that it is about; empty for the request as a whole. */
  readonly field: string;
  /** What was sent there; empty when it is a secret or nothing was sent. */
  readonly value: string;
}

/** The answer to a failed request. */
export interface FailureBody {
  readonly message: string;
  readonly errors: readonly FailureItem[];
}

/** A request that cannot be answered: becomes a JSON answer of that status. */
export class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    readonly status: number,
    message: string,
    readonly errors: readonly FailureItem[],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** A failure that is about one thing. */
export function failure(
  status: number,
  code: string,
  message: string,
  about: { field?: string; value?: string; headers?: Readonly<Record<string, string>> } = {},
): Failure {
  const { field = "", value = "", headers = {} } = about;
  return new Failure(status, message, [{ code, field, value }], headers);
}
