/** Sends one request in a separate process, whose environment names a proxy, and prints the result. */
import { ask } from "./ask.ts";
import { connect } from "../../lib/http/connect.ts";
import { QUESTION } from "./question.ts";

const [baseUrl = "", own] = Deno.args;
try {
  const fetch = own === "own"
    ? { fetch: (request: Request) => globalThis.fetch(request) }
    : own === "global"
    ? { fetch: globalThis.fetch }
    : {};
  const [answer] = await ask(
    QUESTION,
    connect({ baseUrl, token: "s3cret-token", envFile: false, ...fetch }),
  );
  console.log(`${answer?.data}`);
} catch (error) {
  console.log(`${error}`);
}
