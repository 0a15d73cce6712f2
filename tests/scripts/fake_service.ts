import type { Operation } from "../../lib/schema/vocabulary.ts";

/** A request that a fake service got. */
export interface Got {
  readonly method: string;
  /** Path and query, as they were encoded. */
  readonly path: string;
  readonly body: unknown;
  readonly authorization: string | null;
}

/** A service on loopback with responses given by a test; records the requests. */
export interface FakeService {
  readonly env: { readonly CHAINFRAME_BASE_URL: string; readonly CHAINFRAME_TOKEN: string };
  readonly got: Got[];
  close(): Promise<void>;
}

/** The token of the fake service. */
export const TOKEN = "s3cret-t0ken";

/** The operation of a path. */
export function operationAt(path: string): Operation {
  const [, name = ""] = /^\/v2\/(?:datasets\/)?([a-z_-]+)/.exec(path) ?? [];
  return (name === "projects" ? "project" : name.replace("-", "_")) as Operation;
}

/** Starts a service that responds with the result of `answer`. */
export function fakeService(
  answer: (operation: Operation, request: Request) => unknown | Promise<unknown>,
): FakeService {
  const got: Got[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const text = await request.clone().text();
      got.push({
        method: request.method,
        path: pathname + search,
        body: text === "" ? null : JSON.parse(text),
        authorization: request.headers.get("authorization"),
      });
      const answered = await answer(operationAt(pathname), request);
      return answered instanceof Response ? answered : Response.json(answered);
    },
  );
  const base = `http://127.0.0.1:${server.addr.port}`;
  return {
    env: { CHAINFRAME_BASE_URL: base, CHAINFRAME_TOKEN: TOKEN },
    got,
    close: () => server.shutdown(),
  };
}
