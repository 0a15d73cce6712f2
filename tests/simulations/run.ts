/**
 * Simulates how often bounds contain the true value, and how often tests find a difference between equal and between
 * unequal groups. Writes the rates as CSV beside this file, and the table of claims into docs/coverage.md.
 *
 *     deno task simulate                    all parts, in at most an hour on two cores
 *     deno task simulate trends             one part: the name of a file of tests/simulations/parts
 *     deno task simulate trends --draws=50  only prints the tables
 *     deno task simulate trends --missing   only cells without a kept rate
 *     deno task simulate --claims           only writes the table of claims, from the kept rates
 *
 * @module
 */
import {
  type Cell,
  claimsOf,
  isKept,
  isWithin,
  type Rates,
  ratesIn,
  ratesText,
  type Share,
  tablesOf,
} from "./cells.ts";

/** A part: a file that exports its cells. */
interface Part {
  readonly cells: readonly Cell[];
  /** 1 if all cells use the same worlds, which each worker makes for itself. */
  readonly workers?: 1 | 2;
}

const PARTS = new URL("./parts/", import.meta.url);
const RATES = new URL("./rates/", import.meta.url);

/** Simulates cells of a part, one for each worker at a time. Slow cells begin first. */
function simulated(
  part: string,
  { cells, workers = 2 }: Part,
  { draws, isWanted }: {
    readonly draws: number | undefined;
    readonly isWanted: (cell: Cell) => boolean;
  },
) {
  const shares: Share[] = [];
  const slowness = (index: number) => Number(cells[index]!.isSlow ?? false);
  const left = [...cells.keys()].filter((index) => isWanted(cells[index]!)).toSorted((a, b) =>
    slowness(b) - slowness(a)
  );
  const work = () =>
    new Promise<void>((done, fail) => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
      const next = () => {
        const index = left.shift();
        if (index !== undefined) return worker.postMessage({ part, index, draws });
        worker.terminate();
        done();
      };
      worker.onerror = (event) => fail(new Error(event.message));
      worker.onmessage = ({ data: { index, share } }) => {
        shares[index] = share;
        const { table, row, column } = cells[index]!;
        const wrong = isWithin(cells[index]!, share) ? "" : " NOT within its limits";
        console.error(`${part}: ${table}: ${row}, ${column}: ${share.share}${wrong}`);
        next();
      };
      next();
    });
  return Promise.all(Array.from({ length: workers }, work)).then(() => shares);
}

const all = [...Deno.readDirSync(PARTS)].map(({ name }) => name.replace(/\.ts$/, "")).toSorted();
const isClaims = Deno.args[0] === "--claims";
const isMissing = Deno.args.includes("--missing");
const chosen = Deno.args.filter((arg) => !arg.startsWith("-"));
const unknown = chosen.find((name) => !all.includes(name));
if (unknown !== undefined) {
  throw new RangeError(`simulate: expected one of ${all.join(", ")}; got ${unknown}`);
}
const draws = Deno.args.map((arg) => /^--draws=(\d+)$/.exec(arg)?.[1]).find((each) => each);
const modules = new Map<string, Part>();
for (const part of all) modules.set(part, await import(new URL(`${part}.ts`, PARTS).href));

/** The kept rates of a part. */
async function ratesOf(part: string): Promise<Rates> {
  try {
    return ratesIn(await Deno.readTextFile(new URL(`${part}.csv`, RATES)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  }
}

/** Writes docs/coverage.md: the claims, what varies in their worlds, and how many of their rates are within their limits. */
async function writeClaims(): Promise<void> {
  const files = [...Deno.readDirSync(RATES)].map(({ name }) => ratesOf(name.replace(".csv", "")));
  const rates: Rates = new Map((await Promise.all(files)).flatMap((each) => [...each]));
  const cells = [...modules.values()].flatMap(({ cells }) => cells);
  const page = new URL("../../docs/coverage.md", import.meta.url);
  const [begin, end] = ["begin", "end"].map((side) => `<!-- simulate claims: ${side} -->`);
  const [before, , after] = (await Deno.readTextFile(page)).split(/<!-- simulate claims: .* -->/);
  if (after === undefined) throw new Error(`coverage.md has no ${begin} and ${end}`);
  const table = claimsOf(cells, rates);
  await Deno.writeTextFile(page, `${before}${begin}\n\n${table}\n\n${end}${after}`);
}

let failed = false;
for (const part of isClaims ? [] : chosen.length > 0 ? chosen : all) {
  const started = performance.now();
  const module = modules.get(part)!;
  const { cells } = module;
  const kept: Rates = isMissing ? await ratesOf(part) : new Map();
  const shares = await simulated(part, module, {
    draws: draws === undefined ? undefined : Number(draws),
    isWanted: (cell) => !isKept(cell, kept),
  });
  if (draws !== undefined) console.log(tablesOf(cells, shares));
  else await Deno.writeTextFile(new URL(`${part}.csv`, RATES), ratesText(cells, shares, kept));
  failed ||= cells.some((cell, at) => shares[at] !== undefined && !isWithin(cell, shares[at]));
  console.error(`${part}: ${Math.round((performance.now() - started) / 1000)} s`);
}
if (draws === undefined) {
  await writeClaims();
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", "docs"] }).output();
}
Deno.exit(failed ? 1 : 0);
