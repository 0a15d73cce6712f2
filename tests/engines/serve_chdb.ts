// A current ClickHouse behind as much of its HTTP interface as the shards of a cluster need: run it
// with a folder, a user and a password, and it says on which port it listens. One process holds one.
import { openChdb } from "./chdb.ts";

const [folder, user, password] = Deno.args as [string, string, string];
const LET_IN = `Basic ${btoa(`${user}:${password}`)}`;
// Parameters of the exchange, not of the statement.
const OF_HTTP = ["query_id", "wait_end_of_query", "readonly", "role", "session_id"];

const engine = await openChdb(folder);
engine.ask(`CREATE DATABASE IF NOT EXISTS default`);

async function answer(request: Request): Promise<string> {
  if (request.headers.get("authorization") !== LET_IN) {
    throw new Error("Code: 516. DB::Exception: Authentication failed");
  }
  const settings = [...new URL(request.url).searchParams]
    .filter(([name]) => !OF_HTTP.includes(name))
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  if (settings.length > 0) engine.ask(`SET ${settings.join(", ")}`);
  return engine.ask(await request.text());
}

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    if (new URL(request.url).pathname === "/ping") return new Response("Ok.\n");
    try {
      return new Response(await answer(request));
    } catch (error) {
      const message = (error as Error).message.replace(/^.*?(?=Code: )/, "");
      const [, code = "1002"] = /^Code: (\d+)/.exec(message) ?? [];
      return new Response(message, {
        status: 500,
        headers: { "x-clickhouse-exception-code": code },
      });
    }
  },
);
console.log(server.addr.port);
