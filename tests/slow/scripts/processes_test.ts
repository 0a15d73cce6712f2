import { deepStrictEqual, ok } from "node:assert/strict";
import { writeFacts } from "../../service/facts_model.ts";
import { tinyFacts } from "../../service/tiny_facts.ts";
import { liveService } from "../../scripts/live_service.ts";
import { inFolder, spawnScript } from "../../scripts/run_script.ts";

const TIMELINE = ["--metric-ids=fees", "--group-by=chains", "--from=2026-01", "--to=2026-02"];

/** A run of each script as a process, with the permissions of its first line, and its exit code. */
const RUNS: readonly (readonly [script: string, args: readonly string[], code: number])[] = [
  ["archive.ts", ["--verify", "answers"], 2],
  ["chain_comparison.ts", ["--out", "chains.svg"], 0],
  ["cohort_retention.ts", ["--out", "cohorts.csv"], 0],
  ["fetch.ts", ["project", "--project-id", "nobody"], 1],
  ["init.ts", ["mine"], 0],
  ["notebook.ts", ["now"], 2],
  ["sample.ts", ["--out", "facts", "--scale", "0.01", "--format", "csv"], 0],
  ["build.ts", ["--facts", "tiny", "--out", "data.duckdb"], 0],
  ["serve.ts", ["--data", "data.duckdb", "--port", "http"], 2],
  ["timeline.ts", [...TIMELINE, "--out", "fees.parquet"], 0],
];

Deno.test("every script runs as a process, with the permissions of its first line and an exit code", () =>
  inFolder(async (cwd) => {
    const live = await liveService();
    await writeFacts(`${cwd}/tiny`, tinyFacts());
    for (const [script, args, expected] of RUNS) {
      const { code, stderr } = await spawnScript(script, args, { cwd, env: live.env });
      deepStrictEqual([script, code], [script, expected], stderr);
      ok(
        expected === 0 || new RegExp(`^${script.replace(".", "\\.")}: [^\n]+\n$`, "m").test(stderr),
        stderr,
      );
    }
    await live.close();
    const there = [...Deno.readDirSync(cwd)].map(({ name }) => name).filter((name) =>
      !name.includes("provenance")
    );
    deepStrictEqual(there.sort(), [
      "chains.svg",
      "cohorts.csv",
      "data.duckdb",
      "facts",
      "fees.parquet",
      "mine",
      "tiny",
    ]);
  }));
