import { deepStrictEqual, ok } from "node:assert/strict";
import { joined, NOTEBOOK_NAMES, NOTEBOOKS, readNotebook } from "./notebook.ts";

for (const name of NOTEBOOK_NAMES) {
  Deno.test(`${name} has stored outputs without errors or stderr, and is small`, async () => {
    const { cells, metadata, nbformat, nbformat_minor } = await readNotebook(name);
    deepStrictEqual(
      [metadata.kernelspec.name, metadata.language_info.name, nbformat, nbformat_minor],
      ["deno", "typescript", 4, 5],
    );
    const ids = cells.map(({ id }) => id);
    deepStrictEqual(ids, [...new Set(ids)]);
    const noise = cells.flatMap(({ id, outputs = [] }) =>
      outputs.filter(({ output_type, name }) => output_type === "error" || name === "stderr")
        .map((output) => `${id}: ${output.evalue ?? joined(output.text ?? "")}`)
    );
    deepStrictEqual(noise, []);
    const code = cells.filter(({ cell_type }) => cell_type === "code");
    deepStrictEqual(
      code.map(({ execution_count }) => execution_count),
      code.map((_, index) => index + 1),
    );
    const { size } = await Deno.stat(new URL(name, NOTEBOOKS));
    ok(size < 2_000_000, `${name} has ${size} bytes`);
  });
}
