import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { type GivenProvenance, provenanceOf } from "../../lib/table/track/provenance.ts";
import {
  cell,
  ChainframeError,
  connect,
  type DataFrame,
  lockReport,
  openFrame,
  pl,
  plotComparison,
  report,
  save,
  withSource,
} from "../../mod.ts";
import { hearing } from "../http/hearing.ts";
import { inFolder } from "../scripts/run_script.ts";

/** The results of own data differ by its fees, and no lock file has another citation. */
const own = (fees: number, citation = "Own node") =>
  withSource(pl.DataFrame({ protocol: ["oak", "elm"], fees: [fees, 1] }), { citation });

function entryOf(frame: DataFrame) {
  const { citation, columns, frame_sha256 } = provenanceOf(frame) as GivenProvenance;
  const query = { citation, columns };
  const more = { moving: false, data_through: null, rows: null, sha256: [frame_sha256] };
  return { operation: "own data", query, columns: [], ...more };
}

const throws = async (work: () => unknown, message: RegExp) => {
  await rejects(async () => void await hearing(async () => void await work()), (error: Error) => {
    strictEqual(error.constructor, ChainframeError);
    match(error.message, message);
    return true;
  });
};

Deno.test("with onChange throw, own data that differs throws where it enters an output, and writes no file", () =>
  inFolder(async (folder) => {
    const file = `${folder}/data.lock`;
    await Deno.writeTextFile(
      file,
      JSON.stringify({ chainframe_lock: 2, entries: [entryOf(own(2))] }),
    );
    connect({ lock: { file, onChange: "throw" } });
    const outputs = (frame: DataFrame, name: string) =>
      [
        () => cell(frame, "fees", { row: { protocol: "oak" } }),
        () => save(frame, `${folder}/${name}.csv`),
        () => save(frame, `${folder}/${name}.parquet`),
        () => plotComparison(frame, { field: "fees", label: "protocol" }),
        () => report({ title: "Fees", parts: [frame] }),
      ] as const;
    try {
      for (const output of outputs(own(2), "same")) await hearing(async () => void await output());
      strictEqual(Deno.exitCode, 0);
      for (const output of outputs(own(3), "other")) {
        await throws(output, /^lock: own data differs from .*data\.lock: own data .*Own node/);
        strictEqual(Deno.exitCode, 3);
      }
      // Computing with it is no output.
      own(3).filter(pl.col("fees").gt(1));
      for (const output of outputs(own(2, "Own survey"), "unknown")) {
        await throws(output, /^lock: no entry in .*data\.lock: own data .*Own survey/);
      }
      const written = [...Deno.readDirSync(folder)].map(({ name }) => name);
      deepStrictEqual(written.filter((name) => /^(other|unknown)/.test(name)), []);
      ok(written.includes("same.csv"));
      // Files of tests can share a process, and so its report.
      const rows = (lockReport().toRecords() as { file: string; status: string }[])
        .filter((row) => row.file.startsWith(folder));
      deepStrictEqual(rows.map(({ status }) => status).sort(), ["differs", "not locked"]);
    } finally {
      Deno.exitCode = 0;
    }
  }));

Deno.test("with onChange throw, a table at an address throws when it is opened", () =>
  inFolder(async (folder) => {
    const file = `${folder}/table.lock`;
    let fees = 2;
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response(`protocol,fees\noak,${fees}\n`),
    );
    const address = `http://127.0.0.1:${server.addr.port}/fees.csv`;
    const open = (path: string) =>
      openFrame(
        address,
        { citation: "Fees" },
        connect({ lock: { file: path, onChange: "throw" } }),
      );
    try {
      const entry = entryOf(await openFrame(address, { citation: "Fees" }, connect()));
      await Deno.writeTextFile(file, JSON.stringify({ chainframe_lock: 2, entries: [entry] }));
      strictEqual((await open(file)).height, 1);
      fees = 3;
      await throws(() => open(file), /^lock: own data differs from .*table\.lock/);
      strictEqual(Deno.exitCode, 3);
    } finally {
      Deno.exitCode = 0;
      await server.shutdown();
    }
  }));
