import { connect } from "../../lib/http/connect.ts";
import type { Connection } from "../../lib/http/connect.ts";
import type { ConnectOptions } from "../../lib/http/settings.ts";

/** The sent requests. */
export interface Sent {
  readonly method: string;
  /** Path and query, as they were encoded. */
  readonly path: string;
  readonly body: unknown;
}

/** A connection that answers every request with one body, or one per path, and keeps what was sent. */
export function answering(
  answer: unknown | ((path: string) => Response),
  options: ConnectOptions = {},
): { connection: Connection; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch = async (request: Request) => {
    const path = request.url.slice("http://127.0.0.1:9".length);
    const text = await request.text();
    sent.push({ method: request.method, path, body: text === "" ? null : JSON.parse(text) });
    return typeof answer === "function" ? answer(path) : Response.json(answer);
  };
  const connection = connect({
    baseUrl: "http://127.0.0.1:9",
    token: "t0ken",
    onMissing: "ignore",
    fetch,
    ...options,
  });
  return { connection, sent };
}

/** Answers one path each, and 404 for the rest. */
export function byPath(answers: Readonly<Record<string, unknown>>): (path: string) => Response {
  return (path) =>
    Object.hasOwn(answers, path)
      ? Response.json(answers[path])
      : Response.json({ message: `no ${path}` }, { status: 404 });
}
