import { deepStrictEqual, match, ok } from "node:assert/strict";
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

/** The height of a PNG in pixels. A page draws it in this size. */
function heightOf(png: string): number {
  return new DataView(Uint8Array.from(atob(png.slice(0, 40)), (at) => at.charCodeAt(0)).buffer)
    .getUint32(20);
}

for (const name of NOTEBOOK_NAMES) {
  Deno.test(`${name} asks, begins with a picture, imports in one line, and prints no more than a screen`, async () => {
    const { cells } = await readNotebook(name);
    match(joined(cells[0]!.source), /^# .+\?$/m);
    const code = cells.filter(({ cell_type }) => cell_type === "code");
    const imports = code.flatMap(({ source }) => joined(source).match(/^import .*$/gm) ?? []);
    deepStrictEqual(imports, ['import * as cf from "@chainframe/chainframe";']);
    const shown = code.map(({ outputs = [] }) => outputs.filter(({ data }) => data !== undefined));
    ok(shown[0]!.some(({ data }) => "image/png" in data!), "the first cell draws the answer");
    for (const { data } of shown.flat()) {
      const png = data!["image/png"];
      if (png !== undefined) ok(heightOf(joined(png as string)) <= 800);
      else ok(joined(data!["text/plain"] as string).split("\n").length <= 30);
    }
  });
}
