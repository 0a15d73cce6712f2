import { deepStrictEqual, ok } from "node:assert/strict";
import { openFrame, pl, provenanceOf, save, withSource } from "../../../mod.ts";
import { environmentOf, inFolder } from "../../scripts/run_script.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).href;
const PROGRAM = `import { pl, save, withSource } from "${MOD}";
const [path, first] = Deno.args;
for (let n = Number(first);; n++) {
  const frame = withSource(pl.DataFrame({ n: [n] }), { citation: "run " + n });
  await save(frame, path, { force: true });
  console.log("saved");
}`;

Deno.test("60 kills while save replaces a file leave no file without its record", () =>
  inFolder(async (folder) => {
    const [program, path] = [`${folder}/program.ts`, `${folder}/n.csv`];
    await Deno.writeTextFile(program, PROGRAM);
    await save(withSource(pl.DataFrame({ n: [0] }), { citation: "run 0" }), path);
    const wrong: string[] = [];
    let seen = 0;
    for (let kill = 0; kill < 60; kill++) {
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", program, path, `${1 + kill * 1_000_000}`],
        env: environmentOf(),
        clearEnv: true,
        stdout: "piped",
        stderr: "null",
      }).spawn();
      for await (const _ of child.stdout) break;
      await new Promise((done) => setTimeout(done, (kill * 7) % 20));
      child.kill("SIGKILL");
      await child.status;
      try {
        const frame = await openFrame(path);
        const { citation } = provenanceOf(frame) as { citation: string };
        deepStrictEqual(citation, `run ${frame.getColumn("n").toArray()[0]}`);
        seen++;
      } catch (error) {
        wrong.push((error as Error).message);
      }
    }
    deepStrictEqual(wrong, []);
    ok(seen === 60);
  }));
