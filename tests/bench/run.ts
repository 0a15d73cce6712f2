// All benchmarks: `deno task bench`, or `deno task bench --short` to see that they run. A speed is a
// ratio within one run; what it is held against is measured beside it. What fails is told at the end, and
// does not keep the rest from being measured.
import { buildOnce, builds, factsOf } from "./builds.ts";
import { cached } from "./cached.ts";
import { decode } from "./decode.ts";
import { drawings } from "./drawings.ts";
import { isReached, type Measured, printed } from "./measure.ts";
import { processes } from "./processes.ts";
import { questions } from "./questions.ts";

const short = Deno.args.includes("--short");
const folder = new URL("../../out/bench", import.meta.url).pathname;
await Deno.mkdir(folder, { recursive: true });

const factor = short ? 0.01 : 1;
const data = `${folder}/built_${factor}.duckdb`;

const measured: (Measured & { readonly section: string; readonly reached: boolean | null })[] = [];
const tables: string[] = [];
const failures: string[] = [];

const SECTIONS: Readonly<Record<string, () => Promise<Measured[]>>> = {
  "From bytes to a frame": () => decode(short),
  "Whole processes": () => processes(short),
  "The first drawing of a process": () => drawings(short),
  "Building a file of data": () => builds(folder, short),
  "Questions to a service": async () => {
    // The largest build of all has made it already.
    if (short || failures.length > 0) await buildOnce(await factsOf(folder, factor), data);
    return await questions(data, short);
  },
  "Kept answers": () => cached(data, short),
};

for (const [section, measure] of Object.entries(SECTIONS)) {
  const start = performance.now();
  try {
    const found = await measure();
    measured.push(...found.map((each) => ({ section, ...each, reached: isReached(each) })));
    tables.push(`## ${section}\n\n${printed(found, short)}\n`);
    const seconds = ((performance.now() - start) / 1_000).toFixed(0);
    console.log(`\n${tables.at(-1)}\n(in ${seconds} s)`);
  } catch (error) {
    failures.push(section);
    console.error(`\n${section} FAILED:`, error);
  }
}

const machine = {
  cores: navigator.hardwareConcurrency,
  system: `${Deno.build.os} ${Deno.build.arch}`,
  deno: Deno.version.deno,
  load: Deno.loadavg()[0],
  short,
};
await Deno.writeTextFile(
  `${folder}/bench.json`,
  JSON.stringify({ machine, failures, measured }, null, 2) + "\n",
);
await Deno.writeTextFile(`${folder}/bench.md`, tables.join("\n"));
console.log(`\nwritten: ${folder}/bench.json and bench.md`);
if (!short) {
  const missed = measured.filter(({ reached }) => reached === false);
  const judged = measured.filter(({ reached }) => reached !== null);
  console.log(`reached: ${judged.length - missed.length} of ${judged.length}`);
  for (const { what, against } of missed) console.log(`  not: ${what}, against ${against}`);
}
if (failures.length > 0) {
  console.error(`failed: ${failures.join(", ")}`);
  Deno.exit(1);
}
