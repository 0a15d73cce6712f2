import { deepStrictEqual } from "node:assert/strict";
import { type Notebook, notebookOf, type Output } from "./notebook.ts";
import { differences, stableOutputs } from "./stable_outputs.ts";

function showing(...outputs: readonly Output[]): Notebook {
  const notebook = notebookOf(["1"]);
  return { ...notebook, cells: notebook.cells.map((cell) => ({ ...cell, outputs })) };
}

function text(text: string): Notebook {
  return showing({ output_type: "execute_result", data: { "text/plain": text } });
}

function changes(kept: Notebook, now: Notebook): string[] {
  return differences(stableOutputs(kept), stableOutputs(now));
}

Deno.test("differences ignores the time of a response and nothing else", () => {
  const line = (time: string) => text(`12 rows\nproject · SAMPLE DATA · ${time}`);
  deepStrictEqual(changes(line("2026-01-02T03:04:05Z"), line("2027-01-02T03:04:05Z")), []);
  const caption = (day: string) => text(`Source: cohort analysis, ${day}.`);
  deepStrictEqual(changes(caption("2026-01-02"), caption("2027-01-02")), []);
  deepStrictEqual(changes(text("2026-01-02T03:04:05Z"), text("2027-01-02T03:04:05Z")), [
    'cell-0 0 execute_result text/plain: kept "2026-01-02T03:04:05Z", now "2027-01-02T03:04:05Z"',
  ]);
});

Deno.test("differences names an output that is new, missing, or of another kind", () => {
  const [nothing, one] = [showing(), text("1")];
  deepStrictEqual(changes(nothing, one), ['cell-0 0 execute_result text/plain: is new: "1"']);
  deepStrictEqual(changes(one, nothing), ['cell-0 0 execute_result text/plain: is gone: "1"']);
  const noise = showing({ output_type: "stream", name: "stderr", text: ["a\n", "b"] });
  deepStrictEqual(changes(nothing, noise), ['cell-0 0 stream stderr: is new: "a\\nb"']);
  const error = showing({ output_type: "error", ename: "QueryError", evalue: "limit: 0" });
  deepStrictEqual(changes(nothing, error), ['cell-0 0 error QueryError: is new: "limit: 0"']);
});

Deno.test("differences treats a text and the list of its lines as equal", () => {
  const lines = showing({ output_type: "execute_result", data: { "text/plain": ["a\n", "b"] } });
  deepStrictEqual(changes(text("a\nb"), lines), []);
});
