/** A handler of requests that can be told to stop. */
interface Drain {
  readonly answer: (request: Request) => Promise<Response>;
  /** Refuses new requests from now on, and resolves when those under way are answered. */
  readonly stop: () => Promise<void>;
}

const GRACE = 10_000;

function stopping(): Response {
  const headers = { Connection: "close", "Retry-After": "10" };
  return Response.json({ message: "The service is stopping.", errors: [] }, {
    status: 503,
    headers,
  });
}

/** Makes a handler stoppable. It waits for requests under way for ten seconds at most. */
export function drain(answer: (request: Request) => Promise<Response>): Drain {
  let stopped = false;
  let underWay = 0;
  const idle = Promise.withResolvers<void>();
  return {
    answer: async (request) => {
      if (stopped) return stopping();
      underWay++;
      try {
        return await answer(request);
      } finally {
        if (--underWay === 0 && stopped) idle.resolve();
      }
    },
    stop: async () => {
      stopped = true;
      if (underWay === 0) return;
      const grace = setTimeout(idle.resolve, GRACE);
      await idle.promise;
      clearTimeout(grace);
    },
  };
}
