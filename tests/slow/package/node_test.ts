import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { dirname } from "node:path";
import { NAME, VERSION } from "../../../.ci/package.ts";
import { inFolder, runCommand } from "../../scripts/run_script.ts";
import { installLines } from "./install_lines.ts";
import { run } from "./run.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const FILE = `${NAME.slice(1).replace("/", "-")}-${VERSION}.tgz`;
const TARBALL = `${ROOT}out/${FILE}`;

const tools = await Deno.makeTempDir();
addEventListener("unload", () => Deno.removeSync(tools, { recursive: true }));

/** Installs a version of Node. Returns the folder of its commands, or the reason for a failure. */
async function installNode(version: number): Promise<{ bin: string } | { reason: string }> {
  const folder = `${tools}/${version}`;
  try {
    await Deno.mkdir(folder);
    const args = ["--no-audit", "--no-fund", "--prefix", folder, `node@${version}`];
    await run(["npm", "install", ...args], folder);
    const bin = `${folder}/node_modules/.bin`;
    ok((await run([`${bin}/node`, "--version"], folder)).startsWith(`v${version}.`));
    return { bin };
  } catch (error) {
    return { reason: (error as Error).message.split("\n")[0]! };
  }
}

/** The six operations, a chart, files, a build and the service, with the types that the compiler checks. */
const EXAMPLE = `
import {
  blockchainComparison,
  cohortAnalysis,
  metricAggregations,
  metricBreakdown,
  openFrame,
  plotRetention,
  pooledRetention,
  project,
  projectContracts,
  provenanceOf,
  retentionCurves,
  save,
} from "${NAME}";
import { retentionLine } from "${NAME}/marks";
import { buildData, createService, listen, writeSample } from "${NAME}/service";

const cohorts = await cohortAnalysis({ limit: 20 });
const project_id: string = cohorts.getColumn("project_id").get(0);
const frames = [
  cohorts,
  await blockchainComparison({ limit: 3 }),
  await projectContracts({ limit: 2 }),
  await metricAggregations({ project_ids: [project_id] }),
  await metricBreakdown({ metric_ids: ["fees"], interval: "30d", group_by: "chains" }),
  await project({ project_id }),
];
const chart = plotRetention(pooledRetention(retentionCurves(cohorts)));
for (const file of ["retention.svg", "retention.png"]) await save(chart, file);
for (const file of ["cohorts.csv", "cohorts.parquet"]) await save(cohorts, file);
const again = await openFrame("cohorts.parquet");
await writeSample({ out: "facts", scale: 0.05 });
const { rows } = await buildData({ facts: "facts", out: "data.duckdb" });
const service = await createService({ tokens: ["t"], data: "data.duckdb" });
const listener = await listen(service, { port: 0 });
const statuses: number[] = [];
for (const path of ["v2/projects/tidewater", "reference/start.js", "nothing"]) {
  const response = await fetch(\`http://127.0.0.1:\${listener.port}/\${path}\`, {
    headers: { authorization: "Bearer t" },
  });
  statuses.push(response.status);
  await response.arrayBuffer();
}
await listener.close();
await service.close();
console.log(JSON.stringify({
  rows: frames.map((frame) => frame.height > 0 && frame.height <= 24 || frame.height > 100),
  operations: frames.map((frame) => provenanceOf(frame).operation),
  same: again.frameEqual(cohorts),
  entries: [typeof createService, typeof retentionLine],
  chains: rows.blockchain_comparison,
  statuses,
}));
`;

const TSCONFIG = {
  target: "es2024",
  lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
  strict: true,
  noEmit: true,
  types: ["node"],
};
/** The two ways in which TypeScript finds the declarations of a package. */
const RESOLUTIONS = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
];

/** A call with a key, on a service on loopback, and a chart of its frame: all that a plain install must do. */
const PLAIN = `
import { createServer } from "node:http";
import { blockchainComparison, connect, plotComparison, save } from "${NAME}";

const field = "ecosystem_fees_30d_sum";
const data = [5, 3].map((value, at) => ({ chain_id: "c" + at, chain_name: "C" + at, [field]: value }));
const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const baseUrl = "http://127.0.0.1:" + server.address().port;
const frame = await blockchainComparison({}, connect({ baseUrl, token: "k" }));
const chart = plotComparison(frame);
for (const file of ["plain.svg", "plain.png"]) await save(chart, file, { force: true });
const errors = {};
for (const [name, work] of Object.entries({
  pdf: () => save(chart, "plain.pdf"),
  excel: () => save(frame, "plain.xlsx"),
  sample: () => blockchainComparison({}, connect({ envFile: false })),
  service: () => import("${NAME}/service"),
})) errors[name] = await Promise.resolve().then(work).then(() => null, (error) => error.message);
console.log(JSON.stringify({ rows: frame.height, errors }));
server.close();
`;

