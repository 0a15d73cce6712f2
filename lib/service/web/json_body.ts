import type { Ctx } from "./env.ts";
import { failure } from "./failure.ts";
import { readBody } from "./read_body.ts";

const JSON_TYPE = /^application\/([a-z.+-]+\+)?json *(;|$)/i;

function parseable(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failure(400, "INVALID_JSON", `The body is not JSON: ${reason}.`, {
      field: "body",
      value: text,
    });
  }
}

/**
 * The text of a JSON body, which can still be read by who comes next.
 *
 * @throws {Failure} 415 for another type, 413 when it is too large, 400 when it does not parse.
 */
export async function jsonBody(c: Ctx): Promise<string> {
  const type = c.req.header("content-type") ?? "";
  if (!JSON_TYPE.test(type)) {
    throw failure(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json.", {
      field: "Content-Type",
      value: type,
    });
  }
  const { url } = c.req.raw;
  const body = await readBody(c.req.raw);
  c.req.raw = new Request(url, { method: "POST", headers: { "content-type": type }, body });
  const text = new TextDecoder().decode(body);
  parseable(text);
  return text;
}
