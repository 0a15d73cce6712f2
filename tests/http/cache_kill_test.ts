import assert from "node:assert/strict";
import { cacheIn, QUESTIONS, SIZE } from "./write_forever.ts";

const KILLS = 200;
const WRITER = new URL("write_forever.ts", import.meta.url).pathname;

/** Pseudo-random waits, the same in every run. */
function* waits(): Generator<number, never> {
  for (let state = 4;; state = (state * 48_271) % 2_147_483_647) yield (state % 1_200) / 100;
}

async function writeAndKill(dir: string, count: number, wait: number): Promise<void> {
  const writer = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--quiet",
      `--allow-read=${dir}`,
      `--allow-write=${dir}`,
      WRITER,
      dir,
      `${count}`,
    ],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  await writer.stdout.getReader({ mode: "byob" }).read(new Uint8Array(2));
  await new Promise((done) => setTimeout(done, wait));
  writer.kill("SIGKILL");
  await writer.status;
}

Deno.test("200 writers killed in the middle, two at a time, leave no entry that is read as good", async () => {
  const dir = await Deno.makeTempDir();
  const wait = waits();
  let good = 0;
  try {
    for (let count = 0; count < KILLS; count += 2) {
      await Promise.all([0, 1].map((more) => writeAndKill(dir, count + more, wait.next().value)));
      for (const question of QUESTIONS) {
        const kept = await cacheIn(dir).read(question);
        if (kept === null) continue;
        good++;
        const { data: [ids, text] } = JSON.parse(new TextDecoder().decode(kept.bytes));
        assert.deepEqual(ids, question.params.chain_ids);
        assert.equal(text, text[0].repeat(SIZE));
      }
    }
    const names = [...Deno.readDirSync(dir)].map(({ name }) => name);
    const halves = names.filter((name) => name.endsWith(".tmp"));
    // Else the kills did not fall where this test wants them, or nothing was ever kept.
    assert.ok(halves.length > KILLS / 20, `${halves.length} writes were cut in the middle`);
    assert.ok(good > KILLS / 2, `${good} entries were good`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
