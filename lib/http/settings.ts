import type { Clock } from "./clock.ts";
import type { CacheOptions, Fetch, OnMissing, Progress } from "./connect_options.ts";
import type { Redact } from "./redact.ts";

/** Who answers a connection: a service somewhere, or the embedded one on sample data. */
export type Target = "service" | "sample";

/** The options of a connection, checked and complete. */
export interface Settings {
  readonly target: Target;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** A function, so that no print of the settings shows it. */
  readonly token: () => string;
  /** Takes the token out of a text. */
  readonly redact: Redact;
  readonly fetch: Fetch;
  readonly requestsPerMinute: number;
  readonly concurrency: number;
  readonly timeout: number;
  readonly deadline: number;
  readonly retries: number;
  readonly maxRetryAfter: number;
  readonly maxUrlLength: number;
  readonly cache: Required<CacheOptions> | null;
  readonly onMissing: OnMissing;
  readonly signal: AbortSignal | null;
  readonly clock: Clock;
  readonly onProgress: ((progress: Progress) => void) | null;
}
