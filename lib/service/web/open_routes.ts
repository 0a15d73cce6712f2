import { type Answer, bytesAnswer, jsonAnswer } from "./answer.ts";
import type { Ctx, Env } from "./env.ts";
import { openapiDocument } from "./openapi_document.ts";
import type { OpenAPIHono } from "./openapi_hono.ts";
import { referenceFile } from "./reference_files.ts";
import { send } from "./send.ts";

// The page needs nothing from anywhere else, and is not let.
const REFERENCE_HEADERS = {
  "content-security-policy":
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
};

function health(c: Ctx): Response {
  const { span, sample } = c.env.snapshot;
  return Response.json({ status: "ok", data: { ...span, sample } }, {
    headers: { "cache-control": "no-store" },
  });
}

/** Adds what is open to everybody: `/healthz`, `/openapi.json` and the page `/reference`. */
export function addOpenRoutes(app: OpenAPIHono<Env>): void {
  const answers = new Map<string, Answer>();

  app.get("/healthz", health);
  app.get("/openapi.json", (c) => {
    let answer = answers.get("openapi.json");
    if (answer === undefined) {
      answer = jsonAnswer(openapiDocument(app));
      answers.set("openapi.json", answer);
    }
    return send(c, answer);
  });
  const reference = async (c: Ctx, name: string) => {
    let answer = answers.get(`reference/${name}`);
    if (answer === undefined) {
      const file = await referenceFile(name);
      if (file === null) return c.notFound();
      answer = bytesAnswer(file.bytes, file.type);
      answers.set(`reference/${name}`, answer);
    }
    return send(c, answer, REFERENCE_HEADERS);
  };
  app.get("/reference", (c) => reference(c, ""));
  app.get("/reference/:name", (c) => reference(c, c.req.param("name")));
}
