// A current ClickHouse behind as much of its HTTP interface as the shards of a cluster need: run it
// with a folder, a user and a password, and it says on which port it listens. One process holds one.
import { openChdb } from "./chdb.ts";

const [folder, user, password] = Deno.args as [string, string, string];
const LET_IN = `Basic ${btoa(`${user}:${password}`)}`;
// Parameters of the exchange, not of the statement.
const OF_HTTP = ["query", "query_id", "wait_end_of_query", "readonly", "enable_http_compression"];

const ask = await openChdb(folder);
ask("CREATE DATABASE IF NOT EXISTS default");

async function answer(request: Request): Promise<string> {
  if (request.headers.get("authorization") !== LET_IN) {
    throw new Error("Code: 516. DB::Exception: Authentication failed");
  }
  const parameters = new URL(request.url).searchParams;
  if (request.headers.get("content-type")?.startsWith("multipart/")) {
    for (const [name, rows] of await request.formData()) {
      ask(
        `CREATE OR REPLACE TEMPORARY TABLE ${name} (${parameters.get(`${name}_structure`)})`,
      );
      ask(`INSERT INTO ${name} FORMAT JSONEachRow ${await (rows as File).text()}`);
    }
  }
  const settings = [...parameters]
    .filter(([name]) => !OF_HTTP.includes(name) && !/_(structure|format)$/.test(name))
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  if (settings.length > 0) ask(`SET ${settings.join(", ")}`);
  return ask(parameters.get("query") ?? await request.text());
}

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    if (new URL(request.url).pathname === "/ping") return new Response("Ok.\n");
    try {
      return new Response(await answer(request));
    } catch (error) {
      const message = (error as Error).message.replace(/^.*?(?=Code: )/, "");
      return new Response(message, { status: 500 });
    }
  },
);
console.log(server.addr.port);
