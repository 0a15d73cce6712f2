import type { ConnectOptions } from "../../lib/http/settings.ts";
import type { Connection } from "../../lib/http/connect.ts";
import { openConnection } from "../../lib/http/connect.ts";
import { type ManualClock, manualClock } from "./manual_clock.ts";

/** A connection to a service that is a function, on a clock that leaps. */
export interface Playing {
  readonly connection: Connection;
  readonly clock: ManualClock;
  /** When each request was sent, in milliseconds, and its method, path and query. */
  readonly sent: readonly [number, string][];
}

/** A response in short: a status, a body with status 200, or both with headers. */
export type Play = (request: Request, count: number) => Response | Promise<Response>;

/** Connects to a service that plays. */
export function playing(
  play: Play,
  options: ConnectOptions = {},
  clock: ManualClock = manualClock(),
): Playing {
  const sent: [number, string][] = [];
  const fetch = async (request: Request) => {
    sent.push([
      clock.elapsed(),
      `${request.method} ${request.url.slice("http://127.0.0.1:9".length)}`,
    ]);
    return await play(request, sent.length);
  };
  const connection = openConnection(
    { baseUrl: "http://127.0.0.1:9", token: "s3cret-token", fetch, ...options },
    clock,
  );
  return { connection, clock, sent };
}

/** A response with this data. */
export function data(data: unknown, headers: Record<string, string> = {}): Response {
  return Response.json({ data }, { headers });
}

/** A failed response. */
export function failed(status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ message: "because" }, { status, headers });
}
