import { sampleSnapshot, type Snapshot } from "./snapshot.ts";
import { createApp } from "./web/app.ts";
import type { RequestState } from "./web/env.ts";
import type { RateLimit } from "./web/rate_limit.ts";

/** How the service is set up. */
export interface ServiceOptions {
  /**
   * The tokens that are let in, one at least.
   * @default a random one, which the service hands back
   */
  tokens?: readonly string[];
  /**
   * How many requests each token may make.
   * @default no limit
   */
  rateLimit?: RateLimit;
  /**
   * The clock, in milliseconds.
   * @default Date.now
   */
  now?: () => number;
}

/** The service: a function from Request to Response. */
export interface Service {
  /** Answers a request; it never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The tokens that are let in. */
  readonly tokens: readonly string[];
  /** Lets go of the data; requests under way should have ended. */
  close(): Promise<void>;
}

function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function checkTokens(tokens: readonly string[]): readonly string[] {
  if (tokens.length === 0) throw new TypeError("Cannot create a service without a token: got []");
  const bad = tokens.findIndex((token) => !/^[A-Za-z0-9\-._~+/]+=*$/.test(token));
  if (bad >= 0) {
    throw new TypeError(
      `Cannot create a service: token ${bad + 1} of ${tokens.length} is no bearer token ` +
        "(letters, digits and -._~+/ only)",
    );
  }
  return [...tokens];
}

/**
 * Makes the reference service: the six operations over sample data in memory, with invented names.
 *
 * @throws {TypeError} for a list of tokens that is empty or holds text that is no bearer token.
 */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  const { tokens = [randomToken()], rateLimit, now } = options;
  const checked = checkTokens(tokens);
  const app = createApp({ tokens: checked, rateLimit, now });
  const snapshot: Snapshot = await sampleSnapshot();
  return {
    async fetch(request) {
      const state: RequestState = { snapshot, rows: null };
      return await app.fetch(request, state);
    },
    tokens: checked,
    close() {
      snapshot.database.close();
      return Promise.resolve();
    },
  };
}
