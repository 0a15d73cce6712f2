import { deepStrictEqual as equal, ok, rejects, strictEqual } from "node:assert/strict";
import { type Cluster, withCluster } from "../../../lib/service/cluster/cluster.ts";
import { makeTables, requireTables } from "../../../lib/service/cluster/shard_tables.ts";
import { HAS_CLICKHOUSE, type Shard, withShards } from "./shards.ts";

const ACCOUNT = { user: "builder", password: "secret" };
const ENDLESS =
  "SELECT sum(number) AS n FROM (SELECT number FROM system.numbers LIMIT 1000000000000)";

function listOf(shards: readonly Shard[], changes: object = {}) {
  return { urls: shards.map(({ url }) => url), database: "facts", ...ACCOUNT, ...changes };
}

function tests(name: string, fn: (shards: readonly Shard[]) => Promise<void>) {
  Deno.test({
    name,
    ignore: !HAS_CLICKHOUSE,
    fn: () => withShards({ count: 2, ...ACCOUNT }, fn),
  });
}

function endlessly({ shards }: Cluster): Promise<unknown> {
  return Promise.all(shards.map((shard) => shard.rows(ENDLESS)));
}

async function underWay(shards: readonly Shard[]): Promise<unknown[]> {
  const running = await withCluster(listOf(shards), ({ shards }) =>
    Promise.all(
      shards.map((shard) =>
        shard.rows("SELECT query FROM system.processes WHERE query LIKE '%system.numbers%1000%'")
      ),
    ));
  return running.flat().filter(({ query }) => !String(query).includes("system.processes"));
}

/** Waits until the servers have ended the canceled statements. */
async function nothingUnderWay(shards: readonly Shard[]): Promise<void> {
  for (let tries = 0; (await underWay(shards)).length > 0; tries++) {
    ok(tries < 1_000, "a statement goes on");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

tests("withCluster reads and writes, and writes nothing when it reads", async (servers) => {
  await withCluster(listOf(servers), async ({ shards: [shard] }) => {
    await shard!.run("CREATE TABLE t (n Int64, d Decimal(38, 9)) ENGINE = MergeTree ORDER BY n");
    await shard!.run("INSERT INTO t FORMAT TSV\n9007199254740993\t0.000000001\n2\t-1\n");
    equal(await shard!.rows("SELECT * FROM t ORDER BY n DESC"), [
      { n: "9007199254740993", d: 0.000000001 },
      { n: "2", d: -1 },
    ]);
    const text = await shard!.read(
      "SELECT n FROM t ORDER BY n FORMAT TSV",
      (body) => new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).text(),
    );
    strictEqual(text, "2\n9007199254740993\n");
    await rejects(shard!.rows("DROP TABLE t"), /shard http:.*Syntax error|readonly/);
    await rejects(
      shard!.read("DROP TABLE t", () => Promise.resolve()),
      {
        name: "ClusterError",
        message: /^shard http:\/\/127.0.0.1:\d+: Cannot .*readonly.* \(code 164\)$/,
      },
    );
    let given = false;
    const late = "SELECT number, throwIf(number = 3000000) FROM system.numbers FORMAT TSV";
    await rejects(
      shard!.read(late, () => {
        given = true;
        return Promise.resolve();
      }),
      { name: "ClusterError", message: /\(code 395\)$/ },
    );
    strictEqual(given, false, "no row of an answer that is not whole is given out");
  });
});

tests(
  "withCluster ends statements that take too long, and those of aborted work",
  async (servers) => {
    const list = listOf(servers);
    await rejects(
      withCluster(list, endlessly, { timeout: 500 }),
      /^ClusterError: shard http:.*: a statement did not finish within 0.5 s$/,
    );
    await nothingUnderWay(servers);
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error("enough")), 300);
    await rejects(withCluster(list, endlessly, { signal: abort.signal }), /^Error: enough$/);
    await nothingUnderWay(servers);
    await rejects(
      withCluster(list, (cluster) => {
        endlessly(cluster).catch(() => {});
        throw new Error("the work itself");
      }),
      /^Error: the work itself$/,
    );
    await nothingUnderWay(servers);
  },
);

