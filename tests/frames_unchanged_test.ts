import { deepStrictEqual } from "node:assert/strict";
import * as chainframe from "../mod.ts";
import { loadEntries } from "../lib/help/entries.ts";
import { frameCases, WITHOUT_FRAME } from "./frame_cases.ts";
import { changing, NAMES } from "./unchanged_frames.ts";

const { names: entries } = await loadEntries();
const functions = Object.entries(chainframe).filter(([, value]) =>
  typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value))
).map(([name]) => name);

/** Options whose values are of another function, or are not called here. */
const UNCALLED: Readonly<Record<string, readonly string[]>> = {
  // Options of charts and of addresses.
  save: ["source", "text", "dpi", "width"],
  report: ["parts"],
  // Of curves, see column_names_test.ts.
  eventStudy: ["month"],
  counterfactual: ["month"],
};

Deno.test("each public function has a case, or takes no frame", () => {
  deepStrictEqual(
    [...Object.keys(frameCases(NAMES)), ...WITHOUT_FRAME].toSorted(),
    functions.toSorted(),
  );
});

Deno.test("the cases call each function with each of its options", () => {
  const problems = Object.entries(frameCases(NAMES)).flatMap(([name, { options }]) => {
    const known = entries.find((entry) => entry.name === name)?.options ?? [];
    const used = new Set([...options.flatMap(Object.keys), ...UNCALLED[name] ?? []]);
    const missing = known.filter((option) => !used.has(option.name)).map((option) => option.name);
    return missing.length > 0 ? [`${name}: ${missing.join(", ")}`] : [];
  });
  deepStrictEqual(problems, []);
});

// tests/slow has all options.
Deno.test("no function changes the frame that it reads, or what another call returns for it", async () => {
  deepStrictEqual(await changing((all) => all.slice(0, 3)), []);
});
