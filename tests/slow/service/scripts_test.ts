import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { writeFacts } from "../../service/facts_model.ts";
import { runScript, scriptCommand, SERVE_TOKEN } from "../../service/run_script.ts";
import { tinyFacts } from "../../service/tiny_facts.ts";

const LOOPBACK = "--allow-net=127.0.0.1";

/** Reads the output of a process, and stores it. */
function listen(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let told = "";
  return {
    /** Reads until the text appears. */
    async until(text: string): Promise<string> {
      while (!told.includes(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`ended before ${JSON.stringify(text)}: ${told}`);
        told += value;
      }
      return told;
    },
    /** Reads on to the end, so that the pipe never fills. */
    async rest(): Promise<void> {
      while (!(await reader.read()).done);
    },
  };
}

Deno.test("sample, build and serve work one after the other, and a killed build keeps the old data", async () => {
  const folder = await Deno.makeTempDir();
  const write = `--allow-write=${folder}`;
  try {
    const sample = await runScript("sample", ["--out", `${folder}/facts`, "--scale", "0.1"], [
      write,
    ]);
    equal([sample.code, sample.stdout.trim().split("\n").length], [0, 14], sample.stderr);
    const out = `${folder}/metrics.duckdb`;
    const build = await runScript("build", ["--facts", `${folder}/facts`, "--out", out], [write]);
    equal([build.code, build.stdout], [0, ""], build.stderr);
    ok(build.stderr.includes("2024-01-01 to 2026-06-17"));

    const serve = scriptCommand("serve", ["--data", out, "--port", "0"], {
      permissions: [LOOPBACK],
    })
      .spawn();
    void serve.stdout.cancel();
    const stderr = listen(serve.stderr);
    const url = (await stderr.until("/reference)")).match(/http:\S+\d/)![0];
    void stderr.rest();
    const ask = () =>
      fetch(`${url}/v2/datasets/project_contracts`, {
        headers: { authorization: `Bearer ${SERVE_TOKEN}` },
      });
    const before = await (await ask()).text();
    equal(JSON.parse(before).data.length, 505);

    const old = await Deno.readFile(out);
    const again = [
      "--facts",
      `${folder}/facts`,
      "--out",
      out,
      "--carry-days",
      "5",
      "--memory",
      "1GB",
      "--force",
    ];
    const dying = scriptCommand("build", again, { permissions: [write] })
      .spawn();
    void dying.stdout.cancel();
    void dying.stderr.cancel();
    // Somewhere in its work: whenever that is, the old file has to be whole.
    await new Promise((resolve) => setTimeout(resolve, 700));
    try {
      dying.kill("SIGKILL");
    } catch {
      // It was quicker than that.
    }
    const died = !(await dying.status).success;
    if (died) equal(await Deno.readFile(out), old);
    equal(await (await ask()).text(), before);

    await writeFacts(`${folder}/bad`, { ...tinyFacts(), chains: [] });
    const bad = await runScript("build", ["--facts", `${folder}/bad`, "--out", out, "--force"], [
      write,
    ]);
    equal([bad.code, bad.stdout], [1, ""]);
    ok(bad.stderr.includes("chains: neither chains.parquet nor chains.csv"), bad.stderr);
    equal(await (await ask()).text(), before);

    serve.kill("SIGTERM");
    equal((await serve.status).code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an interrupted sample leaves no files", async () => {
  const folder = await Deno.makeTempDir();
  const names = () => [...Deno.readDirSync(folder)].map(({ name }) => name);
  try {
    const sample = scriptCommand("sample", ["--out", folder, "--scale", "20"], {
      permissions: [`--allow-write=${folder}`],
    }).spawn();
    const told = new Response(sample.stderr).text();
    void sample.stdout.cancel();
    while (names().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    sample.kill("SIGINT");
    equal([(await sample.status).code, names()], [130, []], await told);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const HEAD = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${SERVE_TOKEN}\r\n` +
  "Content-Type: application/json\r\n";
/** Half a request, and many responses that are not read and do not fit the buffers on the way. */
const SLOW = [
  `POST /v2/metric-breakdown ${HEAD}Content-Length: 100\r\n\r\nabc`,
  "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200),
];

Deno.test("serve stops on a signal: no new requests, running ones finish, slow ones have ten seconds", async () => {
  for (const [signal, slow] of [["SIGINT", []], ["SIGTERM", SLOW]] as const) {
    const serve = scriptCommand("serve", ["--port", "0", "--quiet"], { permissions: [LOOPBACK] })
      .spawn();
    void serve.stdout.cancel();
    const stderr = listen(serve.stderr);
    const told = await stderr.until("/reference)");
    ok(told.includes("SAMPLE DATA"));
    equal(told.includes(SERVE_TOKEN), false);
    const port = Number(told.match(/:(\d+)\//)![1]);
    const connected = async (text: string) => {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(new TextEncoder().encode(text));
      return connection;
    };
    const late = await Promise.all(slow.map(connected));
    const body = JSON.stringify({ metric_ids: ["fees"], interval: "7d", group_by: "chains" });
    const connection = await connected(
      `POST /v2/metric-breakdown ${HEAD}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // It asks for the body: the request is under way when the signal comes.
    const asks = new Uint8Array(100);
    await connection.read(asks);
    ok(new TextDecoder().decode(asks).startsWith("HTTP/1.1 100 Continue"));
    const started = performance.now();
    serve.kill(signal);
    await stderr.until(`${signal}: stopping`);
    await connection.write(new TextEncoder().encode(body));
    const answer = await new Response(connection.readable).text();
    ok(answer.startsWith("HTTP/1.1 200 OK"), answer.slice(0, 80));
    await stderr.rest();
    equal((await serve.status).code, 0);
    const took = performance.now() - started;
    if (late.length > 0) ok(took > 9_000 && took < 60_000, `${took} ms`);
    for (const each of late) each.close();
    const refused = await Deno.connect({ hostname: "127.0.0.1", port }).catch((error) => error);
    ok(refused instanceof Deno.errors.ConnectionRefused);
  }
});

Deno.test("serve answers even if its log cannot be written", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const serve = scriptCommand("serve", ["--port", `${port}`], {
    permissions: [LOOPBACK],
    stderrTo: "/dev/full",
  }).spawn();
  void serve.stdout.cancel();
  void serve.stderr.cancel();
  const ask = () =>
    fetch(`http://127.0.0.1:${port}/v2/projects/tidewater`, {
      headers: { authorization: `Bearer ${SERVE_TOKEN}` },
    }).then(async (response) => {
      await response.body?.cancel();
      return response.status;
    }, () => 0);
  const until = performance.now() + 60_000;
  while (await ask() === 0) {
    ok(performance.now() < until, "it does not answer");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (let count = 0; count < 20; count++) equal(await ask(), 200);
  serve.kill("SIGTERM");
  equal((await serve.status).code, 0);
});

Deno.test("the embedded service works with the fewest permissions, and writes no file", async () => {
  const folder = await Deno.makeTempDir();
  const script = `
    const { createService } = await import(Deno.args[0]);
    const service = await createService();
    const headers = { authorization: "Bearer " + service.tokens[0] };
    const url = "http://x/v2/datasets/blockchain_comparison";
    console.log((await (await service.fetch(new Request(url, { headers }))).json()).data.length);
    await service.close();`;
  await Deno.writeTextFile(`${folder}/use.js`, script);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-ffi",
      "--allow-sys",
      "--allow-read",
      "--allow-env",
      `${folder}/use.js`,
      new URL("../../../lib/service/mod.ts", import.meta.url).href,
    ],
    cwd: folder,
  }).output();
  equal([code, new TextDecoder().decode(stdout)], [0, "24\n"], new TextDecoder().decode(stderr));
  equal([...Deno.readDirSync(folder)].map(({ name }) => name), ["use.js"]);
  await Deno.remove(folder, { recursive: true });
});
