// All benchmarks: `deno task bench`, or `deno task bench --short` to see that they run. A speed is a
// ratio within one run; its baseline is measured next to it. Failures are listed at the end, and do not stop
// the other measurements. `--docs` also writes tests/bench/measured.csv and the short table of docs/performance.md, and
// `--only=word,word` measures the sections whose heading contains one of the words.
import { analyses } from "./analyses.ts";
import { buildOnce, builds, factsOf, largeSample } from "./builds.ts";
import { cached } from "./cached.ts";
import { decode } from "./decode.ts";
import { drawings } from "./drawings.ts";
import { frames } from "./frames.ts";
import { csvOf, isReached, type Measured, printed } from "./measure.ts";
import { marked, withTables } from "./page.ts";
import { processes } from "./processes.ts";
import { questions } from "./questions.ts";
import { waits } from "./waits.ts";

const short = Deno.args.includes("--short");
const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice("--only=".length) ?? "";
const folder = new URL("../../out/bench", import.meta.url).pathname;
await Deno.mkdir(folder, { recursive: true });

const machine = {
  cores: navigator.hardwareConcurrency,
  system: `${Deno.build.os} ${Deno.build.arch}`,
  deno: Deno.version.deno,
  // Other work at the start: the figures of a busy machine are larger, and some ratios are, too.
  load: Deno.loadavg()[0]!,
  short,
};

const factor = short ? 0.01 : 1;

/** The file of data that questions are asked of; built already where the largest build of all was. */
async function servedData(): Promise<string> {
  const data = `${folder}/built_${factor}.duckdb`;
  if (!finished.has("Building a file of data") || short) {
    await buildOnce(await factsOf(folder, factor), data);
  }
  return data;
}

let served: Promise<string> | null = null;
const SECTIONS: Readonly<Record<string, () => Promise<Measured[]>>> = {
  "What users wait for": () => waits(short),
  "From bytes to a frame": () => decode(short),
  "Whole processes": () => processes(short),
  "A loop of frames": () => frames(short),
  "The first drawing of a process": () => drawings(short),
  "Analyses": () => analyses(short),
  "Building a file of data": () => builds(folder, short),
  "Building the sample": () => largeSample(folder, short),
  "Questions to a service": async () => await questions(await (served ??= servedData()), short),
  "Kept answers": async () => await cached(await (served ??= servedData()), short),
};

const measured: (Measured & { readonly section: string; readonly reached: boolean | null })[] = [];
const finished = new Map<string, string>();
const failures: string[] = [];
for (const [section, measure] of Object.entries(SECTIONS)) {
  if (!only.toLowerCase().split(",").some((word) => section.toLowerCase().includes(word))) continue;
  const start = performance.now();
  try {
    const found = await measure();
    measured.push(...found.map((each) => ({ section, ...each, reached: isReached(each) })));
    const table = printed(found, short);
    finished.set(section, table);
    const seconds = ((performance.now() - start) / 1_000).toFixed(0);
    console.log(`\n${section} (measured in ${seconds} s)\n\n${table}`);
  } catch (error) {
    failures.push(section);
    console.error(`\n${section} FAILED:`, error);
  }
}

// A run of some sections keeps what was measured in the others.
if (only !== "" && !short) {
  const before = await Deno.readTextFile(`${folder}/bench.json`).then(JSON.parse).catch(() => null);
  const kept: typeof measured = before?.measured ?? [];
  measured.push(
    ...kept.filter(({ section }) => measured.every((each) => each.section !== section)),
  );
}

await Deno.writeTextFile(
  `${folder}/bench.json`,
  JSON.stringify({ machine, failures, measured }, null, 2) + "\n",
);
console.log(`\nwritten: ${folder}/bench.json`);

/** Writes all measurements as CSV, and the tables of the page from this CSV. */
async function writeDocs(): Promise<void> {
  const page = new URL("../../docs/performance.md", import.meta.url).pathname;
  const { cores, system, deno, load } = machine;
  const about = `${cores} cores, ${system}, Deno ${deno}; load at the start ${load.toFixed(1)}.`;
  const csv = csvOf(measured);
  await Deno.writeTextFile(new URL("./measured.csv", import.meta.url), csv);
  const text = marked(await Deno.readTextFile(page), "The machine", about);
  await Deno.writeTextFile(page, withTables(text, csv));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", page] }).output();
  console.log(`written: ${page} and tests/bench/measured.csv`);
}

if (Deno.args.includes("--docs") && !short) await writeDocs();
if (!short) {
  const judged = measured.filter(({ reached }) => reached !== null);
  const missed = judged.filter(({ reached }) => reached === false);
  console.log(`reached: ${judged.length - missed.length} of ${judged.length}`);
  for (const { what, against } of missed) console.log(`  not: ${what}, against ${against}`);
}
if (failures.length > 0) {
  console.error(`failed: ${failures.join(", ")}`);
  Deno.exit(1);
}
