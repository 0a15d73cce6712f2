import { strictEqual, throws } from "node:assert/strict";
import { withParameters } from "../../scripts/notebook/parameter_cell.ts";

const CELL = `// Which chains?
const chain_ids = ["alder"];
const measures: string[] = [];
const months: number[] = []; // which ones
let horizon = 24;
const title: string = "Fees";
const log = false
const start: string | null = null;
const top: number | null = null;
const { a } = { a: 1 };
`;

const set = (values: Record<string, string>) =>
  withParameters(CELL, new Map(Object.entries(values)));
const line = (values: Record<string, string>) => {
  const lines = CELL.split("\n");
  return set(values).split("\n").filter((text, index) => text !== lines[index]).join("\n");
};

Deno.test("withParameters reads a value by the type of the default", () => {
  strictEqual(line({ chain_ids: "basalt, cinder" }), 'const chain_ids = ["basalt", "cinder"];');
  strictEqual(line({ chain_ids: '["a,b"]' }), 'const chain_ids = ["a,b"];');
  strictEqual(line({ chain_ids: "" }), "const chain_ids = [];");
  strictEqual(line({ measures: "007,1e5" }), 'const measures: string[] = ["007", "1e5"];');
  strictEqual(line({ months: "1,2" }), "const months: number[] = [1,2]; // which ones");
  strictEqual(line({ horizon: "36" }), "let horizon = 36;");
  strictEqual(line({ title: '7 "x" \\ =y' }), 'const title: string = "7 \\"x\\" \\\\ =y";');
  strictEqual(line({ log: "true" }), "const log = true");
  strictEqual(line({ start: "2025-01-01" }), 'const start: string | null = "2025-01-01";');
  strictEqual(line({ top: "5" }), "const top: number | null = 5;");
  strictEqual(set({ start: "null" }), CELL);
});

Deno.test("withParameters changes only what is asked for, at once", () => {
  strictEqual(set({}), CELL);
  strictEqual(line({ horizon: "1", log: "true" }), "let horizon = 1;\nconst log = true");
});

Deno.test("withParameters refuses what is not of the type of the default, and names the known ones", () => {
  const message = (text: string) => ({ name: "UsageError", message: text });
  throws(() => set({ horizon: "soon" }), message("--set horizon: must be a number: soon"));
  throws(() => set({ horizon: "" }), message("--set horizon: must be a number: "));
  throws(() => set({ months: "1,x" }), message("--set months: must be a number: x"));
  throws(() => set({ log: "yes" }), message("--set log: must be true or false: yes"));
  throws(
    () => set({ chain_ids: "[1" }),
    message("--set chain_ids: must be a list: a,b or JSON: [1"),
  );
  throws(
    () => set({ chains: "a" }),
    message(
      "--set chains: is no parameter of this notebook (nearest: chain_ids; it has chain_ids, measures, " +
        "months, horizon, title, log, start, top)",
    ),
  );
  throws(
    () => withParameters("1 + 1", new Map([["x", "1"]])),
    message("--set x: is no parameter of this notebook (it has none)"),
  );
});
