import type { Redirection } from "./envelope.ts";
import { attempt, type Reply } from "./exchange.ts";
import { type ErrorContext, ResponseError } from "./errors.ts";
import type { Session } from "./connection.ts";
import type { Waiting } from "./pace.ts";
import type { Question } from "./question.ts";

/** What a question brought, and the paths that redirects led over. */
export interface FollowedReply extends Reply {
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

function requestOf(
  step: Step,
  etag: string | null,
  { settings }: Session,
  signal: AbortSignal,
): Request {
  const headers = new Headers({
    accept: "application/json",
    authorization: `Bearer ${settings.token()}`,
  });
  if (etag !== null) headers.set("if-none-match", etag);
  if (step.body !== null) headers.set("content-type", "application/json");
  const { method, body } = step;
  return new Request(step.url, { method, headers, body, signal, redirect: "manual" });
}

/** Where a redirect leads: nowhere but within the origin, since the token goes along. */
function nextStep(step: Step, reply: Reply, { settings }: Session, context: ErrorContext): Step {
  const { redact, baseUrl } = settings;
  const refuse = (expected: string, got: string): never => {
    throw new ResponseError(
      `${context.operation}: the service redirects (${reply.status}), and that must be ${expected}: ${
        redact(got)
      }`,
      { ...context, status: reply.status, expected, got: redact(got) },
    );
  };
  const location = reply.headers.get("location");
  const url = location === null ? null : URL.parse(location, step.url);
  if (url === null) return refuse("to a URL", location ?? "(no location)");
  if (url.origin !== new URL(baseUrl).origin) {
    return refuse("within the origin of baseUrl, where the token belongs", url.origin);
  }
  url.username = url.password = url.hash = "";
  // Every operation only reads: a POST stays what it is, unless 303 says outright that a GET is meant.
  return reply.status === 303 ? { url, method: "GET", body: null } : { ...step, url };
}

function renaming(from: URL, to: URL, { settings: { redact } }: Session): Redirection {
  const text = (url: URL) =>
    redact(from.search === to.search ? url.pathname : url.pathname + url.search);
  return { from: text(from), to: text(to) };
}

/**
 * Sends a question once, and follows redirects within the origin, five at most.
 *
 * @throws {ResponseError} for a redirect that leads elsewhere, nowhere, or in a circle.
 */
export async function follow(
  question: Question,
  url: string,
  etag: string | null,
  session: Session,
  signals: { readonly waits: AbortSignal; readonly sends: AbortSignal },
  waiting: Waiting,
  context: ErrorContext,
): Promise<FollowedReply> {
  const body = question.body === null ? null : JSON.stringify(question.body);
  let step: Step = { url: new URL(url), method: question.method, body };
  const renamed: Redirection[] = [];
  for (;;) {
    const current = step;
    const reply = await attempt(
      (signal) => requestOf(current, etag, session, signal),
      session.settings,
      signals.sends,
      context,
    );
    if (!REDIRECTS.includes(reply.status)) return { ...reply, renamed };
    if (renamed.length === MOST_REDIRECTS) {
      throw new ResponseError(
        `${context.operation}: the service redirects more than ${MOST_REDIRECTS} times: ${
          renamed.map(({ to }) => to).join(", ")
        }`,
        { ...context, status: reply.status, expected: `${MOST_REDIRECTS} redirects at most` },
      );
    }
    step = nextStep(step, reply, session, context);
    renamed.push(renaming(current.url, step.url, session));
    await session.pace.turn(signals.waits, waiting);
  }
}
