import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { nameFlags } from "../../lib/platform/statement.ts";

export { inFolder } from "../in_folder.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** A folder with a deno.json, which ends the search for a .env file: the developer's is not read. */
const TESTS = `${ROOT}tests`;
const decoder = new TextDecoder();

/** Exit code and output of a process. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Uint8Array;
}

/** Options of a run. */
export interface RunOptions {
  /** The environment besides PATH, HOME and DENO_DIR. @default {none} */
  readonly env?: Readonly<Record<string, string>>;
  /** @default {the folder of the tests} */
  readonly cwd?: string;
  /** A permission of its first line that is taken away. @default {none} */
  readonly without?: string;
}

const asked = new Map<string, Set<string>>();

/** The options that a script was run with by `runScript` so far. */
function optionsRun(script: string): ReadonlySet<string> {
  return asked.get(script) ?? new Set();
}

/** The words of a script's first line behind `deno`. A shell finds the folder of the script, for a file of it. */
export function firstLine(script: string): string[] {
  const [line] = Deno.readTextFileSync(`${ROOT}scripts/${script}`).split("\n", 1);
  const plain = line!.replace(/sh -c 'exec (.*) "\$0" "\$@"'$/, "$1")
    .replace(/"\$\{0%\/\*\}\/([^"]+)"/, `${ROOT}scripts/$1`);
  const [env, split, deno, ...words] = plain.split(" ");
  strictEqual([env, split, deno].join(" "), "#!/usr/bin/env -S deno");
  return words;
}

/** Tests that runs of this process gave a script each option of its help. */
export function testEveryOption(script: string): void {
  Deno.test(`every option of ${script} was run`, async () => {
    const { stdout } = await runScript(script, ["--help"]);
    await runScript(script, ["--version"]);
    await runScript(script, ["--debug", "--unknown"]);
    const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name!);
    ok(options.length > 2, stdout);
    deepStrictEqual(options.filter((name) => !optionsRun(script).has(name)), []);
  });
}

function note(script: string, args: readonly string[]): void {
  const names = args.filter((word) => word.startsWith("--")).map((word) => word.split("=")[0]!);
  asked.set(script, new Set([...optionsRun(script), ...names]));
}

/** The words of the command that runs a script by exactly its first line. */
export function commandOf(script: string, args: readonly string[], without?: string): string[] {
  const words = firstLine(script).filter((word) => word !== without);
  note(script, args);
  return [Deno.execPath(), ...words, `${ROOT}scripts/${script}`, ...args];
}

// With an empty cache a folder of its own downloads, and may have to trust who the machine trusts.
const CERTIFICATES = [
  "DENO_CERT",
  "DENO_TLS_CA_STORE",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];
const KEPT = ["PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME", ...CERTIFICATES];

/** The environment of a process: only the variables that Deno needs. */
export function environmentOf(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), ...env };
}

/** Runs a command to its end. */
export async function runCommand(
  [program, ...args]: readonly string[],
  { env = {}, cwd = TESTS }: RunOptions = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(program!, {
    args,
    cwd,
    clearEnv: true,
    env: environmentOf(env),
    stdin: "null",
  }).output();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), bytes: stdout };
}

/** Runs a script as a process, with the permissions of its first line. */
export function spawnScript(
  script: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ended> {
  return runCommand(commandOf(script, args, options.without), options);
}

const VARIABLES = ["BASE_URL", "TOKEN", "CACHE", "LOCK", "LOCK_UPDATE"]
  .map((name) => `CHAINFRAME_${name}`);

/** Sets the environment and the folder of this process, as `runCommand` does of another one. */
function enter({ env = {}, cwd = TESTS }: RunOptions): () => void {
  const names = [...VARIABLES, ...Object.keys(env)];
  const before = names.map((name) => [name, Deno.env.get(name)] as const);
  const folder = Deno.cwd();
  for (const name of VARIABLES) Deno.env.delete(name);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  Deno.chdir(cwd);
  return () => {
    Deno.chdir(folder);
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  };
}

function collected() {
  const pieces: Uint8Array[] = [];
  const writeSync = (bytes: Uint8Array) => pieces.push(bytes.slice()) && bytes.length;
  const write = (bytes: Uint8Array) => Promise.resolve(writeSync(bytes));
  return { pieces, stream: { write, writeSync, isTerminal: () => false } };
}

/** Runs the `main` of a script in this process; one script at a time. */
export async function runScript(
  script: string,
  args: readonly string[],
  options: Omit<RunOptions, "without"> = {},
): Promise<Ended> {
  note(script, args);
  const { main } = await import(new URL(`../../scripts/${script}`, import.meta.url).href);
  const [stdout, stderr] = [collected(), collected()];
  const leave = enter(options);
  try {
    const code = await main(args, { stdout: stdout.stream, stderr: stderr.stream });
    const bytes = new Uint8Array(await new Blob(stdout.pieces as BlobPart[]).arrayBuffer());
    const told = await new Blob(stderr.pieces as BlobPart[]).text();
    return { code, stdout: decoder.decode(bytes), stderr: told, bytes };
  } finally {
    leave();
    nameFlags(false);
  }
}

/** Runs a script on a terminal of 80 places, where stdout and stderr are one. */
export async function runOnTerminal(
  script: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ code: number; screen: string }> {
  const quoted = commandOf(script, args).map((word) => `'${word}'`).join(" ");
  const { code, stdout } = await runCommand(
    ["script", "-qec", `stty cols 80 rows 40; ${quoted}`, "/dev/null"],
    options,
  );
  // Deno clears the lines of its own progress, also where it showed none.
  // deno-lint-ignore no-control-regex -- they are what it is about
  return { code, screen: stdout.replaceAll("\r\n", "\n").replace(/\x1b\[(0G|2K|J)/g, "") };
}
