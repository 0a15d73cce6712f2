/** Serves on loopback while `work` runs. `requests` has the URLs of the requests so far. */
export async function serving(
  answer: (url: URL, count: number) => Response,
  work: (url: string, requests: readonly string[]) => Promise<void>,
): Promise<void> {
  const requests: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => answer(new URL(request.url), requests.push(request.url)),
  );
  try {
    await work(`http://127.0.0.1:${server.addr.port}`, requests);
  } finally {
    await server.shutdown();
  }
}
