// deno-lint-ignore-file no-import-prefix -- only tests are a client of the protocol
import { Client } from "npm:@modelcontextprotocol/client@2.4.0";
import { StdioClientTransport } from "npm:@modelcontextprotocol/client@2.4.0/stdio";
import { commandOf, environmentOf } from "../../scripts/run_script.ts";

/** The result of a tool. */
export interface Result {
  readonly isError?: boolean;
  readonly content: readonly { type: string; text?: string; data?: string; mimeType?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>> & {
    readonly rows: readonly Record<string, unknown>[];
    readonly columns: readonly Record<string, unknown>[];
  };
}

type Call = (name: string, args?: Record<string, unknown>, options?: object) => Promise<Result>;

/** An open session. */
export interface Session {
  readonly client: Client;
  readonly call: Call;
  readonly stderr: () => string;
}

/** Starts the script by exactly its first line, and talks to it as an agent does. */
export async function inSession(
  { args = [], env = {} }: { args?: readonly string[]; env?: Record<string, string> },
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const [command, ...words] = commandOf("mcp.ts", args);
  const transport = new StdioClientTransport({
    command: command!,
    args: words,
    env: environmentOf(env),
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (bytes: Uint8Array) => stderr += new TextDecoder().decode(bytes));
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  try {
    const call: Call = (name, given = {}, options = {}) =>
      client.callTool({ name, arguments: given }, options) as Promise<Result>;
    await work({ client, call, stderr: () => stderr });
  } finally {
    await client.close();
  }
}
