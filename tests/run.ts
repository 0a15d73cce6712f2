/**
 * Runs a suite of tests in several processes side by side:
 *
 *     deno task test                  tests/ without tests/slow
 *     deno task test:slow             tests/slow
 *     deno task test tests/chart      one folder or file of a suite
 *     deno task test --filter=NAME    other options are passed on to `deno test`
 *
 * @module
 */
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const SUITES = {
  fast: { folder: "tests", command: "deno task test", what: "the fast tests" },
  slow: {
    folder: "tests/slow",
    command: "deno task test:slow",
    what: "kills, random worlds, fuzz, soak, clusters, browsers, Jupyter",
  },
  engines: {
    folder: "tests/engines",
    command: "deno task test:engines",
    what: "a current ClickHouse",
  },
} as const;

type Suite = keyof typeof SUITES;

const [suite, ...args] = Deno.args as [Suite, ...string[]];
const options = args.filter((arg) => arg.startsWith("-"));
const paths = args.filter((arg) => !arg.startsWith("-"));

// These take longest, so that they begin first.
const LONGEST = [
  ...["tests/slow/package", "tests/slow/cluster", "tests/slow/service"],
  ...["tests/slow/analysis", "tests/slow/scripts", "tests/slow/operations"],
  ...["tests/slow/notebooks", "tests/slow/chart", "tests/slow/http"],
  ...[
    "tests/service",
    "tests/scripts",
    "tests/analysis",
    "tests/chart",
    "tests/docs",
    "tests/http",
  ],
];

const SILENCE_MS = 4_000;

/** Runs a command of tests, and writes the processor time of it and of the processes that it started. */
const TIMED = '"$0" "$@" 2>&1; code=$?; times >"$TIMES"; exit $code';

/** The sum of the times that `times` of a shell prints, such as `1m2.5s`. */
function secondsIn(times: string): number {
  return [...times.matchAll(/(\d+)m([\d.]+)s/g)]
    .reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
}

let cpuSeconds = 0;

interface Result {
  readonly name: string;
  readonly state: "passed" | "failed" | "ignored";
  readonly seconds: number;
}

function* testFiles(folder: string): Generator<string> {
  const others: string[] = Object.values(SUITES).map((other) => other.folder);
  for (const { name, isDirectory } of Deno.readDirSync(ROOT + folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory && !others.includes(path)) yield* testFiles(path);
    else if (name.endsWith("_test.ts")) yield path;
  }
}

function rank(file: string): number {
  const found = LONGEST.findIndex((folder) => file.startsWith(`${folder}/`));
  return found < 0 ? LONGEST.length : found;
}

/**
 * The files of the suite, in groups with a process each. A group is a folder of `tests`, because loading the library
 * takes longer than most tests. Each file of the slow tests has a process.
 */
function groupsOf(): string[][] {
  const chosen = [...testFiles(SUITES[suite].folder)]
    .filter((file) =>
      paths.length === 0 ||
      paths.some((path) => `${file}/`.startsWith(`${path.replace(/\/$/, "")}/`))
    )
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const groups: string[][] = [];
  const folderOf = (file: string) => file.split("/").slice(0, -1)[1];
  for (const file of chosen) {
    const last = groups.at(-1);
    if (last && suite !== "slow" && folderOf(last[0]!) === folderOf(file)) last.push(file);
    else groups.push([file]);
  }
  return groups;
}

let printed = performance.now();
function print(line: string): void {
  console.log(line);
  printed = performance.now();
}

/** The environment of every process: a cache folder of this run, where the sample is built once. */
async function environment(folder: string): Promise<Record<string, string>> {
  const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout));
  // Where XDG_CACHE_HOME is set, Deno would take its own folder from there, too.
  return { DENO_DIR: denoDir, XDG_CACHE_HOME: folder, NO_COLOR: "1" };
}

async function buildSample(env: Record<string, string>): Promise<void> {
  const service = new URL("../lib/service/mod.ts", import.meta.url).href;
  const code = `import { createService } from "${service}"; await (await createService()).close();`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", code],
    cwd: ROOT,
    env,
  }).output();
  if (!success) print(new TextDecoder().decode(stderr));
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&quot;": '"', "&apos;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" },
};

/** Reads the report of a process. The steps of a test are left out, since a test fails with any of its steps. */
function resultsIn(report: string): Result[] {
  const text = (value: string) => value.replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity);
  const cases = report.matchAll(
    /<testcase name="([^"]*)" classname="([^"]*)" time="([^"]*)"[^>]*?(?:\/>|>([^]*?)<\/testcase>)/g,
  );
  const results = [...cases].map(([, name, file, seconds, body = ""]): Result => ({
    name: `${file!.replace(/^\.\//, "tests/")}: ${text(name!)}`,
    state: /<(failure|error)/.test(body)
      ? "failed"
      : body.includes("<skipped")
      ? "ignored"
      : "passed",
    seconds: Number(seconds),
  }));
  return results.filter(({ name }) => !results.some((test) => name.startsWith(`${test.name} > `)));
}

const running = new Map<string, number>();
let done = 0;

