import { deepStrictEqual, match, strictEqual } from "node:assert/strict";

const ASKING = new URL("ask_in_environment.ts", import.meta.url).pathname;

interface Servers {
  readonly proxy: string;
  /** The port of the service on every loopback address. */
  readonly port: number;
  /** The tokens that the proxy has seen. */
  readonly seen: (string | null)[];
}

/** Runs code with a service, and a proxy that responds in its place and records the tokens that it gets. */
async function withProxy(code: (servers: Servers) => Promise<void>): Promise<void> {
  const seen: (string | null)[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const proxy = Deno.serve(options, ({ headers }) => {
    seen.push(headers.get("authorization"));
    return Response.json({ data: "proxied" });
  });
  const service = Deno.serve(options, () => Response.json({ data: "direct" }));
  try {
    await code({ proxy: `http://127.0.0.1:${proxy.addr.port}`, port: service.addr.port, seen });
  } finally {
    await Promise.all([proxy.shutdown(), service.shutdown()]);
  }
}

async function asked(
  env: Readonly<Record<string, string>>,
  baseUrl: string,
  { args = [], permissions = ["--allow-net", "--allow-env"] }: {
    readonly args?: readonly string[];
    readonly permissions?: readonly string[];
  } = {},
): Promise<string> {
  const kept = ["PATH", "HOME", "DENO_DIR"].flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", ...permissions, ASKING, baseUrl, ...args],
    clearEnv: true,
    // Deno would check for updates, through the proxy.
    env: { ...Object.fromEntries(kept), DENO_NO_UPDATE_CHECK: "1", ...env },
  }).output();
  strictEqual(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("a proxy for plain http never gets the token of a service on this machine", async () => {
  await withProxy(async ({ proxy, port, seen }) => {
    const refused: [string, string, Record<string, string>][] = [
      ["127.0.0.1", "HTTP_PROXY", {}],
      ["127.0.0.1", "http_proxy", {}],
      ["127.0.0.1", "ALL_PROXY", {}],
      ["127.0.0.1", "all_proxy", {}],
      ["localhost", "HTTP_PROXY", {}],
      ["127.0.0.1", "HTTP_PROXY", { NO_PROXY: "localhost, *, .1, 127.0.0, 127.*, ::1" }],
      ["127.0.0.1", "HTTP_PROXY", { NO_PROXY: `127.0.0.1:${port}` }],
      ["127.0.0.1", "HTTP_PROXY", { NO_PROXY: "", no_proxy: "127.0.0.1" }],
      ["localhost", "HTTP_PROXY", { NO_PROXY: "127.0.0.1,alhost,LOCALHOST,x.localhost" }],
    ];
    const told = await Promise.all(
      refused.map(([host, name, others]) =>
        asked({ [name]: proxy, ...others }, `http://${host}:${port}`)
      ),
    );
    refused.forEach(([host, name], index) =>
      strictEqual(
        told[index],
        `ConfigurationError: baseUrl: ${name} is set, so the token would go to that proxy: ` +
          `set NO_PROXY=${host}: http://${host}:${port}`,
      )
    );
    deepStrictEqual(seen, []);
  });
});

Deno.test("a service that NO_PROXY lists is requested directly", async () => {
  await withProxy(async ({ proxy, port, seen }) => {
    const covered: [string, Record<string, string>][] = [
      ["127.0.0.1", { NO_PROXY: "127.0.0.1" }],
      ["127.0.0.1", { no_proxy: "example.org, 127.0.0.1" }],
      ["localhost", { NO_PROXY: "localhost" }],
    ];
    const told = await Promise.all(
      covered.map(([host, others]) =>
        asked({ HTTP_PROXY: proxy, ALL_PROXY: proxy, ...others }, `http://${host}:${port}`)
      ),
    );
    deepStrictEqual(told, covered.map(() => "direct"));
    deepStrictEqual(seen, []);
    strictEqual(
      await asked({ HTTPS_PROXY: proxy, HTTP_PROXY: "" }, `http://localhost:${port}`),
      "direct",
    );
  });
});

Deno.test("nothing is refused if the variables are not readable or the user passes fetch", async () => {
  await withProxy(async ({ proxy, port, seen }) => {
    const url = `http://127.0.0.1:${port}`;
    const env = { HTTP_PROXY: proxy };
    // Without the refusal the proxy gets the token, and its response is used.
    strictEqual(await asked(env, url, { args: ["own"] }), "proxied");
    match(await asked(env, url, { args: ["global"] }), /^ConfigurationError/);
    strictEqual(await asked(env, url, { permissions: ["--allow-net"] }), "proxied");
    deepStrictEqual(seen, ["Bearer s3cret-token", "Bearer s3cret-token"]);
    const partly = ["--allow-net", "--allow-env=HTTP_PROXY"];
    match(await asked({ ...env, NO_PROXY: "127.0.0.1" }, url, { permissions: partly }), /^Config/);
  });
});
