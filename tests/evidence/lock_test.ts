import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import type { CacheOptions, LockOptions } from "../../lib/http/settings.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { lockReport } from "../../lib/evidence/lock_results.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { timeline } from "../../lib/operations/timeline.ts";
import { type GivenProvenance, provenanceOf } from "../../lib/table/track/provenance.ts";
import { cell, connect, pl, withSource } from "../../mod.ts";
import { hearing } from "../http/hearing.ts";
import { inFolder } from "../scripts/run_script.ts";
import { answering } from "../operations/answering.ts";

const FIXED = {
  metric_ids: ["fees"],
  interval: "max",
  group_by: "chains",
  start: "2025-01-01",
  end: "2025-01-31",
} as const;
const item = (fees: number, more: object = {}) => ({ data_id: "a", metrics: { fees }, ...more });

function opened(
  data: unknown,
  lock: LockOptions | string,
  { baseUrl, ...cache }: CacheOptions & { readonly baseUrl?: string } = {},
  day: string | null = "2026-06-17",
) {
  const headers: HeadersInit = day === null ? {} : { "data-through": day };
  const answer = () => Response.json({ data }, { headers });
  return answering(answer, {
    ...baseUrl === undefined ? {} : { baseUrl },
    lock,
    requestsPerMinute: Infinity,
    ...cache.dir === undefined ? {} : { cache },
  }).connection;
}

/** Returns the statuses of the questions with a lock file. */
function statuses(file: string): unknown[] {
  return (lockReport().toRecords() as { file: string; status: string }[])
    .filter((row) => row.file === file).map(({ status }) => status);
}

Deno.test("a lock file finds a changed value of a fixed period, and ignores new fields and moving questions", () =>
  inFolder(async (folder) => {
    const file = `${folder}/data.lock`;
    const call = async (data: unknown, options: Partial<LockOptions> = {}) => {
      await hearing(() => metricBreakdown(FIXED, opened(data, { file, ...options })));
      return statuses(file)[0];
    };
    deepStrictEqual(await call([item(1)]), "added");
    const text = await Deno.readTextFile(file);
    deepStrictEqual(Object.keys(JSON.parse(text).entries[0]), [
      "operation",
      "query",
      "columns",
      "moving",
      "data_through",
      "rows",
      "sha256",
    ]);
    ok(!/127\.0\.0\.1|t0ken/.test(text));
    strictEqual(await call([item(1)]), "as locked");
    strictEqual(await call([item(1, { extra: 5 })]), "as locked");
    strictEqual(await call([item(2)]), "differs");
    strictEqual(Deno.exitCode, 3);
    strictEqual(await Deno.readTextFile(file), text);
    strictEqual(await call([item(2)], { update: true }), "added");
    strictEqual(await call([item(2)]), "as locked");

    strictEqual(JSON.parse(await Deno.readTextFile(file)).entries.length, 1);
    Deno.exitCode = 0;
  }));

Deno.test("a moving question differs if its day of data was restated, and is moving on another or unknown day", () =>
  inFolder(async (folder) => {
    const status = async (name: string, days: readonly (string | null)[]) => {
      const file = `${folder}/${name}.lock`;
      for (const [fees, day] of days.entries()) {
        const data = [{ chain_id: "a", ecosystem_fees_1d_sum: fees }];
        await hearing(() => blockchainComparison({}, opened(data, file, {}, day)));
      }
      return statuses(file)[0];
    };
    strictEqual(await status("same", ["2026-06-17", "2026-06-17"]), "differs");
    strictEqual(Deno.exitCode, 3);
    Deno.exitCode = 0;
    const later = ["2026-06-17", "2026-06-17", "2026-06-18"];
    strictEqual(await status("later", later), "differs", "a difference stays");
    Deno.exitCode = 0;
    strictEqual(await status("next", ["2026-06-17", "2026-06-18"]), "moving");
    strictEqual(await status("unknown", [null, null]), "moving");
    strictEqual(Deno.exitCode, 0);
  }));