tests("makeTables creates its tables once, and changes no others", async (servers) => {
  const list = listOf(servers);
  await rejects(withCluster(list, requireTables), /there are no facts in facts: load them first$/);
  await withCluster(list, makeTables);
  await withCluster(list, makeTables);
  await withCluster(list, requireTables);
  const turned = { ...list, urls: [...list.urls].reverse() };
  await rejects(
    withCluster(turned, makeTables),
    /facts holds the users of shard 2 of 2, and is in the list as 1 of 2: keep the order/,
  );
  const twins = [list.urls[0]!, list.urls[0]!.replace("127.0.0.1", "localhost")];
  await rejects(
    withCluster({ ...list, database: "twins", urls: twins }, makeTables),
    /^ClusterError: shard http:\/\/localhost:\d+: twins holds the users of shard 1 of 2/,
  );
  // The state after a load that died while it created them.
  await withCluster(list, async ({ shards }) => {
    await shards[0]!.run("CREATE DATABASE begun");
    await shards[1]!.run("CREATE DATABASE begun");
    await shards[1]!.run(
      "CREATE TABLE begun.chainframe_shard (layout UInt32, shard UInt32, shards UInt32) " +
        "ENGINE = MergeTree ORDER BY shard",
    );
  });
  await withCluster({ ...list, database: "begun" }, makeTables);
  await withCluster({ ...list, database: "begun" }, requireTables);
  const theirs = await withCluster(list, async ({ shards }) => {
    await shards[1]!.run("CREATE DATABASE theirs");
    await shards[1]!.run("CREATE TABLE theirs.activity (day Date) ENGINE = Memory");
    await rejects(
      withCluster({ ...list, database: "theirs" }, makeTables),
      /did not create the database theirs: it has activity and no table chainframe_shard; it was not/,
    );
    return await Promise.all(
      shards.map((each) => each.rows("SELECT name FROM system.tables WHERE database = 'theirs'")),
    );
  });
  equal(theirs, [[], [{ name: "activity" }]]);
});

// A self-signed certificate for localhost, made for this test.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQglueMQfxvVtQuXcgC
+ZGgGACDiTxfTdhZY3IijZrfc2uhRANCAAShdXEM/zz+/2Uu4PihFmVVlWoXuujU
Ftigb5EhbidwVALs9mGihDzoM/UMPSpgvSlYow/Nvz61EKYOL5WKhhii
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmTCCAT6gAwIBAgIURIULY1NFkRMhxGfRcCY6gsXqy8QwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE4NTkzMFoYDzIxMjYxMDI4
MTg1OTMwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAShdXEM/zz+/2Uu4PihFmVVlWoXuujUFtigb5EhbidwVALs9mGihDzo
M/UMPSpgvSlYow/Nvz61EKYOL5WKhhiio2wwajAdBgNVHQ4EFgQUzMsjPpGmAx3M
zMjjcCKDhylOo9IwHwYDVR0jBBgwFoAUzMsjPpGmAx3MzMjjcCKDhylOo9IwGgYD
VR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0E
AwIDSQAwRgIhAJCBaxavaT8TEDXX1fCwjL2XBy7UbxvhY2R02fW9nw8oAiEAu+X0
hGPpFW+X5uintSdiVnxIDll+Tuz8XJSMaJEAjUM=
-----END CERTIFICATE-----
`;

Deno.test("withCluster sends no password to a server with an untrusted certificate", async () => {
  let asked = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, key: KEY, cert: CERTIFICATE, onListen() {} },
    () => {
      asked++;
      return new Response("Ok.\n");
    },
  );
  const url = `https://localhost:${server.addr.port}`;
  const list = { urls: [url], database: "facts", ...ACCOUNT };
  await rejects(withCluster(list, () => Promise.resolve()), {
    name: "ClusterError",
    message:
      `shard ${url}: cannot be reached, or closed the connection: invalid peer certificate: UnknownIssuer`,
  });
  strictEqual(asked, 0);
  await server.shutdown();
});
