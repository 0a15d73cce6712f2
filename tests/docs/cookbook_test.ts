import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { inFolder, runCommand } from "../scripts/run_script.ts";
import { CONFIG, ROOT } from "./blocks.ts";

/** Prints the name of each frame of a block and the kinds of its inputs that are not complete. */
const CHECK = `
import { pl as polars, provenanceOf as originOf } from "@chainframe/chainframe";
import { inputsOf } from "${ROOT.pathname}lib/table/track/provenance.ts";
function isComplete(input) {
  if (input.kind === "given") return input.citation !== "" && input.frame_sha256.length === 64;
  return input.kind === "response" && input.sha256.length === 64 && input.retrieved_at !== null &&
    input.data_through !== null && URL.canParse(input.url);
}
function checked(frames) {
  for (const [name, frame] of Object.entries(frames)) {
    if (!polars.DataFrame.isDataFrame(frame)) continue;
    const inputs = inputsOf(originOf(frame));
    const wrong = inputs.filter((input) => !isComplete(input)).map(({ kind }) => kind);
    console.error("\\0" + JSON.stringify([name, inputs.length, wrong]));
  }
}
`;

Deno.test("the frames of all examples of the cookbook have complete inputs", () =>
  inFolder(async (folder) => {
    const text = await Deno.readTextFile(new URL("docs/cookbook.md", ROOT));
    const codes = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!);
    ok(codes.length > 10);
    await Deno.mkdir(`${folder}/out`);
    for (const [at, code] of codes.entries()) {
      const names = [...code.matchAll(/^const (\w+)\b/gm)].map(([, name]) => name);
      const lines = [CHECK, code, `checked({ ${names.join(", ")} });`];
      await Deno.writeTextFile(`${folder}/${at}.ts`, lines.join("\n"));
    }
    const main = codes.map((_, at) => `await import("./${at}.ts");`).join("\n");
    await Deno.writeTextFile(`${folder}/main.ts`, main);
    const command = [Deno.execPath(), "run", "-A", "--no-check", CONFIG, "main.ts"];
    const { code, stderr } = await runCommand(command, { cwd: folder });
    strictEqual(code, 0, stderr);
    const found = [...stderr.matchAll(/\0(.*)/g)].map(([, line]) => JSON.parse(line!));
    ok(found.length > codes.length, `${found.length} frames`);
    deepStrictEqual(found.filter(([, inputs, wrong]) => inputs === 0 || wrong.length > 0), []);
  }));
