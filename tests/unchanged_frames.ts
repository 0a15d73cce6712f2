import { deepStrictEqual, ok } from "node:assert/strict";
import { type DataFrame, pl, provenanceOf } from "../mod.ts";
import { bundleOf } from "../lib/table/show/display.ts";
import { columnsOf } from "../lib/table/track/descriptions.ts";
import { frameDigest } from "../lib/table/track/frame_digest.ts";
import { called, frameCases } from "./frame_cases.ts";

/** The columns of the frames of all cases. */
export const NAMES = { entity: ["protocol"], date: "day", code: "code" };

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

/** The options of the calls of a function, of which the first are the plain call. */
type Options = readonly Readonly<Record<string, unknown>>[];

/**
 * Calls each public function with options of its case, and returns the names of those that give another answer after
 * these calls than for a fresh frame. Throws if a frame has changed.
 */
export async function changing(pick: (all: Options) => Options): Promise<string[]> {
  const [used, fresh] = [frameCases(NAMES), frameCases(NAMES)];
  const failures: string[] = [];
  for (const [name, { frame, options, ...each }] of Object.entries(used)) {
    const all = pick(options);
    const before = stateOf(frame);
    let failed = 0;
    for (const one of all.toReversed()) {
      await called(name, { frame, options: all, ...each }, one).catch(() => failed++);
    }
    ok(failed < all.length, `${name}: no call succeeds`);
    deepStrictEqual(stateOf(frame), before, name);
    const call = async (cases: typeof used) => {
      const result = await called(name, cases[name]!, all[0]!).catch((error) => error.message);
      return await answerOf(result);
    };
    const [again, first] = [await call(used), await call(fresh)];
    if (JSON.stringify(again) !== JSON.stringify(first)) failures.push(name);
    if (typeof first === "string" && /^\w+: /.test(first)) failures.push(`${name}: ${first}`);
  }
  return failures;
}
