import type { Ctx, Env, MiddlewareHandler, OpenAPIHono } from "./hono.ts";
import { sendBytes, sendJson } from "./send.ts";

const DESCRIPTION =
  `Aggregated metrics about crypto projects, chains, products and market sectors, \
and three prebuilt datasets.

Money is US dollars, users are counts of distinct addresses, shares and changes are fractions. \
An unknown value is null, never zero.`;

/** Returns the OpenAPI document of an application. It is generated from the schemas that validate requests. */
function openapiDocument(app: OpenAPIHono<Env>): Openapi {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "chainframe reference service",
      version: "2.0.0",
      description: DESCRIPTION,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: "/" }],
    tags: [
      { name: "metrics", description: "Metrics by project, chain, product and market sector." },
      { name: "datasets", description: "Prebuilt datasets." },
      { name: "projects", description: "Descriptions of projects." },
    ],
  }) as unknown as Openapi;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface OpenapiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly "application/json": { readonly schema: { readonly $ref: string } };
    };
  };
}

interface Openapi {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, {
        readonly properties: Readonly<Record<string, Schema>>;
        readonly required?: readonly string[];
      }>
    >;
  };
}

/** The form on this page limits `limit` (INTERFACE 8). The operations themselves accept larger values. */
const MAX_LIMIT = 50;

function html(text: string): string {
  return text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** Returns the parameters of an operation. The members of a JSON body are parameters in `body`. */
function parametersOf(
  { parameters = [], requestBody }: OpenapiOperation,
  { components }: Openapi,
): readonly Parameter[] {
  if (requestBody === undefined) return parameters;
  const name = requestBody.content["application/json"].schema.$ref.split("/").at(-1)!;
  const { properties, required = [] } = components.schemas[name]!;
  return Object.entries(properties).map(([name, schema]) => (
    { name, in: "body", required: required.includes(name), schema }
  ));
}

function fieldHtml({ name, in: place, required = false, schema }: Parameter): string {
  const attributes = `name="${name}" data-in="${place}" data-type="${schema.type ?? "string"}"${
    required ? " required" : ""
  }`;
  const options = (schema.enum ?? []).map((word) => `<option>${html(word)}</option>`).join("");
  const isNumber = schema.type === "integer" || schema.type === "number";
  const most = name === "limit" ? ` min="1" max="${MAX_LIMIT}"` : "";
  const control = schema.enum !== undefined
    ? `<select ${attributes}><option></option>${options}</select>`
    : `<input ${attributes} ${isNumber ? `type="number"${most}` : 'type="text"'}>`;
  const limit = name === "limit" ? ` This page requests at most ${MAX_LIMIT}.` : "";
  const about = `${schema.description ?? ""}${limit}`;
  return `<label><span>${name}${required ? " *" : ""}</span>${control}<small>${
    html(about)
  }</small></label>`;
}

/** Returns the page: each operation with a form. */
function pageHtml(openapi: Openapi): string {
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const fields = parametersOf(operation, openapi).map(fieldHtml).join("\n");
      return `<details id="${operation.operationId}">
<summary><b>${method.toUpperCase()}</b> <code>${path}</code> ${html(operation.summary)}</summary>
<p>${html(operation.description)}</p>
<form data-method="${method.toUpperCase()}" data-path="${path}">
${fields}
<button>Send</button>
<output></output><pre hidden></pre>
</form>
</details>`;
    })
  );
  const about = html(openapi.info.description).replace(/\n+/g, "</p><p>");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>chainframe: reference</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<h1>${html(openapi.info.title)}</h1>
<p>${about}</p>
<p><a href="openapi.json">openapi.json</a> describes all operations for tools.</p>
<label><span>token</span><input id="token" type="password" autocomplete="off"><small>The bearer token.</small></label>
${operations.join("\n")}
<script src="reference/start.js"></script>
</body>
</html>
`;
}

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
details { border-top: 1px solid #8886; padding: .6rem 0; }
summary { cursor: pointer; }
label { display: grid; grid-template-columns: 10rem minmax(0, 20rem) minmax(0, 1fr); gap: .25rem 1rem; margin: .5rem 0; align-items: center; }
input, select, button { font: inherit; min-width: 0; }
small { opacity: .75; }
pre { overflow: auto; max-height: 30rem; border: 1px solid #8886; padding: .5rem; }
@media (max-width: 40rem) { label { grid-template-columns: 1fr; } }`;

/** The script of the page: sends the request of a form, and shows the response. */
const START = `const shown = (text) => {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
};
for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let path = form.dataset.path.slice(1);
    const query = new URLSearchParams();
    const body = {};
    for (const { name, value, dataset } of form.elements) {
      if (!name || value === "") continue;
      if (dataset.in === "path") path = path.replace("{" + name + "}", encodeURIComponent(value));
      else if (dataset.in === "query") query.set(name, value);
      else body[name] = dataset.type === "array" ? value.split(",").map((id) => id.trim()) : value;
    }
    const url = new URL(path + (query.size > 0 ? "?" + query : ""), new URL(".", location.href));
    const headers = { authorization: "Bearer " + document.querySelector("#token").value };
    const { method } = form.dataset;
    const request = { method, headers };
    if (method === "POST") {
      headers["content-type"] = "application/json";
      request.body = JSON.stringify(body);
    }
    const [output, text] = [form.querySelector("output"), form.querySelector("pre")];
    output.textContent = " …";
    try {
      const response = await fetch(url, request);
      text.textContent = shown(await response.text());
      text.hidden = false;
      output.textContent = " " + response.status + " " + url;
    } catch (error) {
      output.textContent = " " + error.message;
    }
  });
}
`;

// The page needs only its own origin, so the policy forbids all other origins.
const REFERENCE_HEADERS = {
  "content-security-policy":
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
};

function health(c: Ctx): Response {
  const { span, sample } = c.env.snapshot;
  return sendJson(c, { status: "ok", data: { ...span, sample } }, { "cache-control": "no-store" });
}

/** Adds the routes that need no token: `/healthz`, `/openapi.json` and the page `/reference`. */
export function addOpenRoutes(
  app: OpenAPIHono<Env>,
  middleware: readonly MiddlewareHandler<Env>[],
): void {
  app.get("/healthz", health);
  app.on("GET", ["/openapi.json", "/reference", "/reference/:name"], ...middleware);
  app.get("/openapi.json", (c) => sendJson(c, openapiDocument(app)));
  const send = (c: Ctx, type: string, text: string) =>
    sendBytes(c, new TextEncoder().encode(text), { "content-type": type, ...REFERENCE_HEADERS });
  // Relative links work under any path at which the service is mounted.
  app.get("/", (c) => c.body(null, 302, { location: "./reference" }));
  for (const path of ["reference", "openapi.json"]) {
    app.get(`/${path}/`, (c) => c.body(null, 308, { location: `../${path}` }));
  }
  app.get("/reference", (c) => send(c, "text/html; charset=utf-8", pageHtml(openapiDocument(app))));
  app.get("/reference/start.js", (c) => send(c, "text/javascript; charset=utf-8", START));
}
