import type { Redirection } from "./envelope.ts";
import { type Errand, exchange, type Reply } from "./exchange.ts";
import { ResponseError } from "./errors.ts";
import type { Session } from "./session.ts";

/** The reply of an errand, and the paths that redirects led over. */
export interface RedirectedReply extends Reply {
  readonly renamed: readonly Redirection[];
}

/** What goes out at each step. */
interface Step {
  readonly url: URL;
  readonly method: string;
  readonly body: string | null;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const MOST_REDIRECTS = 5;
const LONGEST_LOCATION = 8_192;

function requestOf({ url, method, body }: Step, etag: string | null, token: string) {
  const headers = new Headers({ accept: "application/json", authorization: `Bearer ${token}` });
  if (etag !== null) headers.set("if-none-match", etag);
  if (body !== null) headers.set("content-type", "application/json");
  return (signal: AbortSignal) =>
    new Request(url, { method, headers, body, signal, redirect: "manual" });
}

type Refuse = (expected: string, got: string) => never;

/** Where a redirect leads: nowhere but within the origin, since the token goes along. */
function nextStep(step: Step, { status, headers }: Reply, refuse: Refuse): Step {
  const location = headers.get("location");
  if (location !== null && location.length > LONGEST_LOCATION) {
    return refuse(`to a URL of ${LONGEST_LOCATION} characters at most`, location);
  }
  const url = location === null ? null : URL.parse(location, step.url);
  if (url === null) return refuse("to a URL", location ?? "(no location)");
  // The origin of a blob: is that of the page which made it.
  const isWeb = url.protocol === step.url.protocol;
  if (!isWeb || url.origin !== step.url.origin) {
    const got = /^https?:$/.test(url.protocol) ? url.origin : url.href;
    return refuse("within the origin of baseUrl, where the token belongs", got);
  }
  url.username = url.password = url.hash = "";
  // Every operation only reads: a POST stays what it is, unless 303 says outright that a GET is meant.
  return status === 303 ? { url, method: "GET", body: null } : { ...step, url };
}

function renaming(from: URL, to: URL, { settings: { redact } }: Session): Redirection {
  const text = (url: URL) =>
    redact(from.search === to.search ? url.pathname : url.pathname + url.search);
  return { from: text(from), to: text(to) };
}

/**
 * Sends an errand's question once, and follows redirects within the origin, five at most.
 *
 * @throws {ResponseError} for a redirect that leads elsewhere, nowhere, or in a circle.
 */
export async function redirect(errand: Errand, session: Session): Promise<RedirectedReply> {
  const { question, etag, about, signals, waiting } = errand;
  const { redact, token } = session.settings;
  const body = question.body === null ? null : JSON.stringify(question.body);
  let step: Step = { url: new URL(errand.url), method: question.method, body };
  const renamed: Redirection[] = [];
  for (;;) {
    const reply = await exchange(requestOf(step, etag, token()), errand, session.settings);
    const { status } = reply;
    if (!REDIRECTS.includes(status)) return { ...reply, renamed };
    if (renamed.length === MOST_REDIRECTS) {
      throw new ResponseError(
        `${about.operation}: the service redirects more than ${MOST_REDIRECTS} times: ${
          renamed.map(({ to }) => to).join(", ")
        }`,
        { ...about, status, expected: `${MOST_REDIRECTS} redirects at most` },
      );
    }
    const next = nextStep(step, reply, (expected, location) => {
      const safe = redact(location);
      const got = safe.length > 200 ? `${safe.slice(0, 200)}…` : safe;
      throw new ResponseError(
        `${about.operation}: the service redirects (${status}), and that must be ${expected}: ${got}`,
        { ...about, status, expected, got },
      );
    });
    renamed.push(renaming(step.url, next.url, session));
    step = next;
    await session.pace.turn(signals.waits, waiting);
  }
}
