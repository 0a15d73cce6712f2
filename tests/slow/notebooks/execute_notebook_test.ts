import { doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { executeNotebook } from "./execute_notebook.ts";
import { JUPYTER } from "./jupyter.ts";
import { joined, notebookOf } from "../../notebooks/notebook.ts";
import { makeWorkspace } from "./workspace.ts";

Deno.test({
  name: "executeNotebook throws if a cell never ends",
  ignore: JUPYTER === null,
  fn: async () => {
    await using workspace = await makeWorkspace();
    const endless = notebookOf(["await new Promise((later) => setInterval(later, 1e9, 1));"]);
    const run = { name: "endless.ipynb", notebook: endless, limit: 8_000 };
    await rejects(executeNotebook(workspace, run), {
      name: "TimeoutError",
      message: /^endless.ipynb: nbconvert did not end in 8000 ms/,
    });
  },
});

Deno.test({
  name: "an error of chainframe in a cell has its message and the line of the cell",
  ignore: JUPYTER === null,
  fn: async () => {
    await using workspace = await makeWorkspace();
    const failing = notebookOf([
      'import { pl, rankBy } from "@chainframe/chainframe";',
      'rankBy(pl.DataFrame({ fees: [1] }), { field: "fee" });',
    ]);
    const run = { name: "failing.ipynb", notebook: failing };
    const told = JSON.stringify((await executeNotebook(workspace, run)).cells);
    match(told, /rankBy: [^"]*fee/);
    match(told, /" +at <anonymous>:1:\d+"\]/);
    doesNotMatch(told, /rank_by\.ts/);
  },
});

Deno.test({
  name:
    "a response that differs from its lock leaves a red alert in the cell, or with throw an error",
  ignore: JUPYTER === null,
  fn: async () => {
    await using workspace = await makeWorkspace();
    const entry = {
      operation: "cohort_analysis",
      query: { limit: 2 },
      columns: [],
      moving: false,
      data_through: null,
      rows: 1,
      sha256: ["0".repeat(64)],
    };
    const lock = JSON.stringify({ chainframe_lock: 2, entries: [entry] });
    await Deno.writeTextFile(`${workspace.notebooks}/data.lock`, lock);
    const cells = notebookOf([
      'import { cohortAnalysis, connect } from "@chainframe/chainframe";',
      'await cohortAnalysis({ limit: 2 }, connect({ lock: "data.lock" }));',
      'await cohortAnalysis({ limit: 3 }, connect({ lock: { file: "data.lock", onChange: "throw" } }));',
    ]);
    const { cells: [, warned, thrown] } = await executeNotebook(workspace, {
      name: "locked.ipynb",
      notebook: cells,
    });
    const alerts = warned!.outputs!.filter(({ data }) =>
      JSON.stringify(data ?? {}).includes("chainframe: lock: ")
    );
    strictEqual(alerts.length, 1);
    const { "text/html": html, "text/plain": text } = alerts[0]!.data as Record<string, unknown>;
    match(joined(html as string), /^<pre role="alert" style="color: #b3261e;[^"]*">chainframe: /);
    match(
      joined(text as string),
      /^chainframe: lock: the response differs from data\.lock: cohort_analysis .*1 rows before/,
    );
    // The table is the last output of the cell, and the notice stays above it.
    ok(warned!.outputs!.at(-1)!.output_type === "execute_result");
    const error = thrown!.outputs!.find(({ output_type }) => output_type === "error")!;
    match(`${error.ename}: ${error.evalue}`, /lock: no entry in data\.lock: cohort_analysis/);
  },
});

Deno.test({
  name: "a call without an answer shows its attempts in one output, which ends as one line",
  ignore: JUPYTER === null,
  fn: async () => {
    await using workspace = await makeWorkspace();
    const cells = notebookOf([
      'import { blockchainComparison, connect } from "@chainframe/chainframe";',
      `let sent = 0;
const fetch = async () => {
  await new Promise((resolve) => setTimeout(resolve, 3_300));
  return sent++ === 0 ? new Response("<p>proxy</p>") : Response.json({ data: [{ chain_id: "a" }] });
};
const baseUrl = "https://metrics.example.test";
await blockchainComparison({}, connect({ baseUrl, token: "t0ken", fetch, envFile: false }));`,
    ]);
    const { cells: [, called] } = await executeNotebook(workspace, {
      name: "silent.ipynb",
      notebook: cells,
    });
    const texts = called!.outputs!.map(({ data }) =>
      joined((data as Record<string, string>)?.["text/plain"] ?? "")
    ).filter((text) => text.includes("blockchain_comparison:"));
    strictEqual(texts.length, 1);
    match(texts[0]!, /^blockchain_comparison: 1 of 1 requests in [67]\.\d s$/);
  },
});
