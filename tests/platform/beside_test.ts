import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { exclusively } from "../../lib/platform/exclusive.ts";
import { appendSync, readAppended, replaceSync, writeWhole } from "../../lib/platform/file.ts";
import { inFolder } from "../in_folder.ts";

const UUID = "0b8f3f9e-4c1d-4a52-9d3b-6b6f0e3a7c11";
const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("appendSync, readAppended and exclusively replace links, and leave what they lead to", () =>
  inFolder(async (folder) => {
    const [inside, outside] = [`${folder}/inside`, `${folder}/outside`];
    await Deno.mkdir(inside);
    await Deno.mkdir(outside);
    await Deno.writeTextFile(`${outside}/kept`, "kept");
    for (const target of ["kept", "none"]) {
      const [part, guard] = [`${inside}/a.part`, `${inside}/a.guard`];
      for (const path of [part, guard]) await Deno.symlink(`../outside/${target}`, path);
      strictEqual(readAppended(part), null);
      deepStrictEqual(names(inside), ["a.guard"]);
      await Deno.symlink(`../outside/${target}`, part);
      const during = exclusively(guard, () => {
        appendSync(part, "one\n");
        appendSync(part, new TextEncoder().encode("two\n"));
        return Deno.lstatSync(guard).isFile;
      });
      deepStrictEqual([during, readAppended(part)], [true, "one\ntwo\n"]);
      deepStrictEqual([names(inside), names(outside)], [["a.part"], ["kept"]]);
      strictEqual(await Deno.readTextFile(`${outside}/kept`), "kept");
      await Deno.remove(part);
    }
  }));

Deno.test("appendSync keeps the umask, and neither function waits at a pipe", () =>
  inFolder(async (folder) => {
    const before = Deno.umask(0o077);
    try {
      appendSync(`${folder}/a.part`, "one\n");
    } finally {
      Deno.umask(before);
    }
    strictEqual((await Deno.stat(`${folder}/a.part`)).mode! & 0o777, 0o600);
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    throws(() => appendSync(`${folder}/pipe`, "one"), { code: "ENXIO" });
    throws(() => readAppended(`${folder}/pipe`), RangeError);
    throws(() => readAppended(folder), RangeError);
    strictEqual(readAppended(`${folder}/none`), null);
  }));

for (
  const [how, write, siblings] of [
    ["writeWhole", writeWhole, undefined],
    ["writeWhole with siblings", writeWhole, /^entry-\d+$/],
    ["replaceSync", (path: string) => replaceSync(path, "new"), undefined],
  ] as const
) {
  Deno.test(`${how} removes only old temporary files of its path`, () =>
    inFolder(async (folder) => {
      const old = new Date(Date.now() - 2 * 86_400_000);
      const leave = async (name: string, time: Date | null = old) => {
        await Deno.writeTextFile(`${folder}/${name}`, "half");
        if (time !== null) await Deno.utime(`${folder}/${name}`, time, time);
      };
      await leave(`.fees.csv.${UUID}.tmp`);
      await leave(`.entry-7.${UUID}.tmp`);
      await leave(`.fees.csv.${UUID.replace("0", "1")}.tmp`, null);
      const others = [`.gas.csv.${UUID}.tmp`, ".fees.csv.mine.tmp", `fees.csv.${UUID}.tmp`];
      for (const name of others) await leave(name);
      await Deno.mkdir(`${folder}/.fees.csv.${UUID.replace("0", "2")}.tmp`);
      await Deno.symlink("fees.csv", `${folder}/.fees.csv.${UUID.replace("0", "3")}.tmp`);
      await write(`${folder}/fees.csv`, new Uint8Array(1), { ...siblings && { siblings } });
      deepStrictEqual(
        names(folder),
        [
          ...others,
          ...siblings ? [] : [`.entry-7.${UUID}.tmp`],
          ...["1", "2", "3"].map((digit) => `.fees.csv.${UUID.replace("0", digit)}.tmp`),
          "fees.csv",
        ].sort(),
      );
    }));
}

Deno.test("a folder is listed once per process", () =>
  inFolder(async (folder) => {
    await writeWhole(`${folder}/a.csv`, new Uint8Array(1));
    const left = `${folder}/.a.csv.${UUID}.tmp`;
    await Deno.writeTextFile(left, "half");
    await Deno.utime(left, 1, 1);
    await writeWhole(`${folder}/a.csv`, new Uint8Array(1), { force: true });
    deepStrictEqual(names(folder), [`.a.csv.${UUID}.tmp`, "a.csv"]);
  }));
