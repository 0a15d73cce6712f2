import { match, ok, strictEqual } from "node:assert/strict";
import { fakeService } from "./fake_service.ts";
import { fetchAsOf } from "./read_archive.ts";
import { commandOf, environmentOf, inFolder, runScript } from "./run_script.ts";

const ARCHIVE = "archive.ts";

const chain = (chain_id: string, fees: number) => ({
  chain_id,
  chain_name: chain_id,
  ecosystem_fees_30d_sum: fees,
});

const AT_ONCE = 2;

/** Kills runs of archive.ts, two at a time, and reads what they left. */
export async function killRuns(kills: number): Promise<void> {
  let count = 0;
  const service = fakeService(() => ({ data: [chain("a", ++count)], pad: "x".repeat(200_000) }));
  try {
    await inFolder(async (folder) => {
      const dir = `${folder}/answers`;
      const questions = Array.from({ length: 12 }, (_, index) => ({
        operation: "blockchain_comparison",
        query: { chain_ids: [`chain-${index}`] },
      }));
      await Deno.writeTextFile(`${folder}/questions.json`, JSON.stringify(questions));
      const args = [`${folder}/questions.json`, "--dir", dir];
      // On a busy machine no killed run may get as far as a whole response.
      const whole = await runScript(ARCHIVE, args, { env: service.env });
      strictEqual(whole.code, 0, whole.stderr);
      let cut = 0;
      for (let round = 0; round < kills / AT_ONCE; round++) {
        const [program, ...words] = commandOf(ARCHIVE, args);
        const before = count;
        const runs = Array.from({ length: AT_ONCE }, () =>
          new Deno.Command(program!, {
            args: words,
            clearEnv: true,
            env: environmentOf(service.env),
            stdin: "null",
            stdout: "null",
            stderr: "null",
          }).spawn());
        const end = Date.now() + 20_000;
        while (count < before + 2 && Date.now() < end) await new Promise((d) => setTimeout(d, 1));
        await new Promise((done) => setTimeout(done, (round * 13) % 60));
        for (const run of runs) {
          try {
            run.kill("SIGKILL");
          } catch {
            // It has ended already.
          }
        }
        const ended = await Promise.all(runs.map(({ status }) => status));
        cut += ended.filter(({ signal }) => signal === "SIGKILL").length;
      }
      ok(cut > kills / 2, `${cut} of ${kills} were killed while they worked`);
      const { code, stdout, stderr } = await runScript(ARCHIVE, ["--verify", dir]);
      strictEqual(code, 0, stderr);
      match(stdout, /all digests are correct/);
      ok(await fetchAsOf(dir, service.env.CHAINFRAME_BASE_URL) > 0);
    });
  } finally {
    await service.close();
  }
}
