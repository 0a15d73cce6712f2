import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import { columnIn } from "../../lib/table/track/descriptions.ts";
import { provenanceOf } from "../../lib/table/track/provenance.ts";
import { withSource } from "../../lib/table/track/with_source.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { answering } from "../operations/answering.ts";
import { inFolder } from "../scripts/run_script.ts";
import { frameOf } from "./frame_of.ts";

const FRAME = frameOf({ id: ["Utf8", "007", null], fees: ["Float64", 0, 1.5] });

const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
const json = (path: string) => JSON.parse(Deno.readTextFileSync(path));

Deno.test("save writes the format of the ending, or of the option", () =>
  inFolder(async (folder) => {
    for (
      const [name, start] of [
        ["a.csv", "id,fees\n"],
        ["a.NDJSON", '{"id"'],
        ["a.jsonl", '{"id"'],
        ["a.json", "[{"],
        ["a.parquet", "PAR1"],
        ["a.arrow", "ARROW1"],
        ["a.ipc", "ARROW1"],
        ["a.feather", "ARROW1"],
        ["a.md", "| Id |"],
      ] as const
    ) {
      await save(FRAME, `${folder}/${name}`);
      const bytes = Deno.readFileSync(`${folder}/${name}`).slice(0, start.length);
      strictEqual(new TextDecoder().decode(bytes), start);
    }
    await save(FRAME, `${folder}/plain`, { format: "csv" });
    strictEqual(Deno.readTextFileSync(`${folder}/plain`), "id,fees\n007,0.0\n,1.5\n");
  }));

Deno.test("save writes a side-car: digest, dtypes, provenance, entity errors", () =>
  inFolder(async (folder) => {
    const error = { code: "NOT_FOUND", field: "chain_ids", value: "nowhere" };
    const { connection } = answering({
      data: [{ data_id: "a", chain_id: "a", product_id: null, metrics: { fees: 0 } }],
      errors: [error],
    });
    const query = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;
    const fees = await metricBreakdown(query, connection);
    await save(fees, `${folder}/fees.csv`);
    const { provenance, sha256, ...rest } = json(`${folder}/fees.csv.provenance.json`);
    deepStrictEqual(rest, {
      file: "fees.csv",
      format: "csv",
      rows: 1,
      columns: { data_id: "String", chain_id: "String", product_id: "String", fees: "Float64" },
      descriptions: {},
      entity_errors: [error],
    });
    const digest = await crypto.subtle.digest("SHA-256", Deno.readFileSync(`${folder}/fees.csv`));
    strictEqual(sha256, new Uint8Array(digest).toHex());
    strictEqual(provenance.operation, "metric_breakdown");
    deepStrictEqual(provenance.query, query);
    ok(!JSON.stringify(provenance).includes("t0ken"));

    await save(FRAME, `${folder}/mine.csv`);
    strictEqual(json(`${folder}/mine.csv.provenance.json`).provenance, null);
    strictEqual(json(`${folder}/mine.csv.provenance.json`).entity_errors, null);
    await save(FRAME, `${folder}/made.csv`, { source: fees });
    deepStrictEqual(json(`${folder}/made.csv.provenance.json`).provenance, provenance);
    await save(new TextEncoder().encode("<svg/>"), `${folder}/made.svg`, { source: fees });
    deepStrictEqual(json(`${folder}/made.svg.provenance.json`).provenance, provenance);
    strictEqual(Deno.readTextFileSync(`${folder}/made.svg`), "<svg/>");
  }));

