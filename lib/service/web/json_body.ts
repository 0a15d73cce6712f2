import type { Ctx } from "./env.ts";
import { failure } from "./failure.ts";
import { readBody } from "./read_body.ts";

const JSON_TYPE = /^application\/([a-z.+-]+\+)?json *(;|$)/i;

/**
 * The text of a body that says it is JSON.
 *
 * @throws {Failure} 415 for another type, 413 when it is too large.
 */
export async function bodyText(c: Ctx): Promise<string> {
  const type = c.req.header("content-type") ?? "";
  if (!JSON_TYPE.test(type)) {
    throw failure(415, "UNSUPPORTED_MEDIA_TYPE", "The body must be application/json.", {
      field: "Content-Type",
      value: type,
    });
  }
  return new TextDecoder().decode(await readBody(c.req.raw));
}

/**
 * Hands the text of a body on to the validation.
 *
 * @throws {Failure} 400 when it is not JSON.
 */
export function passOn(c: Ctx, text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failure(400, "INVALID_JSON", `The body is not JSON: ${reason}.`, {
      field: "body",
      value: text,
    });
  }
  const headers = { "content-type": "application/json" };
  c.req.raw = new Request(c.req.raw.url, { method: "POST", headers, body: text });
}
