import { Buffer } from "node:buffer";
import { deepStrictEqual as equal, ok, rejects, strictEqual } from "node:assert/strict";
import { type Shard, withShards } from "../../lib/service/cluster/clickhouse.ts";

const ACCOUNT = { database: "facts", user: "builder", password: "s3cret-ключ" };

/** A request that the server received: its statement, its parameters, the user who sent it, and its table. */
interface Sent {
  readonly sql: string;
  readonly parameters: URLSearchParams;
  readonly user: string;
  readonly table: string | undefined;
}

/** Runs `work` on a server that answers as ClickHouse does, and returns the statements that it received. */
async function onServer(
  work: (shard: Shard) => Promise<unknown>,
  answer: (sql: string) => Response | Promise<Response> = () =>
    Response.json({ data: [{ n: "7" }] }),
  signal?: AbortSignal,
): Promise<{ sent: Sent[]; url: string; result: unknown }> {
  const sent: Sent[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname, searchParams: parameters } = new URL(request.url);
      if (pathname === "/ping") return new Response("Ok.\n");
      const form = request.headers.get("content-type")?.startsWith("multipart/")
        ? await request.formData()
        : undefined;
      const sql = parameters.get("query") ?? await request.text();
      const [, login = ""] = /^Basic (.*)$/.exec(request.headers.get("authorization") ?? "") ?? [];
      const table = await (form?.get("names") as File | undefined)?.text();
      sent.push({ sql, parameters, user: String(Buffer.from(login, "base64")), table });
      return sql.startsWith("KILL") ? new Response("") : await answer(sql);
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  try {
    const result = await withShards({ urls: [url], ...ACCOUNT }, ([shard]) => work(shard!), signal)
      .catch((error) => error);
    return { sent, url, result };
  } finally {
    await server.shutdown();
  }
}

Deno.test("withShards logs in, sends a table with a statement, and never asks for the right to write", async () => {
  const table = { name: "names", structure: "n Int32", rows: new Blob(['{"n":1}\n']) };
  let text = "";
  const { sent, result } = await onServer(async (shard) => {
    await shard.read("SELECT 1 FORMAT TSV", table, async (body) => {
      text = await new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).text();
    });
    return await shard.rows("SELECT 7 AS n");
  });
  equal([result, text], [[{ n: "7" }], '{"data":[{"n":"7"}]}']);
  equal(sent.map(({ sql }) => sql), ["SELECT 1 FORMAT TSV", "SELECT 7 AS n FORMAT JSON"]);
  equal(sent.map(({ user }) => user), ["builder:s3cret-ключ", "builder:s3cret-ключ"]);
  equal(sent.map((each) => each.table), ['{"n":1}\n', undefined]);
  for (const { parameters } of sent) {
    const names = ["readonly", "wait_end_of_query", "group_by_overflow_mode"];
    equal(names.map((name) => parameters.get(name)), ["2", "1", "throw"]);
  }
  equal(sent[0]!.parameters.get("names_structure"), "n Int32");
});

Deno.test("withShards names the shard and the reason of an error, and ends the statements", async () => {
  const password = ACCOUNT.password;
  for (
    const [text, message] of [
      [
        "Code: 60. DB::Exception: Table facts.x\n doesn't exist",
        "Code: 60. DB::Exception: Table facts.x doesn't exist",
      ],
      [
        "Code: 516. DB::Exception: builder: Authentication failed",
        'refuses the user "builder" or its password',
      ],
      [`Code: 62. Syntax error at ${password}`, "Code: 62. Syntax error at (password)"],
      ["x".repeat(500), "x".repeat(300)],
    ] as const
  ) {
    const { url, sent, result } = await onServer(
      (shard) => shard.rows("SELECT 1"),
      () => new Response(text, { status: 500 }),
    );
    const { name, message: got } = result as Error;
    equal([name, got], ["ClusterError", `shard ${url}: ${message}`]);
    equal(got.includes(password), false);
    const [statement, kill] = sent;
    const id = statement!.parameters.get("query_id")!;
    const [, prefix] = /^KILL QUERY WHERE query_id LIKE '(chainframe-[\da-f-]+)%' ASYNC$/
      .exec(kill!.sql)!;
    ok(id.startsWith(prefix!), id);
  }
});

Deno.test("withShards ends with the reason of an abort", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const { result, sent } = await onServer(
    (shard) => shard.rows("SELECT 1"),
    async () => {
      controller.abort(reason);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return new Response("");
    },
    controller.signal,
  );
  strictEqual(result, reason);
  equal(sent.length, 2);
  await rejects(
    withShards({ urls: [], ...ACCOUNT }, () => Promise.resolve(), AbortSignal.abort(reason)),
    reason,
  );
});
