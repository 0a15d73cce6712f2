/**
 * Looks for advisories of the level high or above in the packages of each lock file. `npm audit` does not read them.
 * Without a network, the run of a person prints that it was skipped, and a run of CI fails.
 */
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);
/** The folders with a configuration and a lock file. */
export const LOCKED: readonly string[] = ["", "scripts/mcp/", "tests/", "tests/engines/"];

/** Whether the registry could not be reached, by what `deno audit` prints. */
export function isUnreachable(printed: string): boolean {
  return /error sending request|client error \(Connect\)|invalid peer certificate/.test(printed);
}

async function audit(folder: string): Promise<boolean> {
  const at = new URL(folder, ROOT);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["audit", "--level=high", `--lock=${fileURLToPath(new URL("deno.lock", at))}`],
    cwd: fileURLToPath(at),
  }).output();
  const printed = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const name = `${folder}deno.lock`;
  if (success) {
    console.log(`${name}: no advisory of the level high or above`);
    return true;
  }
  if (isUnreachable(printed) && !Deno.env.get("CI")) {
    console.log(`${name}: skipped, because the registry cannot be reached`);
    return true;
  }
  console.error(`${name}:\n${printed}`);
  return false;
}

if (import.meta.main) {
  const passed: boolean[] = [];
  for (const folder of LOCKED) passed.push(await audit(folder));
  if (passed.includes(false)) Deno.exit(1);
}
