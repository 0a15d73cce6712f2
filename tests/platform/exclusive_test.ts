import { deepStrictEqual } from "node:assert/strict";
import { exclusively } from "../../lib/platform/exclusive.ts";
import { inFolder } from "../in_folder.ts";

Deno.test("exclusively returns the result, and removes its guard, also one of a killed process", () =>
  inFolder(async (folder) => {
    const guard = `${folder}/data.lock.guard`;
    const names = () => [...Deno.readDirSync(folder)].map(({ name }) => name);
    deepStrictEqual([exclusively(guard, names), names()], [["data.lock.guard"], []]);
    await Deno.writeTextFile(guard, "");
    deepStrictEqual([exclusively(guard, () => 5), names()], [5, []]);
  }));

Deno.test("exclusively lets processes take turns", () =>
  inFolder(async (folder) => {
    const [guard, file] = [`${folder}/guard`, `${folder}/count`];
    await Deno.writeTextFile(file, "0");
    const url = new URL("../../lib/platform/exclusive.ts", import.meta.url).href;
    const code = `import { exclusively } from "${url}";
      for (let n = 0; n < 200; n++) {
        exclusively("${guard}", () => {
          const count = Number(Deno.readTextFileSync("${file}"));
          Deno.writeTextFileSync("${file}", String(count + 1));
        });
      }`;
    const runs = await Promise.all(
      [1, 2, 3].map(() => new Deno.Command(Deno.execPath(), { args: ["eval", code] }).output()),
    );
    deepStrictEqual(runs.map(({ code }) => code), [0, 0, 0]);
    deepStrictEqual(await Deno.readTextFile(file), "600");
  }));