Deno.test("with an archive, a difference has the changed cells, without new fields", () =>
  inFolder(async (folder) => {
    const [file, none] = [`${folder}/data.lock`, `${folder}/none.lock`];
    const call = async (data: unknown, cache?: CacheOptions) => {
      await hearing(() => metricBreakdown(FIXED, opened(data, cache ? file : none, cache)));
      return lockReport({ cells: true }).toRecords().map(({ query: _, ...row }) => row);
    };
    const archive = { dir: `${folder}/answers`, maxAge: 0 } as const;
    const rows = (...fees: number[]) => fees.map((fee, at) => ({ ...item(fee), data_id: `${at}` }));
    await call([...rows(1, 2), item(5)], archive);
    deepStrictEqual(await call([...rows(1, 2), item(5, { extra: 7 })], archive), []);
    const changes = await call([...rows(1, 4, 9)], archive);
    const { when: _, ...first } = changes[0]!;
    deepStrictEqual(first, {
      operation: "metric_breakdown",
      data_id: "1",
      chain_id: null,
      product_id: null,
      change: "changed",
      field: "fees",
      before: 2,
      after: 4,
      before_text: null,
      after_text: null,
    });
    deepStrictEqual(changes.map(({ data_id, change }) => `${data_id} ${change}`), [
      ...["1 changed", "2 new", "a gone"],
    ]);
    // The lock has no address: the same service can move. A foreign folder can have broken links.
    await Deno.symlink("none", `${archive.dir}/none.json`);
    await Deno.symlink("circle.json", `${archive.dir}/circle.json`);
    const moved = { ...archive, baseUrl: "http://127.0.0.1:8" };
    deepStrictEqual((await call(rows(1, 5), moved)).map(({ before, after }) => [before, after]), [
      [2, 5],
      [null, null],
    ]);
    await call([item(1)]);
    deepStrictEqual([(await call([item(2)])).length, statuses(none)], [2, ["differs"]]);
    Deno.exitCode = 0;
  }));

Deno.test("a question without an entry is answered, named, and counts as a difference", () =>
  inFolder(async (folder) => {
    const file = `${folder}/data.lock`;
    await Deno.writeTextFile(file, '{"chainframe_lock":2,"entries":[]}');
    const told = await hearing(() => metricBreakdown(FIXED, opened([item(1)], file)));
    match(`${told}`, /chainframe: lock: no entry in .*data\.lock: metric_breakdown \{"end"/);
    deepStrictEqual([statuses(file), Deno.exitCode], [["not locked"], 3]);
    Deno.exitCode = 0;
    const entry = '{"operation":"project","query":{}';
    const digest = "0".repeat(64);
    const whole = { moving: false, data_through: null, rows: 1 };
    const shaped = (columns: unknown) =>
      JSON.stringify({
        chainframe_lock: 2,
        entries: [{ operation: "project", query: {}, columns, ...whole, sha256: [digest] }],
      });
    for (
      const [at, text] of [
        "{}",
        "[",
        '{"chainframe_lock":2,"entries":5}',
        '{"chainframe_lock":2,"entries":[null]}',
        `{"chainframe_lock":2,"entries":[${entry}}]}`,
        `{"chainframe_lock":2,"entries":[${entry},"columns":["a",5]}]}`,
        `{"chainframe_lock":2,"entries":[{"query":${"[".repeat(1e5)}${"]".repeat(1e5)}}]}`,
        shaped("ab"),
        shaped("a".repeat(1e6)),
        shaped(["a".repeat(1e6), 5]),
      ].entries()
    ) {
      const file = `${folder}/${at}data.lock`;
      await Deno.writeTextFile(file, text);
      await rejects(metricBreakdown(FIXED, opened([item(1)], file)), {
        name: "ConfigurationError",
        message: /^lock: must be a lock file of chainframe; got .*data\.lock: .{3,300}$/,
      });
    }
    for (const lock of [{}, { file: 5 }, { file, updat: true }, 5]) {
      await rejects(async () => await Promise.resolve(opened([], lock as never)), {
        name: "ConfigurationError",
        message: /^lock/,
      });
    }
  }));

Deno.test("only periods that are over have a fixed end, and parallel writers lose no entry", () =>
  inFolder(async (folder) => {
    const file = `${folder}/data.lock`;
    const query = { metric_ids: ["fees"], group_by: "chains", every: "month" } as const;
    await hearing(() =>
      Promise.all([
        timeline({ ...query, from: "2026-01", to: "2026-05" }, opened([item(1)], file)),
        timeline({ ...query, from: "2026-01", to: "2026-06" }, opened([item(1)], file)),
        ...Array.from({ length: 20 }, (_, day) =>
          metricBreakdown({ ...FIXED, end: `2025-03-${10 + day}` }, opened([item(day)], file))),
      ])
    );
    lockReport();
    const { entries } = JSON.parse(await Deno.readTextFile(file)) as {
      entries: { query: { to?: string }; moving: boolean }[];
    };
    deepStrictEqual(entries.filter(({ moving }) => moving).map(({ query }) => query.to), [
      "2026-06",
    ]);
    strictEqual(entries.length, 22);
  }));

Deno.test("a guard or a part that a killed process left does not stop a lock file", () =>
  inFolder(async (folder) => {
    const file = `${folder}/data.lock`;
    const torn = async () => {
      const part = await Deno.readTextFile(`${file}.part`);
      await Deno.writeTextFile(`${file}.part`, `${part}\n${part.slice(0, 40)}`);
    };
    const guard = async () => {
      await Deno.writeTextFile(`${file}.guard`, "");
      await Deno.utime(`${file}.guard`, 4e9, 4e9);
    };
    const told: string[] = [];
    for (const [at, leave] of [guard, torn, guard].entries()) {
      await leave();
      const call = () => metricBreakdown({ ...FIXED, end: `2025-02-0${at + 1}` }, opened([], file));
      told.push(...await hearing(call));
    }
    told.push(...await hearing(() => Promise.resolve(lockReport())));
    match(`${told}`, /lock: line 2 of .*data\.lock\.part has no end: left out/);
    strictEqual(JSON.parse(await Deno.readTextFile(file)).entries.length, 3);
    deepStrictEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["data.lock"]);
    Deno.exitCode = 0;
  }));

