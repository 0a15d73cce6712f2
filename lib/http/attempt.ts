import { NetworkError } from "./errors/network_error.ts";
import type { ErrorContext } from "./errors/chainframe_error.ts";
import { TimeoutError } from "./errors/timeout_error.ts";
import type { Settings } from "./settings.ts";

/** What one attempt brought. */
export interface Attempt {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Sends a request once and reads its answer to the last byte, within the connection's timeout.
 *
 * @throws {TimeoutError} when the answer is not whole in time.
 * @throws {NetworkError} when the connection could not be made, or broke.
 */
export async function attempt(
  request: Request,
  settings: Settings,
  context: ErrorContext,
): Promise<Attempt> {
  const timeout = AbortSignal.timeout(settings.timeout);
  const signal = settings.signal === null ? timeout : AbortSignal.any([timeout, settings.signal]);
  try {
    const response = await settings.fetch(new Request(request, { signal }));
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  } catch (cause) {
    settings.signal?.throwIfAborted();
    if (timeout.aborted) {
      throw new TimeoutError(
        `${context.operation}: no whole answer within ${settings.timeout} ms: ${context.url}`,
        { ...context, cause },
      );
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NetworkError(`${context.operation}: the connection failed: ${reason}`, {
      ...context,
      cause,
    });
  }
}
