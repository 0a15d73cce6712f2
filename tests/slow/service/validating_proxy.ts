import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { requestTo, type SentRequest } from "../../service/sent_request.ts";

const PRISM = "@stoplight/prism-cli@5.16.0";
const AT_ONCE = 8;
const PATIENCE_MS = 20_000;

/** Sends a request to a service under test. */
export type Ask = (request: Request) => Promise<Response>;

/** Asks the service at an address; what it says of a redirect is kept. */
export function askAt(origin: string): Ask {
  return async (request) => {
    const { method, headers, url } = request;
    const body = request.body === null ? null : await request.bytes();
    const path = url.slice(url.indexOf("/", 8));
    return await fetch(origin + path, { method, headers, body, redirect: "manual" });
  };
}

/** A proxy made from `openapi.json`, which checks requests and answers against it. */
export interface ValidatingProxy extends AsyncDisposable {
  /**
   * Sends requests to a service, and again through the proxy. Throws where the two differ, where an
   * answer is not what the document says, and where a request that it forbids was let in.
   *
   * @returns how many of the requests the proxy could look at: those that the document names, but
   * for bodies that are no JSON, which the service refuses.
   */
  agreesOn(requests: readonly SentRequest[], ask: Ask): Promise<number>;
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

// The program itself and not npx, which would be stopped without what it started.
const program = await new Deno.Command("npx", {
  args: ["--yes", `--package=${PRISM}`, "--call", "command -v prism"],
  stderr: "null",
}).output().then(
  ({ success, stdout }) => success ? new TextDecoder().decode(stdout).trim() : null,
  () => null,
);

/** Whether there is a proxy on this machine, or one can be had. */
export const PROXY_AVAILABLE = program !== null;

async function documentOf(ask: Ask): Promise<string> {
  return await (await ask(new Request("http://localhost/openapi.json"))).text();
}

/** Whether the document names the operation of a request: nothing else is checked by a proxy. */
function namer(document: string): (request: SentRequest) => boolean {
  const paths: Record<string, Record<string, unknown>> = JSON.parse(document).paths;
  const operations = Object.entries(paths).map(([path, methods]) => ({
    path: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    methods: Object.keys(methods),
  }));
  return ({ method, path }) =>
    operations.some((operation) =>
      operation.path.test(path.replace(/\?.*$/, "")) &&
      operation.methods.includes(method.toLowerCase())
    );
}

/**
 * Whether the proxy can handle a request and its response: it waits forever for a body that is not JSON, crashes on
 * an invalid media type, and cannot read a 304, which has no body.
 */
function readableByProxy({ headers, body }: SentRequest, { status }: Response): boolean {
  if (status === 304 || !/^[\w.+-]+\/[\w.+-]+/.test(headers["content-type"] ?? "a/b")) return false;
  if (body === null) return true;
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/** Starts the program with some words, on a free port. */
export async function spawnPrism(...words: string[]) {
  // A free port, let go of again: the proxy takes none by itself.
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const child = new Deno.Command("node", {
    args: [program!, ...words, "--port", `${port}`, "--host", "127.0.0.1"],
    stdout: "piped",
    stderr: "null",
    env: { NO_COLOR: "1", CI: "1" },
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  while (!told.includes("Prism is listening")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the proxy ended: ${told}`);
    told += value;
  }
  const drained = (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
      await drained;
    },
  };
}

function violations(response: Response, of: "request" | "response"): Violation[] {
  const all: Violation[] = JSON.parse(response.headers.get("sl-violations") ?? "[]");
  return all.filter(({ location }) => location[0] === of);
}

function told({ method, path, headers, body }: SentRequest): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${body ?? ""}`.slice(0, 2_000);
}

async function compare(sent: SentRequest, direct: Response, proxied: Response): Promise<void> {
  const about = told(sent);
  const [text, same] = await Promise.all([direct.text(), proxied.text()]);
  // The proxy follows a redirect by itself, to where the service pointed.
  const status = direct.status === 308 ? 200 : direct.status;
  equal([about, proxied.status], [about, status], same);
  equal([about, violations(proxied, "response")], [about, []]);
  if (direct.status !== 308) equal(same.replaceAll(/\s/g, ""), text.replaceAll(/\s/g, ""), about);
  const forbidden = violations(proxied, "request");
  ok(forbidden.length === 0 || direct.status >= 400, `${about}: ${JSON.stringify(forbidden)}`);
}

/** Starts a proxy made from the document that a service gives. */
export async function startValidatingProxy(ask: Ask): Promise<ValidatingProxy> {
  const folder = await Deno.makeTempDir();
  const document = await documentOf(ask);
  await Deno.writeTextFile(`${folder}/openapi.json`, document);
  let asked = ask;
  // The proxy has one address to go on to, the tests have many services.
  const upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => asked(request),
  );
  const origin = `http://127.0.0.1:${upstream.addr.port}`;
  const proxy = await spawnPrism("proxy", `${folder}/openapi.json`, origin);
  const named = namer(document);
  return {
    async agreesOn(requests, next) {
      asked = next;
      const left = requests.filter(named);
      let count = 0;
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        for (let sent = left.pop(); sent !== undefined; sent = left.pop()) {
          const signal = AbortSignal.timeout(PATIENCE_MS);
          const direct = await fetch(requestTo(origin, sent), { redirect: "manual", signal });
          if (!readableByProxy(sent, direct)) {
            ok(sent.body === null || direct.status >= 400, told(sent));
            await direct.body?.cancel();
            continue;
          }
          count++;
          const proxied = await fetch(requestTo(proxy.url, sent), { signal }).catch((cause) => {
            throw new Error(`the proxy did not answer ${told(sent)}`, { cause });
          });
          await compare(sent, direct, proxied);
        }
      }));
      return count;
    },
    async [Symbol.asyncDispose]() {
      await proxy.stop();
      await upstream.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