Deno.test("lines of an ended run count if there is no lock file, or with update", () =>
  inFolder(async (folder) => {
    // A process reads a lock file once, so each case has a name of its own.
    const locked = async (name: string, fees: number) => {
      const file = `${folder}/${name}.lock`;
      await hearing(() => metricBreakdown(FIXED, opened([item(fees)], file)));
      lockReport();
      return JSON.parse(await Deno.readTextFile(file)).entries[0];
    };
    const [five, six] = [await locked("five", 5), await locked("six", 6)];
    const again = async (name: string, entries: readonly object[] | null, update: boolean) => {
      const file = `${folder}/${name}.lock`;
      const text = JSON.stringify({ chainframe_lock: 2, entries });
      if (entries !== null) await Deno.writeTextFile(file, text);
      await Deno.writeTextFile(`${file}.part`, `\n${JSON.stringify(five)}\n`);
      const told = await hearing(() => metricBreakdown(FIXED, opened([item(5)], { file, update })));
      const [status] = statuses(file);
      const after = JSON.parse(await Deno.readTextFile(file));
      const isLeft = await Deno.stat(`${file}.part`).then(() => true, () => false);
      return { told: told.join("\n").replaceAll(folder, ""), status, after, isLeft };
    };
    const stays = await again("stays", [six], false);
    deepStrictEqual([stays.status, stays.after.entries, stays.isLeft], ["differs", [six], true]);
    match(
      stays.told,
      /lock: \/stays\.lock\.part has 1 entry of a run that was ended early, or goes on: not used; --update-lock takes them\n/,
    );
    strictEqual(Deno.exitCode, 3);
    Deno.exitCode = 0;
    for (
      const [name, entries, update] of [["new", null, false], ["updated", [six], true]] as const
    ) {
      const { told, status, after, isLeft } = await again(name, entries, update);
      deepStrictEqual([status, after.entries, isLeft], ["as locked", [five], false]);
      strictEqual(
        told,
        `chainframe: lock: 1 entry of an earlier run was taken from /${name}.lock.part`,
      );
    }
    const merged = await again("merged", [five], false);
    deepStrictEqual([merged.status, merged.told], ["as locked", ""]);
    strictEqual(Deno.exitCode, 0);
  }));