/** Charts of an own table: lines, a stack, ranks, bars, dots and a page of two charts, in other scripts, too. */
const DRAWN = `
import { writeFile } from "node:fs/promises";
import { figure, pl, plotComparison, plotScatter, plotTimeline, withSource } from "${NAME}";

const names = ["Lido", "Aave", "Ёлка", "مشروع"];
const rows = names.flatMap((protocol, at) =>
  Array.from({ length: 9 - at }, (_, month) => ({
    protocol,
    date: new Date(Date.UTC(2025, month, 1)),
    fees_usd: month === 4 ? null : 1e6 / (1 + at) * (1 + Math.sin(month + at) / 3),
    users: 100 * (at + 1) + month,
  }))
);
const frame = withSource(pl.DataFrame(rows), {
  citation: "Own table",
  retrievedAt: "2025-12-31",
  columns: { fees_usd: { unit: "usd", adds: "both" } },
});
const first = frame.filter(pl.col("date").eq(pl.col("date").min()));
const lines = plotTimeline(frame, { field: "fees_usd" });
const bars = plotComparison(first, { field: ["fees_usd", "users"] });
const charts = {
  lines,
  bars,
  stack: plotTimeline(frame, { field: "fees_usd", as: "stack", width: 360 }),
  ranks: plotTimeline(frame, { field: "fees_usd", as: "rank" }),
  dots: plotScatter(first, { x: "users", y: "fees_usd", trend: true, theme: "dark" }),
  page: figure([lines, bars]),
};
for (const [name, chart] of Object.entries(charts)) await writeFile(name + ".svg", await chart.svg());
console.log(Object.keys(charts).join());
`;

/** Checks that the charts of a folder have the same bytes as those that Deno draws. */
async function drawnAsInDeno(folder: string, names: readonly string[]): Promise<void> {
  const own = `${folder}/deno`;
  await Deno.mkdir(own);
  await Deno.writeTextFile(`${own}/drawn.ts`, DRAWN.replace(`"${NAME}"`, `"${ROOT}mod.ts"`));
  const options = ["--config", `${ROOT}deno.json`, "--no-check", "--allow-all"];
  await run(["deno", "run", "--quiet", ...options, "drawn.ts"], own);
  for (const name of names) {
    const [one, other] = await Promise.all(
      [folder, own].map((each) => Deno.readTextFile(`${each}/${name}.svg`)),
    );
    ok(one === other, `${name}.svg differs: ${one!.length} and ${other!.length} letters`);
  }
}

/** Returns the data loader of docs/importing.md: its path and its code. */
async function dataLoader(): Promise<{ path: string; code: string }> {
  const page = await Deno.readTextFile(`${ROOT}docs/importing.md`);
  const [, code, path] = /```js\n(\/\/ (\S+)\n[^]*?)```/.exec(page)!;
  return { path: path!, code: code! };
}

/** Checks that every entry of an installed package fails on Node 20 with the version that is needed. */
async function refusedByNode20(folder: string, command: readonly string[]): Promise<void> {
  const old = await installNode(20);
  ok("bin" in old, JSON.stringify(old));
  const env = { PATH: `${old.bin}:${Deno.env.get("PATH")}` };
  const imports = ["", "/marks", "/service"].map((entry) => `import "${NAME}${entry}";`);
  const programs = imports.map((code) => ["node", "--input-type=module", "--eval", code]);
  for (const program of [...programs, command]) {
    const { code, stderr } = await runCommand(program, { cwd: folder, env });
    ok(code !== 0);
    match(
      stderr,
      /Error: chainframe needs Node\.js 22\.15 or newer, or Deno; this is Node\.js 20\./,
    );
  }
}

/** Installs a version of Bun. Returns the folder of its commands. */
async function installBun(): Promise<string> {
  const folder = `${tools}/bun`;
  await Deno.mkdir(folder);
  await run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, "bun@1"], folder);
  return `${folder}/node_modules/.bin`;
}

