import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { sampleFolder } from "../lib/service/sample/sample_file.ts";

const MOD = new URL("../mod.ts", import.meta.url).pathname;

/** The folder of the sample file, from which this run of the tests reads the sample. */
const SAMPLE = sampleFolder()!;

/** Runs code from a folder outside this project, under these permissions or other options of Deno. */
async function runElsewhere(
  code: string,
  permissions: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await Deno.makeTempDir();
  try {
    const script = join(folder, "own.ts");
    await Deno.writeTextFile(script, code);
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--quiet", ...permissions, script],
      cwd: folder,
      env: {
        NO_COLOR: "1",
        CHAINFRAME_BASE_URL: "",
        CHAINFRAME_TOKEN: "",
        CHAINFRAME_CACHE: "",
        ...env,
      },
    }).output();
    const left = [...Deno.readDirSync(folder)].map(({ name }) => name);
    return {
      success,
      left,
      out: new TextDecoder().decode(stdout),
      err: new TextDecoder().decode(stderr),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a file in an empty folder imports mod.ts and returns sample data, with few permissions", async () => {
  const { out, err, success, left } = await runElsewhere(
    `import { cohortAnalysis, provenanceOf } from ${JSON.stringify(MOD)};
     const cohorts = await cohortAnalysis({ limit: 3 });
     console.log(cohorts.height, cohorts.width, provenanceOf(cohorts).source);`,
    ["--allow-ffi", "--allow-sys", "--allow-read", "--allow-env", `--allow-write=${SAMPLE}`],
  );
  deepStrictEqual({ out, success, left }, {
    out: "3 18 sample\n",
    success: true,
    left: ["own.ts"],
  });
  strictEqual(err.match(/SAMPLE DATA/g)?.length, 1);
});

Deno.test("a live service needs neither the database nor the environment", async () => {
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ data: [] }),
  );
  try {
    const address = `127.0.0.1:${server.addr.port}`;
    const { out, err } = await runElsewhere(
      `import { blockchainComparison, connect } from ${JSON.stringify(MOD)};
       const connection = connect({ baseUrl: "http://${address}", token: "t" });
       console.log((await blockchainComparison({}, connection)).width);`,
      ["--allow-ffi", "--allow-sys", "--allow-read", `--allow-net=${address}`],
    );
    deepStrictEqual({ out, err }, { out: "97\n", err: "" });
  } finally {
    await server.shutdown();
  }
});

async function ended(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(program, { args }).output();
  return new TextDecoder().decode(stdout);
}

/** Makes a DENO_DIR with hard links to the packages of this machine, but not to those that match. */
async function cacheWithout(packages: RegExp): Promise<string> {
  const { denoDir, npmCache } = JSON.parse(await ended(Deno.execPath(), "info", "--json"));
  const cache = await Deno.makeTempDir({ dir: denoDir });
  await ended("cp", "-al", npmCache, join(cache, "npm"));
  for (const { name: registry } of Deno.readDirSync(join(cache, "npm"))) {
    for (const { name } of [...Deno.readDirSync(join(cache, "npm", registry))]) {
      const folder = join(cache, "npm", registry, name);
      if (packages.test(name)) await Deno.remove(folder, { recursive: true });
    }
  }
  return cache;
}

Deno.test("DuckDB, Vega and resvg are downloaded when they are used, not before", async () => {
  const cache = await cacheWithout(/^(@duckdb|@resvg|vega.*)$/);
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json({ data: [{ chain_id: "a", ecosystem_fees_30d_sum: 1 }] }),
  );
  try {
    const { out, err } = await runElsewhere(
      `import { blockchainComparison, connect, plotComparison } from ${JSON.stringify(MOD)};
       const baseUrl = "http://127.0.0.1:${server.addr.port}";
       const frame = await blockchainComparison({}, connect({ baseUrl, token: "t" }));
       const field = "ecosystem_fees_30d_sum";
       const chart = plotComparison(frame, { field });
       console.log(frame.height, (await chart.svg()).slice(0, 4));
       for (const use of [
         () => chart.png(),
         () => plotComparison(frame, { field }).interactive().html(),
         () => blockchainComparison({}, connect({ envFile: false })),
       ]) {
         console.log(await use().then(() => "used", ({ message }) => /@duckdb|@resvg|vega/.exec(message)?.[0]));
       }`,
      ["--allow-all", "--cached-only"],
      { DENO_DIR: cache },
    );
    deepStrictEqual([out.split("\n"), err.includes("Download")], [
      ["1 <svg", "@resvg", "vega", "@duckdb", ""],
      false,
    ], err);
  } finally {
    await server.shutdown();
    await Deno.remove(cache, { recursive: true });
  }
});

Deno.test("the first displayed frame aligns wide characters without an await", async () => {
  const { out, err } = await runElsewhere(
    `import { pl, rankBy } from ${JSON.stringify(MOD)};
     const frame = pl.DataFrame({ name: ["全角", "half"], fees: [2, 1] });
     console.log(rankBy(frame, { field: "fees" }).select("name", "rank"));`,
    ["--allow-ffi", "--allow-sys", "--allow-read"],
  );
  deepStrictEqual([err, ...out.split("\n")], [
    "",
    "name  rank",
    "全角     1",
    "half     2",
    "2 rows × 2 columns · origin unknown",
    "",
  ]);
});
