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
import { getPrompt, listPrompts, type PromptParams } from "./prompts.ts";
import { listHelp, listHelpTemplates, readHelp } from "./resources.ts";
import { lineTransport } from "./transport.ts";
import { createTurns, inTime } from "./turns.ts";

const SDK = "npm:@modelcontextprotocol/server@2.4.0";

/** A request of the protocol: its parameters depend on its method. */
interface Request<Params> {
  readonly params: Params;
}

interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: { readonly progressToken?: string | number };
}

interface Context {
  readonly mcpReq: {
    readonly signal: AbortSignal;
    notify(notification: unknown): Promise<void>;
  };
}

/** The low-level server of the SDK. It accepts JSON Schema, and it does not remove unknown arguments of a call. */
interface Server {
  setRequestHandler<Params>(
    method: string,
    handler: (request: Request<Params>, context: Context) => unknown,
  ): void;
}

interface Sdk {
  readonly Server: new (info: unknown, options: unknown) => Server;
  parseJSONRPCMessage(value: unknown): unknown;
}

interface Stdio {
  serveStdio(make: () => Server, options: { readonly transport: unknown }): {
    close(): Promise<void>;
  };
}

/** The arguments that every tool has. */
const COMMON = {
  limit: { type: "integer" },
  asOf: { type: "string" },
};

const INSTRUCTIONS =
  "Metrics of crypto projects and chains. Call catalog first for ids. Every result has its source, the last " +
  "day of its data, and the entities that were not found in errors: repeat them with the numbers. " +
  "null means not known, never 0. SAMPLE DATA is invented: say so. " +
  `Every tool has limit (rows; default ${ROWS}, at most ${MOST_ROWS}) and asOf (the data known at the end of this day, such as ` +
  "2026-06-30; needs --cache). An argument without a description is described in an earlier tool. " +
  "chainframe://help/NAME explains a function or a column.";

/** Lists the tools. The server refuses unknown arguments itself, and names the nearest. */
function listTools(): { tools: unknown[] } {
  const tools = Object.entries(TOOLS).map(([name, tool]) => ({
    name,
    description: tool.description,
    inputSchema: {
      type: "object",
      properties: { ...tool.properties, ...COMMON },
      ...tool.required.length > 0 && { required: tool.required },
      ...tool.defs && { $defs: tool.defs },
    },
    annotations: { readOnlyHint: true },
  }));
  return { tools };
}

/** Checks the arguments of a call. Throws for unknown arguments: an agent would assume that the tool uses them. */
function checkedArguments(
  tool: string,
  { properties, required }: Tool,
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
  return { cache: { dir, mode: offline ? "offline" : "use" } };
}

/** Sends the progress of a call, if the agent requested it. */
function progressOf(
  { _meta: { progressToken } = {} }: CallParams,
  { mcpReq }: Context,
): Pick<ConnectOptions, "onProgress"> {
  if (progressToken === undefined) return {};
  return {
    onProgress: ({ done, total }) => {
      const params = { progressToken, progress: done, total };
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

/** The connection before the options of a call are known: it has no token that a message could contain. */
const NO_TOKEN = { redact: (text: string) => text };

/** Maximum time of a call, in milliseconds. */
const LONGEST = 60_000;

async function callTool(
  params: CallParams,
  context: Context,
  options: ServerOptions,
): Promise<ToolResult> {
  const { arguments: given = {} } = params;
  const name = operationName(params.name);
  let connection: Connection | null = null;
  try {
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (tool === undefined) {
      throw new RangeError(`unknown tool; tools: ${Object.keys(TOOLS).join(", ")}.`);
    }
    const { limit, asOf, args } = checkedArguments(name, tool, given);
    const { dir: _dir, offline: _offline, ...address } = options;
    const made = await inTime(context.mcpReq.signal, LONGEST, (signal) => {
      connection = connect({
        ...address,
        ...cacheFor(options, asOf),
        ...progressOf(params, context),
        signal,
        onMissing: "ignore",
      });
      return tool.run(args, connection);
    });
    return "png" in made
      ? await chartResult(made as Chart, connection!)
      : frameResult(made, limit, connection!);
  } catch (error) {
    return errorResult(error, connection ?? NO_TOKEN);
  }
}

/** Creates a server of the tools, the pages of help and the prompts. */
function createServer({ Server }: Sdk, options: ServerOptions): Server {
  const server = new Server(
    { name: "chainframe", version: config.version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  const inTurn = createTurns();
  server.setRequestHandler("tools/list", listTools);
  server.setRequestHandler<CallParams>(
    "tools/call",
    ({ params }, context) =>
      inTurn(context.mcpReq.signal, () => callTool(params, context, options))
        .catch((error) => errorResult(error, NO_TOKEN)),
  );
  server.setRequestHandler("resources/list", listHelp);
  server.setRequestHandler("resources/templates/list", listHelpTemplates);
  server.setRequestHandler<{ readonly uri: string }>(
    "resources/read",
    ({ params }) => readHelp(params.uri),
  );
  server.setRequestHandler("prompts/list", listPrompts);
  server.setRequestHandler<PromptParams>("prompts/get", ({ params }) => getPrompt(params));
  return server;
}

/** Serves the tools on standard input and output until the client closes the connection. */
export async function serveTools(options: ServerOptions, signal: AbortSignal): Promise<void> {
  const [sdk, { serveStdio }] = await Promise.all([
    loadPackage<Sdk>(SDK),
    loadPackage<Stdio>(`${SDK}/stdio`),
  ]);
  // All charts of a session have the same colors, and no other session has an influence on them.
  setColors({});
  const { transport, closed } = lineTransport(
    process.stdin,
    process.stdout,
    sdk.parseJSONRPCMessage,
  );
  const session = serveStdio(() => createServer(sdk, options), { transport });
  signal.addEventListener("abort", () => session.close());
  await closed;
}
