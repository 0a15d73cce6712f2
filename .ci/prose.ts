/**
 * Finds British spelling, and phrases that CONTRIBUTING.md forbids, in code, docs, notebooks and comments of tests. Prints
 * the number of words of the pages, and fails if they have too many.
 */
const PHRASES =
  /nobody|whoever|is told|are told|of ours|goes astray|what stands|stands (?:behind|beside|before)|, be it |is none\b/i;
const QUESTIONS = /^\s*(?:\*|\/\/) (?:What|Who) /;
const BRITISH =
  /(?:colour|behaviour|neighbour|favour|honour|labelled(?!by)|modelled|cancelled|normalis|summaris|recognis|organis|optimis(?!m\b)|initialis|serialis|\banalyse[dr]?\b|analysing|licence|programme|\bgrey\b|\bcentre\b)/i;

/** Permitted matches: a file, and a text in the line of the match. */
const EXCEPTIONS: readonly (readonly [file: string, text: string])[] = [
  // A value of the sample data.
  ["lib/service/sample/entities.ts", "'Nobody: this is sample data"],
];

async function* files(path: string): AsyncGenerator<string> {
  if (!(await Deno.stat(path)).isDirectory) return yield path;
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    if (isDirectory) yield* files(`${path}/${name}`);
    else if (/\.(ts|md|ipynb)$/.test(name)) yield `${path}/${name}`;
  }
}

/** Returns the handwritten text of a file. For a notebook, this is the source of its cells, without outputs. */
function handwritten(file: string, text: string): string {
  if (!file.endsWith(".ipynb")) return text;
  const { cells } = JSON.parse(text) as { cells: { source: string[] }[] };
  return cells.map(({ source }) => source.join("")).join("\n");
}

const found: string[] = [];
const PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
for (const root of ["lib", "scripts", "docs", "notebooks", "mod.ts", ...PAGES]) {
  for await (const file of files(root)) check(file, await Deno.readTextFile(file));
}
for await (const file of files("tests")) {
  check(file, (await Deno.readTextFile(file)).replace(/^(?!\s*(?:\*|\/\*|\/\/)).*$/gm, ""));
}

function check(file: string, text: string): void {
  for (const [index, line] of handwritten(file, text).split("\n").entries()) {
    if (EXCEPTIONS.some(([name, part]) => name === file && line.includes(part))) continue;
    const match = PHRASES.exec(line) ?? QUESTIONS.exec(line) ?? BRITISH.exec(line);
    if (match !== null) {
      found.push(`${file}:${index + 1}: ${match[0].trim()}: ${line.trim().slice(0, 160)}`);
    }
  }
}

if (found.length > 0) {
  console.error(found.join("\n"));
  console.error(`prose: ${found.length} lines to rewrite; see CONTRIBUTING.md`);
  Deno.exit(1);
}

const MOST_WORDS = 25_000;
const GENERATED = ["docs/dictionary.md", "docs/options.md"];
let words = 0;
for (
  const path of [
    "README.md",
    ...[...Deno.readDirSync("docs")].map(({ name }) => `docs/${name}`),
  ]
) {
  if (!path.endsWith(".md") || GENERATED.includes(path)) continue;
  words += Deno.readTextFileSync(path).split(/\s+/).filter((word) => word !== "").length;
}
console.log(`${words} words in README.md and docs/*.md, without the generated pages`);
if (words > MOST_WORDS) {
  console.error(`prose: the pages have at most ${MOST_WORDS} words: shorten one`);
  Deno.exit(1);
}