/** Returns the module to run: the only file of a group, or a new module that imports its files. */
async function moduleOf(group: readonly string[], folder: string): Promise<string> {
  const paths = group.map((file) => ROOT + file);
  if (paths.length === 1) return paths[0]!;
  const path = `${folder}/${crypto.randomUUID()}_test.ts`;
  const code = paths.map((each) => `import ${JSON.stringify(each)};\n`).join("");
  await Deno.writeTextFile(path, code);
  return path;
}

/** Runs the tests of a group in one process, and prints the time of each file. */
async function run(
  group: readonly string[],
  { env, count }: { env: Record<string, string>; count: number },
) {
  const folder = env.XDG_CACHE_HOME!;
  const report = await Deno.makeTempFile({ dir: folder, suffix: ".xml" });
  const child = new Deno.Command("sh", {
    args: ["-c", TIMED, Deno.execPath(), "test", "--config", "deno.json"]
      .concat(
        "--allow-all",
        "--no-check",
        "--quiet",
        `--junit-path=${report}`,
        ...options,
        await moduleOf(group, folder),
      ),
    // Its deno.json ends the search for a .env file, so the developer's is not read.
    cwd: `${ROOT}tests`,
    env: { ...env, TIMES: `${report}.times` },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const others = group.length > 1 ? ` and ${group.length - 1} more` : "";
  const shown = `${group[0]}${others}`;
  const started = performance.now();
  running.set(shown, started);
  let told = "";
  let line = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    told += piece;
    const parts = (line + piece).split("\n");
    line = parts.pop()!;
    for (const part of parts) if (part.includes(" ... FAILED")) print(`FAILED ${part}`);
  }
  running.delete(shown);
  const { success } = await child.status;
  cpuSeconds += secondsIn(await Deno.readTextFile(`${report}.times`).catch(() => ""));
  const results = resultsIn(await Deno.readTextFile(report));
  for (const file of group) {
    const own = results.filter(({ name }) => name.startsWith(`${file}: `));
    const seconds = group.length === 1
      ? (performance.now() - started) / 1_000
      : own.reduce((sum, { seconds }) => sum + seconds, 0);
    print(`${String(++done).padStart(4)}/${count} ${seconds.toFixed(1).padStart(6)} s  ${file}`);
  }
  const hasFailed = results.some(({ state }) => state === "failed");
  if (!success) print(told.slice(Math.max(0, told.indexOf("\n ERRORS "))));
  // A process that ended badly without a test that failed has failed itself.
  if (!success && !hasFailed) {
    results.push({ name: `${group.join(" ")}: the process`, state: "failed", seconds: 0 });
  }
  return results;
}

/** Runs all groups, several at a time. */
async function runAll(groups: readonly string[][], env: Record<string, string>): Promise<Result[]> {
  const left = [...groups];
  const count = groups.flat().length;
  const results: Result[] = [];
  const work = async () => {
    for (let group = left.shift(); group !== undefined; group = left.shift()) {
      results.push(...await run(group, { env, count }));
    }
  };
  // Slow tests measure time and memory, so they do not fill the machine. A fast one waits for processes and timers.
  const most = suite === "fast" ? navigator.hardwareConcurrency + 1 : 2;
  await Promise.all(Array.from({ length: Math.max(2, most) }, work));
  return results;
}

function summary(results: readonly Result[], seconds: number): boolean {
  const of = (state: Result["state"]) => results.filter((result) => result.state === state);
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  print("\nSlowest:");
  for (const { name, seconds } of slowest) print(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
  for (const { name } of of("ignored")) print(`ignored ${name}`);
  for (const { name } of of("failed")) print(`FAILED  ${name}`);
  const [passed, failed, ignored] = [of("passed"), of("failed"), of("ignored")].map((list) =>
    list.length
  );
  const isGood = failed === 0 && passed! > 0;
  print(
    `\n${isGood ? "ok" : "FAILED"} | ${passed} passed | ${failed} failed | ${ignored} ignored | ` +
      `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s, ` +
      `${Math.round(cpuSeconds)} s of processor time`,
  );
  const others = Object.entries(SUITES).filter(([name]) => name !== suite);
  const list = others.map(([, { command, what }]) => `${what} (${command})`).join("; ");
  print(`Not run: ${paths.length > 0 ? `other folders (${SUITES[suite].command}); ` : ""}${list}`);
  return isGood;
}

const started = performance.now();
const folder = await Deno.makeTempDir({ prefix: "chainframe-tests-" });
Deno.addSignalListener("SIGINT", () => {
  Deno.removeSync(folder, { recursive: true });
  Deno.exit(130);
});
const heart = setInterval(() => {
  if (performance.now() - printed < SILENCE_MS) return;
  const now = [...running].map(([file, since]) =>
    `${file} (${Math.round((performance.now() - since) / 1_000)} s)`
  );
  print(`          …  ${now.join(", ") || "starting"}`);
}, 1_000);
try {
  const groups = groupsOf();
  const env = await environment(folder);
  await buildSample(env);
  const results = await runAll(groups, env);
  Deno.exitCode = summary(results, (performance.now() - started) / 1_000) ? 0 : 1;
} finally {
  clearInterval(heart);
  await Deno.remove(folder, { recursive: true }).catch(() => {});
}
