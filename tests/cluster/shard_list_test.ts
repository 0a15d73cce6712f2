import { deepStrictEqual as equal, match, rejects } from "node:assert/strict";
import { readShardList } from "../../lib/service/cluster/shard_list.ts";

const PASSWORD = "CHAINFRAME_CLICKHOUSE_PASSWORD";
const RIGHT = {
  shards: ["http://127.0.0.1:8123", "https://shard-2.example.org:8443/"],
  database: "facts",
  user: "builder",
};

async function read(content: string) {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/shards.json`, content);
    return await readShardList(`${folder}/shards.json`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("readShardList reads the password from the environment, else uses none", async () => {
  const urls = ["http://127.0.0.1:8123", "https://shard-2.example.org:8443"];
  const whole = { urls, database: "facts", user: "builder" };
  Deno.env.delete(PASSWORD);
  equal(await read(JSON.stringify(RIGHT)), { ...whole, password: "" });
  Deno.env.set(PASSWORD, "from the environment");
  try {
    equal(await read(JSON.stringify(RIGHT)), { ...whole, password: "from the environment" });
  } finally {
    Deno.env.delete(PASSWORD);
  }
});

Deno.test("readShardList names the wrong field, and shows its value unless it is secret", async () => {
  const cases: [object, RegExp][] = [
    [{ shards: undefined }, /shards: must be a list of at least one address \(not shown\)$/],
    [{ shards: [] }, /shards: must be a list/],
    [{ shards: ["127.0.0.1:8123"] }, /shards\[0\]: must be a URL such as https.*\(not shown/],
    [{ shards: ["ftp://a.example"] }, /shards\[0\]: must be a URL such as https/],
    [{ shards: [...RIGHT.shards, 5] }, /shards\[2\]: must be a URL such as https/],
    [
      { shards: ["http://10.0.0.1:8123"] },
      /shards\[0\]: must be https, .*; got http:\/\/10.0.0.1:8123$/,
    ],
    [
      { shards: ["https://a.example/x"] },
      /shards\[0\]: must not contain a path; got https:\/\/a.example$/,
    ],
    [
      { shards: ["http://127.0.0.1:8123", "http://127.0.0.1:8123/"] },
      /shards\[1\]: is listed twice; got http:\/\/127.0.0.1:8123$/,
    ],
    [{ database: "a-b" }, /database: must be letters, digits and _; got "a-b"$/],
    [{ user: "a:b" }, /user: must be printable ASCII without spaces and colons; got "a:b"$/],
    [{ user: undefined }, /user: is required$/],
    [{ shard: [] }, /shard: did you mean shards\? known: shards, database, user$/],
  ];
  for (const [change, message] of cases) {
    await rejects(read(JSON.stringify({ ...RIGHT, ...change })), { name: "ClusterError", message });
  }
  for (const [text, got] of [["[]", "a list"], ['"https://a:pw@a.example"', "string"]] as const) {
    const rule = "the content: must be an object with shards, database, user";
    await rejects(read(text), new RegExp(`shards.json: ${rule}; got ${got}$`));
  }
});

Deno.test("readShardList shows no password, wherever it was written", async () => {
  const secret = "hunter2secret";
  const cases = [
    JSON.stringify({ ...RIGHT, shards: [`https://builder:${secret}@a.example`] }),
    JSON.stringify({ ...RIGHT, shards: [`https://a.example/?password=${secret}`] }),
    JSON.stringify({ ...RIGHT, shards: [`https://a.example/${secret}`] }),
    JSON.stringify({ ...RIGHT, shards: [secret] }),
    JSON.stringify({ ...RIGHT, shards: secret }),
    JSON.stringify({ ...RIGHT, password: secret }),
    `{"user": "builder", "password": "${secret}" "database"}`,
    `{"password": ${secret}}`,
  ];
  for (const content of cases) {
    await rejects(read(content), (error: Error) => {
      match(error.message, /shards\.json: (shards|password|is not JSON)/);
      equal(`${error.message} ${error.stack} ${error.cause}`.includes(secret), false, content);
      return true;
    });
  }
});
