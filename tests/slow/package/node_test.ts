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
for (const path of ["v2/projects/tidewater", "reference/swagger-ui.css", "nothing"]) {
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
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
    module: "nodenext",
    strict: true,
    noEmit: true,
    types: ["node"],
  },
  files: ["example.ts"],
};

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

await run([Deno.execPath(), "task", "pack"], ROOT);

for (const version of [22, 24]) {
  const node = await installNode(version);
  const ending = "reason" in node ? `: it cannot be had: ${node.reason}` : "";
  Deno.test({
    name:
      `installed from the tarball on Node ${version}, operations, files, types and commands work${ending}`,
    ignore: "reason" in node,
    fn: () =>
      inFolder(async (folder) => {
        if ("reason" in node) return;
        const env = { PATH: `${node.bin}:${Deno.env.get("PATH")}` };
        const words = (...command: string[]) => run(command, folder, env);
        await Deno.writeTextFile(`${folder}/package.json`, '{ "type": "module" }');
        const lines = (await installLines()).filter(([program]) => program !== "deno");
        deepStrictEqual(lines.map(([program]) => program), ["npm", "npx"]);
        const [install, command] = lines as [string[], string[]];
        await words(...install.map((word) => word === NAME ? TARBALL : word), "--no-audit");
        await words("npm", "install", "--no-audit", "typescript@5", `@types/node@${version}`);
        await Deno.writeTextFile(`${folder}/example.ts`, EXAMPLE);
        await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify(TSCONFIG));
        strictEqual(await words("npx", "tsc", "--project", "."), "");
        deepStrictEqual(JSON.parse(await words("node", "example.ts")), {
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

        await words(...command);
        strictEqual((await Deno.stat(`${folder}/c.parquet`)).isFile, true);
        match(await words("npx", "chainframe", "--help"), /^Runs one of the commands fetch,/);
        const script = `${folder}/node_modules/${NAME}/scripts/sample.js`;
        match(await words("node", script, "--help"), /sample\.ts/);

        const { path, code } = await dataLoader();
        await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
        await Deno.writeTextFile(`${folder}/${path}`, code);
        match(await words("node", path), /^project_name,project_id,[^]*\n/);
        if (version === 22) await refusedByNode20(folder, command);
      }),
  });
}