/** Returns the size of the installed packages in MB, and their number. */
async function installed(folder: string): Promise<{ megabytes: number; packages: number }> {
  const [size = ""] = (await run(["du", "-sm", "node_modules"], folder)).split("\t");
  const { packages } = JSON.parse(
    await Deno.readTextFile(`${folder}/node_modules/.package-lock.json`),
  );
  return { megabytes: Number(size), packages: Object.keys(packages).length };
}

/** Returns the commands that the manifest has for packages that npm leaves out. */
async function installCommands(folder: string): Promise<Record<string, string>> {
  const manifest = `${folder}/node_modules/${NAME}/package.json`;
  return JSON.parse(await Deno.readTextFile(manifest)).chainframe.install;
}

/** Starts the MCP server of the package, and returns the result of a call of a tool. */
async function calledTool(folder: string, env: Record<string, string>): Promise<string> {
  const child = new Deno.Command("npx", {
    args: ["chainframe", "mcp"],
    cwd: folder,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  for (
    const message of [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "catalog", arguments: { kind: "chains" } } },
    ]
  ) {
    const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
    await writer.write(new TextEncoder().encode(line));
  }
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.endsWith("\n") && text.includes('"id":2')) break;
  }
  await writer.close();
  await child.status;
  return text;
}

/** Returns the median of the times of a process that imports a module, relative to that of another module. */
async function importRatio(
  folder: string,
  modules: readonly [string, string],
  env: Record<string, string>,
): Promise<number> {
  const times: number[][] = [[], []];
  for (let round = 0; round < 9; round++) {
    for (const [at, name] of modules.entries()) {
      const started = performance.now();
      await run(["node", "--input-type=module", "--eval", `import "${name}";`], folder, env);
      times[at]!.push(performance.now() - started);
    }
  }
  const [one, other] = times.map((list) => list.sort((a, b) => a - b)[4]!);
  return one! / other!;
}

await run([Deno.execPath(), "task", "pack"], ROOT);
const oldPath = Deno.env.get("PATH")!;
const newest = await installNode(24);
const bun = "bin" in newest ? await installBun() : "";

