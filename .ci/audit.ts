/**
 * Looks for advisories of the level high or above in the packages of each lock file. `npm audit` does not read them.
 * Without a network, or with a registry that has no advisories, it prints that it was skipped; with `--required` it
 * fails.
 */
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);
/** The folders with a configuration and a lock file. */
export const LOCKED: readonly string[] = ["", "scripts/mcp/", "tests/", "tests/engines/"];

/**
 * Whether no registry answered with advisories, by what `deno audit` prints: it could not be reached, or it is a mirror
 * of packages only.
 */
export function isUnanswered(printed: string): boolean {
  return /error sending request|client error \(Connect\)|invalid peer certificate|Failed to (get|read|deserialize) response/
    .test(printed);
}

async function audit(folder: string, { isRequired }: { isRequired: boolean }): Promise<boolean> {
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
  if (isUnanswered(printed) && !isRequired) {
    console.log(`${name}: skipped, because the registry does not answer with advisories`);
    return true;
  }
  console.error(`${name}:\n${printed}`);
  return false;
}

if (import.meta.main) {
  const passed: boolean[] = [];
  const isRequired = Deno.args.includes("--required");
  for (const folder of LOCKED) passed.push(await audit(folder, { isRequired }));
  if (passed.includes(false)) Deno.exit(1);
}
