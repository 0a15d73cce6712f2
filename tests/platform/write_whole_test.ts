import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { writeWhole } from "../../lib/platform/file.ts";

const HALTED_WRITER = new URL("./halted_writer.ts", import.meta.url).pathname;

/** Runs a writer until it prints that it paused, and kills it. */
async function killed(path: string, where: string): Promise<void> {
  const writer = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--allow-write", HALTED_WRITER, path, where],
    stdout: "piped",
  }).spawn();
  const reader = writer.stdout.getReader();
  const { value } = await reader.read();
  strictEqual(new TextDecoder().decode(value), "standing still\n");
  writer.kill("SIGKILL");
  strictEqual((await writer.status).signal, "SIGKILL");
  await reader.cancel();
}

for (const where of ["in the middle of the bytes", "before the rename"]) {
  Deno.test(`writeWhole keeps the old file complete if it is killed ${where}`, async () => {
    const folder = await Deno.makeTempDir();
    const path = `${folder}/old.csv`;
    try {
      await Deno.writeTextFile(path, "the old file, whole");
      await killed(path, where);
      strictEqual(await Deno.readTextFile(path), "the old file, whole");
      const sizes = Array.from(Deno.readDirSync(folder), ({ name }) => [
        name.replace(/[0-9a-f-]{36}/, "UUID"),
        Deno.statSync(`${folder}/${name}`).size,
      ]);
      const size = where === "before the rename" ? 1_000_000 : 500_000;
      deepStrictEqual(sizes.sort(), [[".old.csv.UUID.tmp", size], ["old.csv", 19]]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

const BYTES = new TextEncoder().encode("new");

Deno.test("writeWhole follows a link, and refuses a broken one", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/far`);
    await Deno.writeTextFile(`${folder}/far/a.csv`, "old");
    await Deno.symlink("far/a.csv", `${folder}/a.csv`);
    await writeWhole(`${folder}/a.csv`, BYTES, { force: true });
    strictEqual(await Deno.readTextFile(`${folder}/far/a.csv`), "new");
    strictEqual((await Deno.lstat(`${folder}/a.csv`)).isSymlink, true);
    await rejects(writeWhole(`${folder}/a.csv`, BYTES), { code: "EEXIST" });

    await Deno.symlink("far/none.csv", `${folder}/b.csv`);
    await rejects(writeWhole(`${folder}/b.csv`, BYTES, { force: true }), {
      name: "RangeError",
      message: `path: is a link to a missing file; got ${folder}/b.csv`,
    });
    strictEqual((await Deno.lstat(`${folder}/b.csv`)).isSymlink, true);
    deepStrictEqual([...Deno.readDirSync(`${folder}/far`)].map(({ name }) => name), ["a.csv"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