Deno.test("save keeps a file or a side-car that exists, unless forced", () =>
  inFolder(async (folder) => {
    const path = `${folder}/a.csv`;
    Deno.writeTextFileSync(path, "mine");
    await rejects(save(FRAME, path), { code: "EEXIST" });
    strictEqual(Deno.readTextFileSync(path), "mine");
    deepStrictEqual(names(folder), ["a.csv"]);
    await save(FRAME, path, { force: true });
    strictEqual(Deno.readTextFileSync(path), "id,fees\n007,0.0\n,1.5\n");
    deepStrictEqual(names(folder), ["a.csv", "a.csv.provenance.json"]);
    Deno.removeSync(path);
    await rejects(save(FRAME, path), { code: "EEXIST" });
    deepStrictEqual(names(folder), ["a.csv.provenance.json"]);
  }));

Deno.test("save follows a link, and refuses a folder and a device", () =>
  inFolder(async (folder) => {
    Deno.writeTextFileSync(`${folder}/old.csv`, "old");
    Deno.symlinkSync(`${folder}/old.csv`, `${folder}/link.csv`);
    await save(FRAME, `${folder}/link.csv`, { force: true });
    ok(Deno.lstatSync(`${folder}/link.csv`).isSymlink);
    strictEqual(Deno.readTextFileSync(`${folder}/old.csv`), "id,fees\n007,0.0\n,1.5\n");
    Deno.mkdirSync(`${folder}/dir.csv`);
    await rejects(save(FRAME, `${folder}/dir.csv`, { force: true }), RangeError);
    await rejects(save(FRAME, "/dev/null", { force: true, format: "csv" }), RangeError);
  }));

Deno.test("save names the problem of a path", () =>
  inFolder(async (folder) => {
    await rejects(save(FRAME, `${folder}/a.xls`), {
      name: "RangeError",
      message: "save: path: must end in .csv, .ndjson, .jsonl, .json, .parquet, .arrow, .ipc, " +
        `.feather, .md, .xlsx, or pass format; got "${folder}/a.xls"`,
    });
    await rejects(save(FRAME, `${folder}/a`, { format: "xls" as "csv" }), RangeError);
    await rejects(save(FRAME, `${folder}/none/a.csv`), {
      code: "ENOENT",
      message: `path: the folder ${folder}/none does not exist; got ${folder}/none/a.csv`,
    });
    await rejects(save(frameOf({ x: ["Float64", NaN] }), `${folder}/a.json`), RangeError);
    deepStrictEqual(names(folder), []);
  }));

Deno.test("save warns of a frame without provenance", () =>
  inFolder(async (folder) => {
    const told: string[] = [];
    const { error } = console;
    console.error = (message: string) => told.push(message);
    try {
      await save(FRAME, `${folder}/mine.csv`);
      const { connection } = answering({ data: [] });
      const query = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;
      const fees = await metricBreakdown(query, connection);
      await save(fees.head(1), `${folder}/fees.csv`);
      await save(FRAME, `${folder}/made.csv`, { source: fees });
    } finally {
      console.error = error;
    }
    deepStrictEqual(told, [
      `save: ${folder}/mine.csv: origin unknown; ` +
      "pass source, the frame from which it was made",
    ]);
  }));

Deno.test("save names swapped arguments, and a frame that is a promise", async () => {
  await rejects(
    () => save("a.csv" as never, FRAME as never),
    /^RangeError: save: takes a frame.*; the path comes second: save\(frame, path\); got "a.csv"$/,
  );
  await rejects(
    () => save(Promise.resolve(FRAME) as never, "a.csv"),
    /; got a promise: await it$/,
  );
});

Deno.test("a file of the same bytes has the source and the units that were saved last", () =>
  inFolder(async (folder) => {
    const path = `${folder}/fees.csv`;
    for (const [citation, unit] of [["a draft", "usd"], ["a node", "packs"]] as const) {
      const frame = withSource(frameOf({ id: ["Utf8", "a"], fees: ["Float64", 1] }), {
        citation,
        columns: { fees: { unit } },
      });
      await save(frame, path, { force: true });
    }
    const opened = await openFrame(path);
    strictEqual((provenanceOf(opened) as { citation?: string }).citation, "a node");
    strictEqual(columnIn(opened, "fees")?.unit, "packs");
  }));
