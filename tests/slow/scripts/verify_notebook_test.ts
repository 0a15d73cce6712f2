import { match, strictEqual } from "node:assert/strict";
import { joined, NOTEBOOKS, readNotebook } from "../../notebooks/notebook.ts";
import { inFolder, runCommand, runScript } from "../../scripts/run_script.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

Deno.test("the numbers of real_events.ipynb are computed again from its files", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    for (const { name } of Deno.readDirSync(new URL("real", NOTEBOOKS))) {
      await Deno.copyFile(new URL(`real/${name}`, NOTEBOOKS), `${folder}/real/${name}`);
    }
    const { cells } = await readNotebook("real_events.ipynb");
    const code = cells.filter(({ cell_type }) => cell_type === "code")
      .map(({ source }) => joined(source)).join("\n\n").replace("cf.md`", "const text = cf.md`");
    await Deno.writeTextFile(
      `${folder}/real.ts`,
      `${code}\nawait cf.save(cf.report({ title: "Fantom", parts: [text] }), "page.html");\n`,
    );
    const options = ["--allow-all", "--quiet", "--no-check", "--config", CONFIG];
    const made = await runCommand([Deno.execPath(), "run", ...options, "real.ts"], { cwd: folder });
    strictEqual(made.code, 0, made.stderr);
    const verify = () =>
      runScript("verify.ts", [`${folder}/page.html`, "--tables", `${folder}/real`]);
    const same = await verify();
    strictEqual(same.code, 0, same.stdout);
    match(same.stdout, /^5 of 5 as computed again$/m);
    const file = `${folder}/real/chain_tvl_weekly.csv`;
    const text = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, text.replace("397868071", "397868072"));
    const changed = await verify();
    strictEqual(changed.code, 3, changed.stdout);
    match(changed.stdout, /chain_tvl_weekly\.csv differs from the file of the recipe/);
  }));
