import { deepStrictEqual as equal } from "node:assert/strict";

const URL_OF = new URL("../../lib/http/interrupt.ts", import.meta.url).href;

/** Runs code in a process of its own, where `listen` and `interrupt` exist, and returns its output and its signal. */
async function runs(code: string): Promise<[string, Deno.Signal | null]> {
  const program = `import { listenForInterrupt as listen } from "${URL_OF}";
    import process from "node:process";
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const interrupt = async () => { process.kill(process.pid, "SIGINT"); await wait(150); };
    ${code}`;
  const { stdout, signal } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", program],
    stderr: "null",
  }).output();
  return [new TextDecoder().decode(stdout).trim(), signal];
}

Deno.test("an interrupt aborts a call and keeps the process; a second one in another call ends it", async () => {
  equal(
    await runs(`
      const first = listen(); const other = listen();
      await interrupt();
      console.log(first.signal.aborted, other.signal.reason.name);
      first.end(); other.end();
      await interrupt(); // No call is running: the cell has ended.
      const second = listen();
      console.log(second.signal.aborted);
      await interrupt();
      console.log("alive"); second.end(); process.exit()`),
    ["true AbortError\nfalse\nalive", null],
  );
  equal(
    await runs(`
      const first = listen(); await interrupt(); first.end();
      const second = listen(); console.log("again"); await interrupt(); console.log("alive")`),
    ["again", "SIGINT"],
  );
});