Deno.test("own data in an output is compared with the lock of the environment and of each connection", () =>
  inFolder(async (folder) => {
    const files = ["environment", "first", "second"].map((name) => `${folder}/${name}.lock`);
    const own = (fees: number) =>
      withSource(pl.DataFrame({ chain_id: ["a"], fees: [fees] }), { citation: "Own node" });
    const before = Deno.env.get("CHAINFRAME_LOCK");
    Deno.env.set("CHAINFRAME_LOCK", files[0]!);
    try {
      const { columns, frame_sha256, citation } = provenanceOf(own(1)) as GivenProvenance;
      const entry = { operation: "own data", query: { citation, columns }, columns: [] };
      const more = { moving: false, data_through: null, rows: null, sha256: [frame_sha256] };
      const text = JSON.stringify({ chainframe_lock: 2, entries: [{ ...entry, ...more }] });
      for (const file of files) await Deno.writeTextFile(file, text);
      for (const lock of files.slice(1)) connect({ lock });
      cell(own(1), "fees");
      deepStrictEqual(files.map(statuses), [["as locked"], ["as locked"], ["as locked"]]);
      const told = await hearing(() => cell(own(2), "fees"));
      deepStrictEqual(files.map(statuses), [["differs"], ["differs"], ["differs"]]);
      strictEqual(told.filter((line) => line.includes("own data differs from")).length, 3);
      strictEqual(Deno.exitCode, 3);
    } finally {
      Deno.exitCode = 0;
      if (before === undefined) Deno.env.delete("CHAINFRAME_LOCK");
      else Deno.env.set("CHAINFRAME_LOCK", before);
    }
  }));

Deno.test("with onChange throw, a call whose response differs, or that the file lacks, rejects with the first cells", () =>
  inFolder(async (folder) => {
    const file = `${folder}/data.lock`;
    const archive = { dir: `${folder}/answers`, maxAge: 0 } as const;
    const rows = (...fees: number[]) => fees.map((fee, at) => ({ ...item(fee), data_id: `${at}` }));
    const call = async (data: unknown, query: object = {}) => {
      const lock = { file, onChange: "throw" } as const;
      await hearing(async () =>
        await metricBreakdown({ ...FIXED, ...query }, opened(data, lock, archive))
      );
    };
    await call(rows(1, 2));
    lockReport();
    // A file that is there is read by a path of its own.
    await Deno.rename(file, `${folder}/kept.lock`);
    const kept = `${folder}/kept.lock`;
    const again = (data: unknown, query: object, onChange: "throw" | "warn") =>
      hearing(async () =>
        await metricBreakdown(
          { ...FIXED, ...query },
          opened(data, { file: kept, onChange }, archive),
        )
      );
    await again(rows(1, 2), {}, "throw");
    for (let time = 0; time < 2; time++) {
      await rejects(again(rows(1, 4, 9), {}, "throw"), (error: Error) => {
        strictEqual(error.constructor.name, "ChainframeError");
        strictEqual((error as unknown as { operation: string }).operation, "metric_breakdown");
        match(
          error.message,
          /^lock: the response differs from .*kept\.lock: .*: 2 rows before, 3 now; first changes: data_id 1.*: fees 2 -> 4/,
        );
        return true;
      });
    }
    await rejects(again(rows(1), { end: "2025-01-30" }, "throw"), /no entry in .*kept\.lock/);
    strictEqual(Deno.exitCode, 3);
    await again(rows(1, 4, 9), { end: "2025-01-29" }, "warn");
    Deno.exitCode = 0;
    // A moving question does not throw.
    const moving = (fees: number, day: string) =>
      blockchainComparison(
        {},
        opened(
          [{ chain_id: "a", ecosystem_fees_1d_sum: fees }],
          {
            file: `${folder}/moving.lock`,
            onChange: "throw",
          },
          {},
          day,
        ),
      );
    await hearing(async () => {
      await moving(1, "2026-06-17");
      await moving(2, "2026-06-18");
    });
    strictEqual(Deno.exitCode, 0);
  }));

Deno.test("a lock that cannot be written is an error before a request is sent", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/guarded.lock.guard`);
    await Deno.writeTextFile(`${folder}/file`, "");
    // Later tests compare own data with the locks of this process, unless their folder is gone: no path of /dev.
    using _listener = Deno.listen({ transport: "unix", path: `${folder}/socket` });
    for (
      const [lock, message] of [
        [
          `${folder}/none/data.lock`,
          /^lock: cannot read and write .*none\/data\.lock: No such file/,
        ],
        [folder, /^lock: must be a file, not a folder or device; got \//],
        [`${folder}/socket`, /^lock: must be a file, not a folder or device; got \/.*\/socket$/],
        [`${folder}/file/data.lock`, /^lock: cannot read and write .*file\/data\.lock: /],
        [`${folder}/guarded.lock`, /^lock: cannot read and write .*guarded\.lock: /],
      ] as const
    ) {
      let sent = 0;
      const { connection } = answering(() => {
        sent++;
        return Response.json({ data: [] });
      }, { lock });
      await rejects(metricBreakdown(FIXED, connection), { name: "ConfigurationError", message });
      strictEqual(sent, 0);
    }
  }));
