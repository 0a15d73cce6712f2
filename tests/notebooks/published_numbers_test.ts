import { deepStrictEqual, ok } from "node:assert/strict";
import { joined, readNotebook } from "./notebook.ts";

type Result = readonly [name: string, printed: number, computed: number];

function resultOf([name, ...numbers]: readonly string[]): Result {
  const [printed = NaN, computed = NaN] = numbers.map((text) => Number(text.replaceAll(",", "")));
  return [name!, printed, computed];
}

/** The rows of the last table of the notebook. */
async function storedResults(): Promise<Result[]> {
  const notebook = await readNotebook("published_numbers.ipynb");
  const text = joined(notebook.cells.at(-1)!.outputs![0]!.data!["text/plain"] as string[]);
  const rows = text.split("\n").map((line) => line.trim().split(/ {2,}/));
  return rows.map(resultOf).filter(([, printed]) => !Number.isNaN(printed));
}

Deno.test("docs/compare.md has the results of published_numbers.ipynb, which are those printed", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/compare.md", import.meta.url));
  const rows = page.split("\n").map((line) =>
    line.split("|").slice(1, 4).map((cell) => cell.trim())
  );
  const stored = await storedResults();
  const names = new Set(stored.map(([name]) => name));
  deepStrictEqual(rows.filter(([name]) => names.has(name!)).map(resultOf), stored);
  deepStrictEqual(names.size, 13);
  for (const [name, printed, computed] of stored) {
    const decimals = `${printed}`.split(".")[1]!.length;
    // The solver of the synthetic control in the paper's software stops early.
    const most = name === "Proposition 99: synthetic control" ? 0.1 : 0.51 * 10 ** -decimals;
    ok(Math.abs(printed - computed) <= most, name);
  }
});
