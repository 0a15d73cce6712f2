import { deepStrictEqual, ok } from "node:assert/strict";
import * as chainframe from "../mod.ts";
import { type DataFrame, pl, provenanceOf } from "../mod.ts";
import { loadEntries } from "../lib/help/entries.ts";
import { bundleOf } from "../lib/table/show/display.ts";
import { columnsOf } from "../lib/table/track/descriptions.ts";
import { frameDigest } from "../lib/table/track/frame_digest.ts";
import { called, frameCases, WITHOUT_FRAME } from "./frame_cases.ts";

const NAMES = { entity: ["protocol"], date: "day", code: "code" };

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

function stateOf(frame: DataFrame) {
  return {
    provenance: structuredClone(provenanceOf(frame)),
    columns: frame.columns,
    descriptions: [...columnsOf(frame)],
    text: String(frame),
    bundle: bundleOf(frame),
    digest: frameDigest(frame),
  };
}

/** What a function returns, without its moment. */
async function answerOf(result: unknown): Promise<unknown> {
  if (pl.DataFrame.isDataFrame(result)) {
    const frame = result as DataFrame;
    return { rows: frame.rows(), columns: frame.columns, described: [...columnsOf(frame)] };
  }
  const { spec } = Object(result) as { readonly spec?: Promise<unknown> };
  return spec === undefined ? String(result) : JSON.stringify(await spec);
}

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

Deno.test("no function changes the frame that it reads, or what another call returns for it", async () => {
  const [used, fresh] = [frameCases(NAMES), frameCases(NAMES)];
  const failures: string[] = [];
  for (const [name, { frame, options: all, ...each }] of Object.entries(used)) {
    const before = stateOf(frame);
    let failed = 0;
    for (const options of all.toReversed()) {
      await called(name, { frame, options: all, ...each }, options).catch(() => failed++);
    }
    ok(failed < all.length, `${name}: no call succeeds`);
    deepStrictEqual(stateOf(frame), before, name);
    const call = async (one: typeof used) => {
      const result = await called(name, one[name]!, all[0]!).catch((error) => error.message);
      return await answerOf(result);
    };
    const [again, first] = [await call(used), await call(fresh)];
    if (JSON.stringify(again) !== JSON.stringify(first)) failures.push(name);
    if (typeof first === "string" && /^\w+: /.test(first)) failures.push(`${name}: ${first}`);
  }
  deepStrictEqual(failures, []);
});
