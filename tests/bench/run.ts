// All benchmarks: `deno task bench`, or `deno task bench --short` to see that they run. A speed is a
// ratio within one run; what it is held against is measured beside it.
import { buildOnce, builds, factsOf } from "./builds.ts";
import { decode } from "./decode.ts";
import { type Measured, printed } from "./measure.ts";
import { processes } from "./processes.ts";
import { questions } from "./questions.ts";

const short = Deno.args.includes("--short");
const folder = new URL("../../out/bench", import.meta.url).pathname;
await Deno.mkdir(folder, { recursive: true });

const measured: Measured[] = [];
const measure = async (heading: string, work: () => Promise<Measured[]>) => {
  const found = await work();
  measured.push(...found);
  console.log(`\n${heading}\n\n${printed(found)}`);
};

await measure("From bytes to a frame", () => decode(short));
await measure("Whole processes", () => processes(short));
await measure("Building a file of data", () => builds(folder, short));
await measure("Questions to a service", async () => {
  const factor = short ? 0.01 : 1;
  const data = `${folder}/built_${factor}.duckdb`;
  await buildOnce(await factsOf(folder, factor), data);
  return await questions(data, short);
});
const machine = {
  cores: navigator.hardwareConcurrency,
  deno: Deno.version.deno,
  short,
};
await Deno.writeTextFile(
  `${folder}/bench.json`,
  JSON.stringify({ machine, measured }, null, 2) + "\n",
);
console.log(`\nwritten: ${folder}/bench.json`);
