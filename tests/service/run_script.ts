/** Exit code and output of a script. */
export interface ScriptResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The token that a serving script accepts. */
export const SERVE_TOKEN = "token-of-the-tests";

const ROOT = new URL("../../", import.meta.url).pathname;
const FEWEST = ["--allow-ffi", "--allow-sys", "--allow-read", "--allow-env"];

/** In what process a script runs. */
export interface ScriptProcess {
  /** Permissions that it has besides the fewest. */
  readonly permissions?: readonly string[];
  /** Its limit of open files; by default that of the test. */
  readonly openFiles?: number;
  /** The target of its stderr; by default the test. */
  readonly stderrTo?: string;
}

/** A command that runs a script of the project with the permissions it needs. */
export function scriptCommand(
  name: string,
  args: readonly string[],
  { permissions = [], openFiles, stderrTo }: ScriptProcess,
): Deno.Command {
  const limit = openFiles === undefined ? "" : `ulimit -n ${openFiles}; `;
  const redirect = stderrTo === undefined ? "" : ` 2>${stderrTo}`;
  return new Deno.Command("sh", {
    args: [
      "-c",
      `${limit}exec "$0" "$@"${redirect}`,
      Deno.execPath(),
      "run",
      "--no-prompt",
      ...FEWEST,
      ...permissions,
      `${ROOT}scripts/${name}.ts`,
      ...args,
    ],
    env: { NO_COLOR: "1", CHAINFRAME_SERVICE_TOKENS: SERVE_TOKEN },
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
  const { code, stdout, stderr } = await scriptCommand(name, args, { permissions }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
