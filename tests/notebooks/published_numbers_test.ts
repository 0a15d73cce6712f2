import { deepStrictEqual, ok } from "node:assert/strict";
import { joined, readNotebook } from "./notebook.ts";

type Result = readonly [name: string, printed: number, computed: number];

function resultOf([name, ...numbers]: readonly string[]): Result {
  const [printed = NaN, computed = NaN] = numbers.map((text) => Number(text.replaceAll(",", "")));
  return [name!, printed, computed];
}

/** The rows of the last table of the notebook, and the difference of each result from the printed one. */
async function storedResults(): Promise<{ result: Result; offBy: number }[]> {
  const notebook = await readNotebook("published_numbers.ipynb");
  const html = joined(notebook.cells.at(-1)!.outputs![0]!.data!["text/html"] as string[]);
  const rows = [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .map(([, row]) => [...row!.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell!));
  return rows.filter((cells) => cells.length > 3)
    .map((cells) => ({ result: resultOf(cells), offBy: Number(cells[3]) }));
}

Deno.test("docs/compare.md has the results of published_numbers.ipynb, which are those printed", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/compare.md", import.meta.url));
  const rows = page.split("\n").map((line) =>
    line.split("|").slice(1, 4).map((cell) => cell.trim())
  );
  const stored = await storedResults();
  const names = new Set(stored.map(({ result: [name] }) => name));
  deepStrictEqual(
    rows.filter(([name]) => names.has(name!)).map(resultOf),
    stored.map(({ result }) => result),
  );
  deepStrictEqual(names.size, 13);
  for (const { result: [name, printed], offBy } of stored) {
    const decimals = `${printed}`.split(".")[1]!.length;
    // The solver of the synthetic control in the paper's software stops early.
    const most = name === "Proposition 99: synthetic control" ? 0.1 : 0.51 * 10 ** -decimals;
    ok(offBy <= most, name);
  }
});
