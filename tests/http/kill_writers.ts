import assert from "node:assert/strict";
import { cacheIn, QUESTIONS, SIZE } from "./write_forever.ts";

const WRITERS = 2;
const PATIENCE = 30_000;
const WRITER = new URL("write_forever.ts", import.meta.url).pathname;

function halves(dir: string): string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name).filter((name) => name.endsWith(".tmp"));
}

/** Whether an entry is complete. A writer creates the file of its line before it writes the line. */
function hasEntry(dir: string): boolean {
  return [...Deno.readDirSync(dir)].some(({ name }) =>
    name.endsWith(".jsonl") && Deno.statSync(`${dir}/${name}`).size > 0
  );
}

/** Starts writers, kills them while one writes, after a few more milliseconds in some rounds. */
async function writeAndKill(dir: string, round: number): Promise<void> {
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-check",
        "--quiet",
        `--allow-read=${dir}`,
        `--allow-write=${dir}`,
        WRITER,
        dir,
        `${round * WRITERS + index}`,
      ],
      stdout: "null",
      stderr: "null",
    }).spawn());
  const end = performance.now() + PATIENCE;
  // In the first round one entry is complete before the kill.
  const isReady = () => halves(dir).length > 0 && (round > 0 || hasEntry(dir));
  while (!isReady()) {
    assert.ok(performance.now() < end, "the writers do not write");
    await new Promise((done) => setTimeout(done, 1));
  }
  if (round % 4 > 0) await new Promise((done) => setTimeout(done, (round * 7) % 12));
  for (const writer of writers) writer.kill("SIGKILL");
  await Promise.all(writers.map((writer) => writer.status));
}

/** Maximum number of further rounds if no kill interrupted a write: each can come just after the end of one. */
const MOST_MORE = 50;

/** Kills at least `kills` writers of one cache, two at a time, until one was interrupted, and reads what they left. */
export async function killWriters(kills: number): Promise<void> {
  const dir = await Deno.makeTempDir();
  let cut = 0;
  let good = 0;
  try {
    const enough = kills / WRITERS;
    const isOver = (round: number) => round >= enough && cut > 0 && good > 0;
    for (let round = 0; round < enough + MOST_MORE && !isOver(round); round++) {
      await writeAndKill(dir, round);
      for (const question of QUESTIONS) {
        const kept = await cacheIn(dir).read(question);
        if (kept === null) continue;
        good++;
        const { data: [ids, text] } = JSON.parse(new TextDecoder().decode(kept.bytes));
        assert.deepEqual(ids, question.params.chain_ids);
        assert.equal(text, text[0].repeat(SIZE));
      }
      for (const name of halves(dir)) {
        cut++;
        Deno.removeSync(`${dir}/${name}`);
      }
    }
    assert.ok(cut > 0, "no write was cut in the middle");
    assert.ok(good > 0, "no entry was good");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