for (const runtime of ["node 22", "node 24", "bun 1"]) {
  const node = runtime === "node 22" ? await installNode(22) : newest;
  const ending = "reason" in node ? `: it cannot be had: ${node.reason}` : "";
  const bin = "bin" in node ? node.bin : "";
  const env = { PATH: `${runtime.startsWith("bun") ? `${bun}:` : ""}${bin}:${oldPath}` };
  const program = runtime.split(" ")[0]!;

  Deno.test({
    name:
      `installed from the tarball, operations, charts, types, commands and MCP work in ${runtime}${ending}`,
    ignore: "reason" in node,
    fn: () =>
      inFolder(async (folder) => {
        const words = (...command: string[]) => run(command, folder, env);
        await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module" }');
        const lines = (await installLines()).filter(([program]) => program !== "deno");
        deepStrictEqual(lines.map(([program]) => program), ["npm", "npx"]);
        const [install, command] = lines as [string[], string[]];
        await words(...install.map((word) => word === NAME ? TARBALL : word), "--no-audit");
        const plain = await installed(folder);
        console.log(runtime, "plain", JSON.stringify(plain));
        ok(plain.megabytes <= 175 && plain.packages <= 90, JSON.stringify(plain));

        await Deno.writeTextFile(`${folder}/plain.mjs`, PLAIN);
        const { rows, errors } = JSON.parse((await words(program, "plain.mjs")).trim());
        strictEqual(rows, 2);
        for (const [name, first] of [["pdf", "pdfkit"], ["excel", "write-excel-file"]] as const) {
          match(errors[name], new RegExp(`^needs packages .*: npm install ${first}@\\d`));
        }
        for (const name of ["sample", "service"]) {
          match(errors[name], /needs packages .*: npm install @duckdb\/node-api@\d.* hono@\d/);
        }
        match(await Deno.readTextFile(`${folder}/plain.svg`), /^<svg[^]*2 chains/);
        const refused = await runCommand(["npx", "chainframe", "mcp"], { cwd: folder, env });
        match(refused.stderr, /npm install @modelcontextprotocol\/server@\d/);

        const commands = new Set(Object.values(await installCommands(folder)));
        const all = [...commands].flatMap((command) => command.split(" ").slice(2));
        await words("npm", "install", "--no-audit", ...all);
        const whole = await installed(folder);
        console.log(runtime, "whole", JSON.stringify(whole));
        ok(whole.megabytes <= 325 && whole.packages <= 180, JSON.stringify(whole));

        await words("npm", "install", "--no-audit", "typescript@7", "@types/node@24", "@types/d3");
        await Deno.writeTextFile(`${folder}/example.ts`, EXAMPLE);
        for (const resolution of RESOLUTIONS) {
          const compilerOptions = { ...TSCONFIG, ...resolution };
          const config = { compilerOptions, files: ["example.ts"] };
          await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify(config));
          strictEqual(await words("npx", "tsc", "--project", "."), "");
        }
        deepStrictEqual(JSON.parse(await words(program, "example.ts")), {
          rows: [true, true, true, true, true, true],
          operations: [
            "cohort_analysis",
            "blockchain_comparison",
            "project_contracts",
            "metric_aggregations",
            "metric_breakdown",
            "project",
          ],
          same: true,
          entries: ["function", "function"],
          chains: 24,
          statuses: [200, 200, 404],
        });
        match(
          await Deno.readTextFile(`${folder}/retention.svg`),
          /^<svg[^]*<title>Retention of first-time users/,
        );
        const png = await Deno.readFile(`${folder}/retention.png`);
        strictEqual(new TextDecoder("latin1").decode(png.subarray(1, 4)), "PNG");
        match(await Deno.readTextFile(`${folder}/cohorts.csv`), /^project_name,project_id/);
        await Deno.writeTextFile(`${folder}/drawn.mjs`, DRAWN);
        await drawnAsInDeno(folder, (await words(program, "drawn.mjs")).trim().split(","));
        const required = `console.log(typeof require("${NAME}").rankBy,
          typeof require("${NAME}/service").createService)`;
        await Deno.writeTextFile(`${folder}/required.cjs`, required);
        strictEqual(await words(program, "required.cjs"), "function function\n");

        await words(...command);
        strictEqual((await Deno.stat(`${folder}/c.parquet`)).isFile, true);
        match(await words("npx", "chainframe", "--help"), /Do users stay\? +retention/);
        match(await words("npx", "chainframe", "sample", "--help"), /chainframe sample/);
        match(await calledTool(folder, env), /"chain_name":"Alder"/);

        const { path, code } = await dataLoader();
        await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
        await Deno.writeTextFile(`${folder}/${path}`, code);
        match(await words(program, path), /^project_name,project_id,[^]*\n/);
        if (runtime !== "node 22") return;
        await refusedByNode20(folder, ["npx", "chainframe", "--help"]);
      }),
  });
}

Deno.test({
  name: "the bundle loads in at most .85 of the time of its modules, and a page gets a clear error",
  ignore: "reason" in newest,
  fn: () =>
    inFolder(async (folder) => {
      const env = { PATH: `${"bin" in newest ? newest.bin : ""}:${oldPath}` };
      await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module" }');
      const packages = [TARBALL, "esbuild@0.28.2"];
      await run(
        ["npm", "install", "--no-audit", ...packages],
        folder,
        env,
      );
      const modules = `${folder}/node_modules/modules`;
      await run([Deno.execPath(), "pack", "--allow-dirty", "-o", `${folder}/raw.tgz`], ROOT);
      await Deno.mkdir(modules);
      await run(["tar", "-xzf", "raw.tgz", "--strip-components=1", "-C", modules], folder);
      await Deno.copyFile(`${ROOT}deno.json`, `${modules}/deno.json`);
      const ratio = await importRatio(folder, [NAME, "modules"], env);
      console.log("import of the bundle, of the modules:", ratio.toFixed(2));
      ok(ratio <= .85, `${ratio}`);

      for (const entry of ["", "/marks", "/service"]) {
        await Deno.writeTextFile(
          `${folder}/page.js`,
          `import * as all from "${NAME}${entry}"; console.log(all);`,
        );
        const bundle = ["--bundle", "--platform=browser", "--format=esm", "--outfile=bundle.mjs"];
        await run(["npx", "esbuild", "page.js", ...bundle], folder, env);
        const { code, stderr } = await runCommand(["node", "bundle.mjs"], { cwd: folder, env });
        strictEqual(code, 1);
        match(
          stderr,
          /Error: chainframe runs in Deno, Node and Bun; for a page, use the files that save\(\) writes/,
        );
      }
    }),
});
