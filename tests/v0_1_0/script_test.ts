import { match, rejects, strictEqual, throws } from "node:assert/strict";
import { blockchainComparison, plotComparison } from "../../mod.ts";
import { inFolder, runCommand, runScript } from "../scripts/run_script.ts";

Deno.test("a script written for 0.1.0 runs to its end", () =>
  inFolder(async (folder) => {
    await runScript("init.ts", [`${folder}/mine`]);
    const script = await Deno.readTextFile(new URL("script.ts", import.meta.url));
    await Deno.writeTextFile(`${folder}/mine/script.ts`, script);
    const { code, stdout, stderr } = await runCommand(
      [Deno.execPath(), "run", "-A", "--no-check", "script.ts"],
      { cwd: `${folder}/mine` },
    );
    strictEqual(code, 0, stderr);
    match(stdout, /^1 sample true 2\n/);
    match(stdout, /\nChanged\n/);
    match(stdout, /\ntrue\n$/);
  }));

Deno.test("names of 0.1.0 fail with the new name", async () => {
  await rejects(
    () => blockchainComparison({ orderBy: "chain_id" } as never),
    /orderBy: did you mean order_by\?/,
  );
  const chains = await blockchainComparison({ limit: 3 });
  throws(() => plotComparison(chains, { fields: ["x"] } as never), /fields: /);
});
