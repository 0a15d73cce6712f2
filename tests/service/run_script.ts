/** How a script ended. */
export interface ScriptResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const ROOT = new URL("../../", import.meta.url).pathname;
const FEWEST = ["--allow-ffi", "--allow-sys", "--allow-read", "--allow-env"];

/** A command that runs a script of the project with the permissions it needs. */
export function scriptCommand(
  name: string,
  args: readonly string[],
  permissions: readonly string[],
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", ...FEWEST, ...permissions, `${ROOT}scripts/${name}.ts`, ...args],
    env: { NO_COLOR: "1", CHAINFRAME_SERVICE_TOKENS: "t" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs a script to its end. */
export async function runScript(
  name: string,
  args: readonly string[],
  permissions: readonly string[] = [],
): Promise<ScriptResult> {
  const { code, stdout, stderr } = await scriptCommand(name, args, permissions).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
