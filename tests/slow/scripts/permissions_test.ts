import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { fakeService } from "../../scripts/fake_service.ts";
import { liveService } from "../../scripts/live_service.ts";
import { firstLine, inFolder, spawnScript } from "../../scripts/run_script.ts";

interface Run {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Permissions that this run does not need. */
  readonly unused?: RegExp;
}

/** Runs a script once without each permission of its first line, and once with all of them. */
async function needsEvery(script: string, { unused = /^$/, args, ...options }: Run): Promise<void> {
  const [run, noPrompt, ...permissions] = firstLine(script);
  deepStrictEqual([run, noPrompt], ["run", "--no-prompt"]);
  ok(permissions.length > 2);
  for (const without of permissions.filter((each) => !unused.test(each))) {
    const { code } = await spawnScript(script, args, { ...options, without });
    ok(code === 1 || code === 2, `${script}: ${without} is not needed`);
  }
  const { code, stderr } = await spawnScript(script, args, options);
  strictEqual(code, 0, stderr);
}

for (const script of ["fetch.ts", "archive.ts"]) {
  Deno.test(`${script} needs every permission of its first line`, async () => {
    const service = fakeService(() => ({ data: [] }));
    try {
      await inFolder(async (folder) => {
        await Deno.writeTextFile(`${folder}/token`, "t", { mode: 0o600 });
        const queries = [{ operation: "blockchain_comparison" }];
        await Deno.writeTextFile(`${folder}/queries.json`, JSON.stringify(queries));
        const args = script === "fetch.ts"
          ? ["cohort_analysis", "--out", `${folder}/a.csv`]
          : [`${folder}/queries.json`, "--dir", `${folder}/answers`];
        // Without the environment the address is missing, and with it the token comes from the file.
        const env = { CHAINFRAME_BASE_URL: service.env.CHAINFRAME_BASE_URL };
        await needsEvery(script, { args: [...args, "--token-file", `${folder}/token`], env });
      });
    } finally {
      await service.close();
    }
  });
}

const TIMELINE = ["--metric-ids=fees", "--group-by=chains", "--from=2025-11", "--to=2026-02"];

for (
  const [script, args] of [["timeline.ts", TIMELINE], ["cohort_retention.ts", []], [
    "chain_comparison.ts",
    [],
  ]] as const
) {
  Deno.test(`${script} needs every permission of its first line`, async () => {
    const live = await liveService();
    try {
      await inFolder((folder) =>
        needsEvery(script, { args: [...args, "--out", `${folder}/a.png`], env: live.env })
      );
    } finally {
      await live.close();
    }
  });
}

Deno.test("init.ts needs every permission of its first line", () =>
  inFolder((cwd) => needsEvery("init.ts", { args: ["mine"], cwd })));

Deno.test("sample.ts, build.ts and serve.ts need every permission of their first lines", () =>
  inFolder(async (folder) => {
    await needsEvery("sample.ts", { args: ["--out", `${folder}/facts`, "--scale", "0.01"] });
    // A build needs the network, and a password, for shards alone.
    const unused = /^--allow-(net|env)/;
    await needsEvery("build.ts", {
      args: ["--facts", `${folder}/facts`, "--out", `${folder}/a.duckdb`],
      unused,
    });
    const [, , ...permissions] = firstLine("serve.ts");
    for (const without of permissions) {
      const { code } = await spawnScript("serve.ts", ["--port", "0"], { without });
      ok(code === 1 || code === 2, `serve.ts: ${without} is not needed`);
    }
  }));
