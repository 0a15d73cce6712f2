import { deepStrictEqual, match, rejects, strictEqual, throws } from "node:assert/strict";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import { dtypeNames } from "../../lib/table/dtypes.ts";
import { type DataFrame, pl } from "../../lib/table/polars.ts";
import { errorsOf, provenanceOf } from "../../lib/table/provenance.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { answering } from "../operations/answering.ts";
import { frameOf } from "./frame_of.ts";
import { sixFrames } from "./six_frames.ts";

const ENDINGS = ["csv", "ndjson", "json", "parquet", "arrow"];

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs work, and returns the lines that it writes to stderr. */
async function told(work: () => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => lines.push(line);
  try {
    await work();
  } finally {
    console.error = error;
  }
  return lines.join("\n");
}

function same(one: DataFrame, other: DataFrame): void {
  deepStrictEqual(one.columns, other.columns);
  deepStrictEqual(dtypeNames(one), dtypeNames(other));
  deepStrictEqual(
    one.columns.map((name) => one.getColumn(name).toArray()),
    other.columns.map((name) => other.getColumn(name).toArray()),
  );
}

Deno.test("openFrame restores values, dtypes, provenance and errors of every frame and format", () =>
  inFolder(async (folder) => {
    for (const [operation, frame] of await sixFrames()) {
      for (const ending of ENDINGS) {
        const path = `${folder}/${operation}.${ending}`;
        await save(frame, path);
        const opened = await openFrame(path);
        same(opened, frame);
        deepStrictEqual(provenanceOf(opened), provenanceOf(frame));
        deepStrictEqual(errorsOf(opened).toRecords(), errorsOf(frame).toRecords());
        match(Deno.inspect(opened), new RegExp(operation));
      }
    }
  }));

Deno.test("openFrame restores every dtype that an analysis returns, and an empty frame", () =>
  inFolder(async (folder) => {
    const frame = frameOf({
      id: ["Utf8", "007", "", null],
      day: ["Date", new Date("2025-01-31"), null, new Date("1969-12-31")],
      live: ["Bool", true, null, false],
      x: ["Float64", -0, 5e-324, null],
      n: ["Utf8", "9007199254740993", null, "-1"],
    }).withColumns(
      pl.col("n").cast(pl.Int64),
      pl.Series(
        "at",
        [new Date("2025-01-31T10:00:00.120Z"), null, null] as never,
        pl.Datetime("ms"),
      ),
    );
    for (const ending of ENDINGS) {
      for (const [name, some] of [["all", frame], ["none", frame.head(0)]] as const) {
        const path = `${folder}/${name}.${ending}`;
        await told(() => save(some, path));
        const opened = await openFrame(path);
        same(opened, some);
        deepStrictEqual(
          opened.select(pl.col("n").cast(pl.Utf8)).toRecords(),
          some.select(pl.col("n").cast(pl.Utf8)).toRecords(),
        );
        throws(() => provenanceOf(opened), RangeError);
      }
    }
  }));

Deno.test("openFrame refuses a changed file, and reads one without a side-car with a notice", () =>
  inFolder(async (folder) => {
    const { connection } = answering({ data: [{ data_id: "a", metrics: { fees: 1 } }] });
    const query = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;
    const path = `${folder}/fees.csv`;
    await save(await metricBreakdown(query, connection), path);
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("1.0", "2.0"));
    await rejects(openFrame(path), {
      name: "RangeError",
      message:
        `openFrame: the file was changed after it was saved; remove its side-car to open it; got "${path}"`,
    });
    await Deno.remove(`${path}.provenance.json`);
    let opened: DataFrame | undefined;
    const notice = await told(async () => opened = await openFrame(path));
    match(notice, /fees\.csv has no side-car: its provenance is unknown/);
    strictEqual(opened!.getColumn("fees").toArray()[0], 2);
  }));

Deno.test("openFrame lists known endings, and formats that are written only", async () => {
  await rejects(openFrame("a.xlsx"), /^RangeError: openFrame: xlsx files are written only/);
  await rejects(openFrame("a.md"), /^RangeError: openFrame: markdown files are written only/);
  await rejects(openFrame("a.txt"), /path: must end in \.csv, \.ndjson, .*; got "a\.txt"$/);
  await rejects(openFrame("no-such-file.csv"), { code: "ENOENT" });
});
