// Every test, `deno task test`: in two processes side by side, of which one alone would take the time of
// both. What the second tells is held until the first has ended. Arguments are handed on to both.

const ROOT = new URL("../", import.meta.url).pathname;

/** Half of the time goes into these rooms: databases, sockets and clusters. */
const SERVICE = ["tests/service", "tests/cluster"];

/** The other rooms, and the examples of code and pages. */
const OTHERS = [
  ...["mod.ts", "lib", "scripts", "docs", "README.md", "CHANGELOG.md"],
  ...[...Deno.readDirSync(`${ROOT}tests`)]
    .filter(({ name, isDirectory }) => isDirectory || name.endsWith("_test.ts"))
    .map(({ name }) => `tests/${name}`)
    .filter((path) => ![...SERVICE, "tests/engines"].includes(path))
    .sort(),
];

const COUNTS = /(\d+) passed(?: \((\d+) steps?\))? \| (\d+) failed(?: \((\d+) steps?\))?/g;

interface Half {
  readonly passed: number;
  readonly failed: number;
}

/** Runs the tests of some paths, and tells what they tell as soon as it may. */
async function run(paths: readonly string[], mayTell: Promise<unknown>): Promise<Half> {
  const child = new Deno.Command("sh", {
    args: ["-c", 'exec "$0" "$@" 2>&1', Deno.execPath(), "test", "--config", "tests/deno.json"]
      .concat("--allow-all", "--doc", "--quiet", ...paths, ...Deno.args),
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const held: Uint8Array[] = [];
  let told = "";
  let telling = false;
  const tell = () => {
    telling = true;
    for (let bytes of held.splice(0)) {
      while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
    }
  };
  void mayTell.then(tell);
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    told = (told + decoder.decode(bytes, { stream: true })).slice(-1_000);
    held.push(bytes);
    if (telling) tell();
  }
  const { success } = await child.status;
  await mayTell;
  const counts = [...told.matchAll(COUNTS)].at(-1);
  const failed = Number(counts?.[3] ?? 0);
  // A process that ended without its counts, or not well in spite of them, has failed.
  return { passed: Number(counts?.[1] ?? 0), failed: success || failed > 0 ? failed : 1 };
}

const first = run(OTHERS, Promise.resolve());
const halves = await Promise.all([first, run(SERVICE, first)]);
const sum = (of: keyof Half) => halves.reduce((all, half) => all + half[of], 0);
const failed = sum("failed");
console.log(`\n${failed === 0 ? "ok" : "FAILED"} | ${sum("passed")} passed | ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
