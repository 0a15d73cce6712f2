// Measures whole processes: what it takes to import the module, and the first demo of all.
import { type Measured, median } from "./measure.ts";

const HERE = import.meta.url;
const MOD = new URL("../../mod.ts", HERE).href;
const POLARS = new URL("../../lib/table/columns/polars.ts", HERE).href;
const DUCKDB = new URL("../../lib/service/engine/duckdb.ts", HERE).href;

/** Returns the milliseconds that Deno takes with some arguments. */
async function run(args: readonly string[]): Promise<number> {
  const start = performance.now();
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return performance.now() - start;
}

async function imports(runs: number): Promise<Measured> {
  const folder = await Deno.makeTempDir();
  try {
    const [ours, bare] = [`${folder}/ours.ts`, `${folder}/bare.ts`];
    await Deno.writeTextFile(ours, `import ${JSON.stringify(MOD)};`);
    await Deno.writeTextFile(
      bare,
      (await Deno.readTextFile(new URL(POLARS))).match(
        /"npm:nodejs-polars@[^"]+"/,
      )
        ?.[0].replace(/^/, "import ") ?? "",
    );
    const times: [number[], number[]] = [[], []];
    for (let index = -1; index < runs; index++) {
      for (const [way, path] of [ours, bare].entries()) {
        const ms = await run(["run", "--allow-all", "--no-check", path]);
        if (index >= 0) times[way]!.push(ms);
      }
    }
    return {
      what: "importing mod.ts, whole process",
      against: "importing nodejs-polars",
      ms: median(times[0]),
      base: median(times[1]),
      reach: { ratio: 1.6 },
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    size += isDirectory ? await sizeOf(path) : (await Deno.lstat(path)).size;
  }
  return size;
}

/** Runs Deno with nothing downloaded yet: the seconds, and the megabytes on disk afterwards. */
async function fromNothing(args: readonly string[], cwd: string): Promise<[number, number]> {
  const cache = await Deno.makeTempDir();
  try {
    const start = performance.now();
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd,
      env: { NO_COLOR: "1", DENO_DIR: cache },
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return [performance.now() - start, await sizeOf(cache) / 2 ** 20];
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
}

/** The first demo of somebody who has nothing, which downloads hundreds of megabytes twice. */
async function firstDemo(short: boolean): Promise<Measured[]> {
  const what = "first demo from an empty cache";
  const against = "polars and DuckDB alone";
  const nothing = { what, against, ms: NaN, base: NaN };
  if (short) return [{ ...nothing, skipped: "not in the short form: it downloads a lot" }];
  const folder = await Deno.makeTempDir();
  try {
    const alone = `${folder}/alone.ts`;
    await Deno.writeTextFile(
      alone,
      (await Promise.all([POLARS, DUCKDB].map((url) => Deno.readTextFile(new URL(url)))))
        .map((text) => `import ${/"npm:[^"]+"/.exec(text)![0]};\n`).join(""),
    );
    const [ms, size] = await fromNothing(["task", "demo"], new URL("../..", HERE).pathname);
    const [base, least] = await fromNothing(["run", "--allow-all", "--no-check", alone], folder);
    return [
      { what, against, ms, base },
      { what: `${what}, on disk`, against, ms: size, base: least, unit: "MB" },
    ];
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().split("\n").at(-1) : error;
    return [{ ...nothing, skipped: `it did not run: ${reason}` }];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Times and weighs whole processes. */
export async function processes(short: boolean): Promise<Measured[]> {
  return [await imports(short ? 1 : 10), ...await firstDemo(short)];
}
