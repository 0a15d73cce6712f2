import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { checkTables, requireTables } from "../../lib/service/cluster/shard_tables.ts";
import {
  type Cluster,
  type ClusterOptions,
  withCluster,
} from "../../lib/service/cluster/cluster.ts";

/** A statement that the server received: its text, its settings and the user who sent it. */
interface Sent {
  readonly sql: string;
  readonly settings: URLSearchParams;
  readonly user: string | null;
}

/** Runs `work` on a server that answers as ClickHouse does, and returns the statements that it received. */
async function withServer(
  work: (cluster: Cluster) => Promise<unknown>,
  { answer = () => new Response(""), limit = "1000", ...options }: ClusterOptions & {
    readonly answer?: (sql: string) => Response | Promise<Response>;
    readonly limit?: string;
  } = {},
): Promise<{ sent: Sent[]; url: string; result: unknown }> {
  const sent: Sent[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const url = new URL(request.url);
      if (url.pathname === "/ping") return await answer("ping");
      const sql = await request.text();
      const [, login = ""] = /^Basic (.*)$/.exec(request.headers.get("authorization") ?? "") ?? [];
      sent.push({ sql, settings: url.searchParams, user: atob(login) });
      return /system\.settings/.test(sql)
        ? Response.json({ data: [{ value: limit }] })
        : /^KILL/.test(sql)
        ? new Response("")
        : await answer(sql);
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const list = { urls: [url], database: "facts", user: "builder", password: "s3cret" };
  try {
    const result = await withCluster(list, work, options).catch((error) => error);
    return { sent, url, result };
  } finally {
    await server.shutdown();
  }
}

const OK = (sql: string) => new Response(sql === "ping" ? "Ok.\n" : '{"data":[{"n":"7"}]}');

Deno.test("withCluster logs in, reads without the right to write, and spills beyond half of the memory", async () => {
  for (const [limit, half] of [["1000", "500"], ["0", "4000000000"]] as const) {
    const { sent, result } = await withServer(async ({ shards: [shard], database }) => {
      await shard!.run("INSERT INTO t VALUES (1)");
      return [database, await shard!.rows("SELECT 7 AS n"), await shard!.cleanUp("DROP TABLE t")];
    }, { answer: OK, limit });
    equal(result, ["`facts`", [{ n: "7" }], true]);
    equal(sent.map(({ user }) => user), Array(4).fill("builder:s3cret"));
    const settings = (name: string) => sent.map((each) => each.settings.get(name));
    equal(settings("readonly"), ["2", null, "2", null]);
    equal(settings("max_bytes_before_external_group_by"), [null, half, half, null]);
    equal(settings("wait_end_of_query"), Array(4).fill("1"));
    equal(sent[2]!.sql, "SELECT 7 AS n FORMAT JSON");
  }
});

Deno.test("withCluster names the shard and the reason of an error, and never the password", async () => {
  const failing = (code: number, text: string) => (sql: string) =>
    sql === "ping"
      ? OK(sql)
      : new Response(`Code: ${code}. DB::Exception: ${text}`, { status: 500 });
  for (
    const [code, text, message] of [
      [
        60,
        "Table facts.x\n doesn't exist (s3cret).",
        "Table facts.x doesn't exist ((password)). (code 60)",
      ],
      [516, "builder: Authentication failed", 'refuses the user "builder" or its password'],
      [62, "x".repeat(500), `${"x".repeat(300)}… (code 62)`],
    ] as const
  ) {
    const answer = failing(code, text);
    const { url, result } = await withServer(({ shards }) => shards[0]!.rows("SELECT 1"), {
      answer,
    });
    equal([(result as Error).name, (result as Error).message], [
      "ClusterError",
      `shard ${url}: ${message}`,
    ]);
  }
});

Deno.test("withCluster ends a statement that takes too long, or whose shard is down or stalled", async () => {
  const never = () =>
    new Promise<Response>((resolve) => setTimeout(() => resolve(new Response("")), 400));
  const slow = { answer: (sql: string) => sql === "ping" ? OK(sql) : never() };
  const work = ({ shards }: Cluster) => shards[0]!.rows("SELECT 1");
  for (
    const [options, message] of [
      [{ ...slow, timeout: 50 }, "a statement did not finish within 0.05 s"],
      [{ answer: never, patience: 100 }, "does not answer: no response for 0.1 s"],
      [{
        answer: (sql: string) => sql === "ping" ? new Response("", { status: 503 }) : never(),
        patience: 100,
      }, "is down: it answers 503"],
    ] as const
  ) {
    const { url, sent, result } = await withServer(work, options);
    equal((result as Error).message, `shard ${url}: ${message}`);
    ok(sent.some(({ sql }) => /^KILL QUERY WHERE query_id = 'chainframe-/.test(sql)), message);
  }
  const reason = new Error("enough");
  const controller = new AbortController();
  const { result, sent } = await withServer(async ({ signal }) => {
    setTimeout(() => controller.abort(reason));
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  }, { answer: OK, signal: controller.signal });
  equal([result, sent.length], [reason, 1]);
  await rejects(
    withServer(work, { signal: AbortSignal.abort(reason) }).then(({ result }) => {
      throw result;
    }),
    reason,
  );
});

Deno.test("requireTables and checkTables accept only tables of chainframe for this place in the list", async () => {
  for (
    const [tables, marker, required, checked] of [
      [["chainframe_shard"], [[1, 1, 1]], "", ""],
      [[], [], "there are no facts in facts", ""],
      [["chainframe_shard"], [], "there are no facts in facts", ""],
      [["sales"], [], "chainframe did not create the database facts", "chainframe did not create"],
      [["chainframe_shard"], [[9, 1, 1]], "the tables of facts have layout 9", "have layout 9"],
      [["chainframe_shard"], [[1, 2, 1]], "the users of shard 2 of 1", "the users of shard 2"],
      [["chainframe_shard"], [[1, 1, 2]], "the users of shard 1 of 2", "the users of shard 1"],
      [["chainframe_shard"], [[1, 1, 1], [1, 2, 1]], "the users of shard 1", "the users of shard"],
    ] as const
  ) {
    const answer = (sql: string) =>
      sql === "ping" ? OK(sql) : Response.json({
        data: /FROM system\.tables/.test(sql)
          ? tables.map((name) => ({ name }))
          : marker.map(([layout, shard, shards]) => ({ layout, shard, shards })),
      });
    for (const [check, message] of [[requireTables, required], [checkTables, checked]] as const) {
      const { result } = await withServer(check, { answer });
      const got = result instanceof Error ? result.message : "";
      ok(message === "" ? got === "" : got.includes(message), `${tables} ${marker}: ${got}`);
    }
  }
});
