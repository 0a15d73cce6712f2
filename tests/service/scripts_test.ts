import { deepStrictEqual as equal, ok } from "node:assert/strict";
import { writeFacts } from "./facts_model.ts";
import { runScript, scriptCommand } from "./run_script.ts";
import { tinyFacts } from "./tiny_facts.ts";

const LOOPBACK = "--allow-net=127.0.0.1";

/** Reads lines until one has the text; the rest goes on being read, so that the pipe never fills. */
async function waitFor(stream: ReadableStream<Uint8Array>, text: string): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let seen = "";
  while (!seen.includes(text)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended before ${JSON.stringify(text)}: ${seen}`);
    seen += decoder.decode(value, { stream: true });
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return seen;
}

Deno.test("every script of the service explains itself and refuses what it does not know", async () => {
  for (const name of ["serve", "build", "sample"]) {
    const help = await runScript(name, ["--help"]);
    equal([name, help.code, help.stderr], [name, 0, ""]);
    ok(help.stdout.includes(`deno task ${name}`));
    const wrong = await runScript(name, ["--nonsense"]);
    equal([name, wrong.code, wrong.stdout], [name, 2, ""]);
    ok(wrong.stderr.startsWith(`${name}: Unknown option '--nonsense'`), wrong.stderr);
  }
  equal(
    (await runScript("build", ["--facts", "x"])).stderr,
    "build: --out FILE is missing (see --help)\n",
  );
  equal((await runScript("serve", ["--port", "http"])).code, 2);
  equal((await runScript("sample", ["--out", "x", "--scale", "much"])).code, 2);
  const none = await runScript("serve", ["--data", "/does/not/exist.duckdb"]);
  equal(none.code, 1);
  ok(none.stderr.includes("/does/not/exist.duckdb"), none.stderr);
});

Deno.test("sample, build and serve work one after the other, and a dead build leaves the old data", async () => {
  const folder = await Deno.makeTempDir();
  const write = `--allow-write=${folder}`;
  try {
    const sample = await runScript("sample", ["--out", `${folder}/facts`, "--scale", "0.1"], [
      write,
    ]);
    equal([sample.code, sample.stdout.trim().split("\n").length], [0, 13], sample.stderr);
    const out = `${folder}/metrics.duckdb`;
    const build = await runScript("build", ["--facts", `${folder}/facts`, "--out", out], [write]);
    equal([build.code, build.stdout], [0, ""], build.stderr);
    ok(build.stderr.includes("2025-01-01 to 2026-06-17"));

    const serve = scriptCommand("serve", ["--data", out, "--port", "0", "--token", "t"], [LOOPBACK])
      .spawn();
    void serve.stdout.cancel();
    const url = (await waitFor(serve.stderr, "/reference)")).match(/http:\S+\d/)![0];
    const ask = () =>
      fetch(`${url}/v2/datasets/project_contracts`, { headers: { authorization: "Bearer t" } });
    const before = await (await ask()).text();
    equal(JSON.parse(before).data.length, 240);

    const old = await Deno.readFile(out);
    const dying = scriptCommand("build", ["--facts", `${folder}/facts`, "--out", out], [write])
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
    const bad = await runScript("build", ["--facts", `${folder}/bad`, "--out", out], [write]);
    equal([bad.code, bad.stdout], [1, ""]);
    ok(bad.stderr.includes("chains: there is neither chains.parquet nor chains.csv"), bad.stderr);
    equal(await (await ask()).text(), before);

    serve.kill("SIGTERM");
    equal((await serve.status).code, 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("serve stops on a signal: no new requests, the one under way is answered", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const serve = scriptCommand("serve", ["--port", "0", "--token", "t", "--quiet"], [LOOPBACK])
      .spawn();
    void serve.stdout.cancel();
    const told = await waitFor(serve.stderr, "/reference)");
    ok(told.includes("SAMPLE DATA"));
    equal(told.includes("token t"), false);
    const port = Number(told.match(/:(\d+)\//)![1]);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const body = JSON.stringify({ metric_ids: ["fees"], interval: "7d", group_by: "chains" });
    await connection.write(new TextEncoder().encode(
      "POST /v2/metric-breakdown HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\n" +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${
          body.slice(0, 20)
        }`,
    ));
    // Under way: the service waits for the rest of the body when the signal comes.
    await new Promise((resolve) => setTimeout(resolve, 200));
    serve.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await connection.write(new TextEncoder().encode(body.slice(20)));
    const answer = await new Response(connection.readable).text();
    ok(answer.startsWith("HTTP/1.1 200 OK"), answer.slice(0, 80));
    equal((await serve.status).code, 0);
    const refused = await Deno.connect({ hostname: "127.0.0.1", port }).catch((error) => error);
    ok(refused instanceof Deno.errors.ConnectionRefused);
  }
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
      new URL("../../lib/service/mod.ts", import.meta.url).href,
    ],
    cwd: folder,
  }).output();
  equal([code, new TextDecoder().decode(stdout)], [0, "12\n"], new TextDecoder().decode(stderr));
  equal([...Deno.readDirSync(folder)].map(({ name }) => name), ["use.js"]);
  await Deno.remove(folder, { recursive: true });
});
