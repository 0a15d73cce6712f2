import { strictEqual } from "node:assert/strict";
import { runCommand } from "../../scripts/run_script.ts";

/** Runs a command that must succeed, and returns its stdout. */
export async function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, { cwd, env });
  strictEqual(code, 0, [command.join(" "), stdout, stderr].join("\n"));
  return stdout;
}
