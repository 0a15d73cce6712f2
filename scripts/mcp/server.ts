import process from "node:process";
import config from "../../deno.json" with { type: "json" };
import {
  anything,
  checkOptions,
  integer,
  oneOf,
  type Rules,
  string,
} from "../../lib/platform/check_options.ts";
import { loadPackage } from "../../lib/platform/package.ts";
import { type Chart, connect, type Connection, type ConnectOptions, setColors } from "../../mod.ts";
import {
  chartResult,
  errorResult,
  frameResult,
  MOST_ROWS,
  ROWS,
  type ToolResult,
} from "./results.ts";
import { operationName } from "../cli/query.ts";
import { type Tool, TOOLS } from "./tools.ts";
import { lineTransport } from "./transport.ts";
import { createTurns } from "./turns.ts";

const SDK = "npm:@modelcontextprotocol/sdk@1.32.2";

interface Call {
  readonly params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: { readonly progressToken?: string | number };
  };
}

interface CallExtra {
  readonly signal: AbortSignal;
  sendNotification(notification: unknown): Promise<void>;
}

/** The low-level server of the SDK. It accepts JSON Schema, and it does not remove unknown arguments of a call. */
interface Server {
  setRequestHandler(schema: unknown, handler: (call: Call, extra: CallExtra) => unknown): void;
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
}

// deno-lint-ignore no-explicit-any -- only users of this command download the SDK, so its types are not imported
type Sdk = any;

/** The arguments that every tool has. */
const COMMON = {
  limit: {
    type: "integer",
    minimum: 1,
    maximum: MOST_ROWS,
    description: `Most rows in the result; default ${ROWS}`,
  },
  asOf: {
    type: "string",
    description: "Return the data known at the end of this day: 2026-06-30. Needs --cache.",
  },
};

const INSTRUCTIONS =
  "Metrics of crypto projects and chains. Call catalog first for ids. Every result has its source, the last " +
  "day of its data, and the entities that were not found in errors: repeat them with the numbers. " +
  "null means not known, never 0. SAMPLE DATA is invented: say so.";

function listTools(): { tools: unknown[] } {
  const tools = Object.entries(TOOLS).map(([name, { description, properties, required = [] }]) => ({
    name,
    description,
    inputSchema: {
      type: "object",
      properties: { ...properties, ...COMMON },
      required,
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  }));
  return { tools };
}

/** Checks the arguments of a call. Throws for unknown arguments: an agent would assume that the tool uses them. */
function checkedArguments(
  tool: string,
  { properties, required = [] }: Tool,
  given: Readonly<Record<string, unknown>>,
) {
  const rules = Object.entries(properties).map(([name, { enum: words }]) => [
    name,
    words === undefined ? anything : oneOf(words as string[]),
  ]);
  const own = { limit: integer(1, MOST_ROWS), asOf: string };
  const { limit = ROWS, asOf, ...args } = checkOptions(
    given,
    { ...Object.fromEntries(rules) as Rules, ...own },
    { prefix: `${tool}: `, noun: "arguments", error: (message) => new RangeError(message) },
  );
  const missing = required.find((name) => given[name] === undefined);
  if (missing !== undefined) throw new RangeError(`${tool}: ${missing}: is required`);
  return { limit, asOf, args };
}

/** The options of every connection of a server. */
export interface ServerOptions extends Pick<ConnectOptions, "baseUrl" | "token"> {
  /** The folder of the cached responses. */
  readonly dir?: string;
  /** Whether the server only reads the folder `dir`, and sends no requests. */
  readonly offline?: boolean;
}

/**
 * Returns the cache options of one call. If `asOf` is given or `offline` is true, the cache is only read. Otherwise,
 * responses are stored.
 */
function cacheFor(
  { dir, offline = false }: ServerOptions,
  asOf: string | undefined,
): Pick<ConnectOptions, "cache"> {
  if (asOf !== undefined && dir === undefined) {
    throw new RangeError("asOf: needs an archive: start the server with --cache DIR.");
  }
  if (dir === undefined) return offline ? { cache: { mode: "offline" } } : {};
  if (asOf !== undefined) return { cache: { dir, mode: "offline", asOf } };
  return { cache: offline ? { dir, mode: "offline" } : { dir, keep: "all" } };
}

/** Sends the progress of a call, if the agent requested it. */
function progressOf(
  call: Call,
  { sendNotification }: CallExtra,
): Pick<ConnectOptions, "onProgress"> {
  const progressToken = call.params._meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onProgress: ({ done, total }) => {
      const params = { progressToken, progress: done, total };
      sendNotification({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

/** The connection before the options of a call are known: it has no token that a message could contain. */
const NO_TOKEN = { redact: (text: string) => text };

async function callTool(call: Call, extra: CallExtra, options: ServerOptions): Promise<ToolResult> {
  const { arguments: given = {} } = call.params;
  const name = operationName(call.params.name);
  let connection: Connection | null = null;
  try {
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (tool === undefined) {
      throw new RangeError(`unknown tool; tools: ${Object.keys(TOOLS).join(", ")}.`);
    }
    const { limit, asOf, args } = checkedArguments(name, tool, given);
    const { dir: _dir, offline: _offline, ...address } = options;
    connection = connect({
      ...address,
      ...cacheFor(options, asOf),
      ...progressOf(call, extra),
      signal: extra.signal,
      onMissing: "ignore",
    });
    const made = await tool.run(args, connection);
    return "png" in made
      ? await chartResult(made as Chart, connection)
      : frameResult(made, limit, connection);
  } catch (error) {
    return errorResult(error, connection ?? NO_TOKEN);
  }
}

/** Serves the tools on standard input and output until the client closes the connection. */
export async function serveTools(options: ServerOptions, signal: AbortSignal): Promise<void> {
  const [{ Server }, schemas] = await Promise.all([
    loadPackage<Sdk>(`${SDK}/server/index.js`),
    loadPackage<Sdk>(`${SDK}/types.js`),
  ]);
  // All charts of a session have the same colors, and no other session has an influence on them.
  setColors({});
  const server: Server = new Server(
    { name: "chainframe", version: config.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(schemas.ListToolsRequestSchema, listTools);
  const inTurn = createTurns();
  server.setRequestHandler(
    schemas.CallToolRequestSchema,
    (call, extra) =>
      inTurn(extra.signal, () => callTool(call, extra, options))
        .catch((error) => errorResult(error, NO_TOKEN)),
  );
  const closed = new Promise<void>((resolve) => server.onclose = resolve);
  const valid = (value: unknown) => schemas.JSONRPCMessageSchema.parse(value);
  await server.connect(lineTransport(process.stdin, process.stdout, valid));
  signal.addEventListener("abort", () => server.close());
  await closed;
}
