import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { openFrame } from "../../lib/output/open_frame.ts";
import { save } from "../../lib/output/save.ts";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import { type DataFrame, pl } from "../../lib/table/columns/polars.ts";
import {
  errorsOf,
  inputsOf,
  type Provenance,
  provenanceOf,
} from "../../lib/table/track/provenance.ts";
import { trackedPolars as remembering } from "../../lib/table/track/tracked_polars.ts";
import { sha256 } from "../../lib/platform/machine.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { answering } from "../operations/answering.ts";
import { hearing } from "../http/hearing.ts";
import { inFolder } from "../scripts/run_script.ts";
import { frameOf } from "./frame_of.ts";
import { sixFrames } from "./six_frames.ts";

const ENDINGS = ["csv", "ndjson", "json", "parquet", "arrow"];

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
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace(",1\n", ",2\n"));
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

/** Writes a file with a side-car of its own, and opens it. */
async function opened(name: string, content: string | Uint8Array, sideCar?: object | string) {
  let frame: DataFrame | undefined;
  await inFolder(async (folder) => {
    const path = `${folder}/${name}`;
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(path, bytes);
    if (sideCar !== undefined) {
      const text = typeof sideCar === "string"
        ? sideCar
        : JSON.stringify({ sha256: sha256(bytes), ...sideCar });
      await Deno.writeTextFile(`${path}.provenance.json`, text);
    }
    await told(async () => frame = await openFrame(path));
    // The display reads the provenance.
    Deno.inspect(frame);
  });
  return frame!;
}

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

Deno.test("openFrame refuses nested JSON, JSON and CSV that grow, and files that are cut", async () => {
  const list = { columns: { a: "List(String)" } };
  const many = Array.from({ length: 20_000 }, (_, index) => `{"c${index}":1}`);
  const struct = `Struct(${many.map((_, index) => `c${index}`).join(", ")})`;
  const parquet = pl.DataFrame({ a: [1, 2] }).writeParquet();
  const arrow = pl.DataFrame({ a: [1, 2] }).writeIPC();
  const cases: [name: string, content: string | Uint8Array, reason: RegExp, sideCar?: object][] = [
    ["a.json", `[{"a":${deep(63)}}]`, /lists and objects must have at most 64 levels/],
    ["a.json", deep(8_000), /at most 64 levels/],
    ["a.json", `[{"a":"\\\\"},${deep(8_000)}]`, /at most 64 levels/],
    ["a.json", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`, /at most 64 levels/],
    ["a.ndjson", `{"a":1}\n{"a":${deep(8_000)}}`, /at most 64 levels/],
    // polars splits lines within a text that has no end.
    ["a.ndjson", `{"a":"\n${deep(8_000)}`, /at most 64 levels/],
    ["a.ndjson", `{"a":"\\\n${deep(8_000)}`, /at most 64 levels/],
    ["a.json", `[{"a":${deep(8_000)}}]`, /at most 64 levels/, list],
    ["a.csv", `a\n${deep(8_000)}\n`, /at most 64 levels/, list],
    [
      "a.json",
      `[${many}]`,
      /at most 10,000,000 empty cells; got 20000 rows and 20000 columns with 20000 values/,
    ],
    [
      "a.json",
      `[${many.map((each) => `{"a":[${each}]}`)}]`,
      /at most 10,000,000 empty cells/,
      { columns: { a: `List(${struct})` } },
    ],
    [
      "a.csv",
      `a\n${many.map((each) => JSON.stringify(each).replaceAll("\\", '"')).join("\n")}\n`,
      /at most 10,000,000 empty cells/,
      { columns: { a: struct } },
    ],
    [
      "a.json",
      `[${many.map((each) => `{"a":${each}}`)}]`,
      /row 1, a: expected Struct\(c0\); got '\{"c1":1\}'/,
      { columns: { a: "Struct(c0)" } },
    ],
    ["a.ndjson", many.join("\n"), /at most 10,000,000 empty cells/],
    ["a.csv", `${",".repeat(100_000)}${"\n".repeat(1e6)}`, /has two columns ""/],
    ["a.csv", "a,b\n1,2\n3\n", /row 3: expected 2 fields as in the first row; got 1/],
    ["a.csv", 'a,b\n"1\n",2\n3,4,5\n', /row 3: expected 2 fields as in the first row; got 3/],
    [
      "a.csv",
      'a,b\n1,"2\n3,4\n',
      /row 2: quotation marks must enclose a whole field, or be doubled/,
    ],
    ["a.csv", 'a,b\n1,2"\n', /row 2: quotation marks must enclose a whole field/],
    ["a.csv", 'a,b\n1,"2"x\n', /row 2: quotation marks must enclose a whole field/],
    ["a.csv", "", /no data/],
    ["a.parquet", parquet.subarray(0, 60), /must end with PAR1/],
    ["a.parquet", "PAR1", /must contain a header and footer/],
    ["a.arrow", arrow.subarray(0, 60), /InvalidFooter/],
    ["a.feather", "ARROW1", /seek/],
  ];
  for (const [name, content, reason, sideCar] of cases) {
    await rejects(opened(name, content, sideCar), ({ name: error, message }: Error) => {
      deepStrictEqual(error, "RangeError");
      match(message, reason);
      const format = name.replace("a.", "").replace("feather", "arrow");
      match(message, new RegExp(`^openFrame: cannot read ${format}: .*; got ".*/${name}"$`));
      return true;
    });
  }
  strictEqual((await opened("a.ndjson", `{"a":${deep(63)}}\n{"a":${deep(63)}}`)).height, 2);
  const late = `${'{"a":1}\n'.repeat(200)}{"b":2}`;
  deepStrictEqual((await opened("a.ndjson", late)).columns, ["a", "b"]);
});

Deno.test("openFrame reads the names of a CSV with quotation marks, line breaks and a byte order mark", async () => {
  const names = ["\ufeffa", 'b"q"', "c\nd", " e,", "^f.*$"];
  const header = '\ufeffa,"b""q""","c\nd"," e,",^f.*$\n';
  const columns = Object.fromEntries(names.map((name) => [name, "Int64"]));
  const frame = await opened("a.csv", `${header}1,2,3,4,5\n`, { columns, rows: 1 });
  deepStrictEqual([frame.columns, frame.rows()], [names, [[1, 2, 3, 4, 5]]]);
  const foreign = await opened("a.csv", `${header}1,2,3,4,5\n`);
  deepStrictEqual(foreign.columns, ["a", ...names.slice(1)]);
  await inFolder(async (folder) => {
    const saved = pl.DataFrame(names.map((name) => pl.Series(name, [1.5, null], pl.Float64)));
    await told(() => save(saved, `${folder}/b.csv`));
    same(await openFrame(`${folder}/b.csv`), saved);
  });
});

Deno.test("openFrame infers the dtypes of a file without a side-car as those of an address", async () => {
  const frame = await opened("a.csv", "day,id,fees\n2026-01-01,007,5\n2026-01-02,,\n");
  deepStrictEqual(dtypeNames(frame), ["Date", "String", "Float64"]);
  deepStrictEqual(frame.getColumn("fees").toArray(), [5, null]);
  const nested = await opened("a.ndjson", '{"day":"2026-01-01 10:00","list":[1]}\n');
  deepStrictEqual(nested.rows(), [[new Date("2026-01-01T10:00:00Z"), "[1]"]]);
});

Deno.test("openFrame refuses a CSV that has a name twice", () =>
  inFolder(async (folder) => {
    const path = `${folder}/a.csv`;
    for (
      const [csv, name] of [["a,b,a\n1,2,3\n", '"a"'], ['"b""c","b""c"\n1,2\n', "'b\"c'"], [
        "a,,\n1,2,3\n",
        '""',
      ]]
    ) {
      await Deno.writeTextFile(path, csv!);
      const message = `openFrame: cannot read csv: has two columns ${name}; got "${path}"`;
      await rejects(told(() => openFrame(path)), { name: "RangeError", message });
    }
  }));

Deno.test("openFrame does not read a device, to which a foreign file or side-car can be a link", () =>
  inFolder(async (folder) => {
    const path = `${folder}/a.csv`;
    await Deno.symlink("/dev/zero", path);
    await rejects(openFrame(path), /^RangeError: openFrame: path: must be a file; got ".*a\.csv"$/);
    await Deno.remove(path);
    await Deno.writeTextFile(path, "a\n1\n");
    await Deno.symlink("/dev/zero", `${path}.provenance.json`);
    const lines = await told(async () => strictEqual((await openFrame(path)).height, 1));
    match(lines, /has no side-car/);
  }));

const RESPONSE = {
  kind: "response",
  sample: false,
  operation: "blockchain_comparison",
  source: "service",
  url: "https://api.example.org/v2",
  query: {},
  retrieved_at: "2026-01-02T03:04:05.000Z",
  sha256: "00",
};

Deno.test("openFrame checks the whole side-car, and names the member", async () => {
  const columns = { a: "Int64", b: "String" };
  const about = (more: object) => ({ columns, provenance: { ...RESPONSE, ...more } });
  const cases: [sideCar: object | string, told: RegExp][] = [
    ["", /: must be JSON$/],
    ["[]", /: side-car: must be an object; got \[\]$/],
    ["{}", /: sha256: is required/],
    [{ columns: "abc" }, /: columns: must be an object with the dtype of each column; got "abc"$/],
    [{ columns: { a: 5 } }, /: columns: must be an object with the dtype of each column/],
    [{ columns: { a: "List(".repeat(1e5) } }, /: columns: must be an object with the dtype/],
    [{ columns: { a: "Int64" } }, /cannot read csv: has the column "b", which is not in its side/],
    [{ columns: { ...columns, c: "Int64" } }, /cannot read csv: has no column "c" of its side-car/],
    [{ columns, rows: 5 }, /has 2 rows, but its side-car has 5/],
    [{ columns: { a: "Int64", b: "Date" } }, /row 0, b: expected Date; got "x"/],
    [{ columns: { a: "Int64", b: "Datetime" } }, /row 0, b: expected Datetime; got "x"/],
    [{ columns: { a: "Int64", b: "Bool" } }, /row 0, b: expected Bool; got "x"/],
    [{ columns: { a: "Int8", b: "String" } }, /conversion from `str` to `i8` failed in column 'a'/],
    [{ columns: { a: "Int64", b: "List(String)" } }, /row 0, b: expected List\(String\); got "x"/],
    [{ columns: { a: "List(Int64)", b: "String" } }, /cannot read csv: /],
    [{ columns, provenance: {} }, /: provenance\.kind: is required/],
    [{ columns, provenance: "abc" }, /: provenance: must be an object; got "abc"$/],
    [about({ operation: "x" }), /: provenance\.operation: must be one of metric_breakdown, .*"x"$/],
    [about({ url: "x" }), /: provenance\.url: must be a URL; got "x"$/],
    [about({ retrieved_at: "x" }), /: provenance\.retrieved_at: must be a date; got "x"$/],
    [about({ data_through: 5 }), /: provenance\.data_through: must be a date; got 5$/],
    [about({ query: { a: [[1]] } }), /: provenance\.query: must be an object of texts, numbers/],
    [about({ notes: [5] }), /: provenance\.notes: each element must be a text; got \[ 5 \]$/],
    [about({ renamed: [{ from: 1 }] }), /: provenance\.renamed: each element must be an object wi/],
    [about({ kind: "combined", inputs: [{}] }), /: provenance\.inputs\[0\]\.kind: is required/],
    [
      about({ kind: "combined", inputs: [{ kind: "combined" }] }),
      /: provenance\.inputs\[0\]: must be one input; got several$/,
    ],
    [
      about({ kind: "combined", inputs: Array(1_001).fill(RESPONSE) }),
      /inputs: must be at most 1000; got 1001$/,
    ],
    [{ columns, entity_errors: "abc" }, /: entity_errors: must be a list; got "abc"$/],
    [
      { columns, entity_errors: [{ code: 5 }] },
      /: entity_errors: each element must be an object with texts; got \[ \{ code: 5 \} \]$/,
    ],
  ];
  for (const [sideCar, reason] of cases) {
    await rejects(opened("a.csv", "a,b\n300,x\n4,y\n", sideCar), ({ name, message }: Error) => {
      deepStrictEqual(name, "RangeError");
      match(message, reason);
      return /^openFrame: .*a\.csv/.test(message);
    });
  }
  // These names are members of polars, and no dtypes: the columns stay text.
  const foreign = { columns: { a: "concat", b: "__proto__" }, provenance: RESPONSE };
  deepStrictEqual((await opened("a.csv", "a,b\n1,\n", foreign)).rows(), [["1", null]]);
  const deepest = '{"inputs":['.repeat(1e5) + "]}".repeat(1e5);
  await rejects(opened("a.csv", "a\n1\n", `{"sha256":"00","provenance":${deepest}}`), RangeError);
});

Deno.test("a file to which a job appends every night lists each response once, and keeps its steps", () =>
  inFolder(async (folder) => {
    const path = `${folder}/fees.csv`;
    const query = { metric_ids: ["fees"], interval: "30d", group_by: "chains" } as const;
    for (let night = 0; night < 5; night++) {
      const { connection } = answering({ data: [{ data_id: `${night}`, metrics: { fees: 1 } }] });
      const fees = await metricBreakdown(query, connection);
      const all = night === 0 ? fees : remembering.concat([await openFrame(path), fees]);
      await save(all.sort("data_id"), path, { force: true });
    }
    const { steps, ...provenance } = provenanceOf((await openFrame(path)).limit(3));
    const inputs = inputsOf({ steps, ...provenance } as Provenance);
    deepStrictEqual([inputs.length, steps], [5, ["concat", "sort", "limit"]]);
    deepStrictEqual(inputs[0]!.steps, ["sort"]);
    const combined = (count: number, name: string) => ({
      kind: "combined",
      inputs: Array.from(Array(count), (_, at) => ({ ...RESPONSE, sha256: `${name}${at}` })),
    });
    const columns = { a: "Int64" };
    const frame = await opened("a.csv", "a\n1\n", { columns, provenance: combined(901, "m") });
    const other = await opened("a.csv", "a\n2\n", { columns, provenance: combined(200, "n") });
    const both = provenanceOf(remembering.concat([frame, other]));
    deepStrictEqual([inputsOf(both).length, inputsOf(both).at(-1)!.sha256], [1_000, "n199"]);
    deepStrictEqual(both.notes, ["inputs: only the last 1000 are listed"]);
  }));

Deno.test("openFrame lists known endings, and formats that are written only", async () => {
  await rejects(openFrame("a.xlsx"), /^RangeError: openFrame: xlsx files are written only/);
  await rejects(openFrame("a.md"), /^RangeError: openFrame: markdown files are written only/);
  await rejects(openFrame("a.txt"), /path: must end in \.csv, \.ndjson, .*; got "a\.txt"$/);
  await rejects(openFrame("no-such-file.csv"), { code: "ENOENT" });
});

Deno.test("openFrame reads times with zones from every format", () =>
  inFolder(async (folder) => {
    const naive = pl.DataFrame({ at: ["2024-01-01 10:00:00.250", null] }).withColumns(
      pl.col("at").str.strptime(pl.Datetime("ms"), "%Y-%m-%d %H:%M:%S%.f").cast(pl.Datetime("ms")),
    );
    for (const zone of ["UTC", "Asia/Kolkata"]) {
      const frame = naive.withColumns(pl.col("at").cast(pl.Datetime("ms", zone)));
      for (const ending of ["csv", "ndjson", "json", "parquet", "arrow"]) {
        const path = `${folder}/at.${ending}`;
        await hearing(() => save(frame, path, { force: true }));
        const again = await openFrame(path);
        deepStrictEqual(String(again.dtypes[0]), `DataType(Datetime(ms,${zone}))`, path);
        deepStrictEqual(again.getColumn("at").toArray(), frame.getColumn("at").toArray(), path);
      }
    }
  }));

Deno.test("openFrame reads decimals of Parquet as Float64, with a notice if digits are lost", () =>
  inFolder(async (folder) => {
    const decimals = (texts: readonly string[]) => {
      const frame = pl.DataFrame({ fees: texts }).select(pl.col("fees").cast(pl.Decimal(30, 3)));
      Deno.writeFileSync(`${folder}/fees.parquet`, frame.writeParquet());
    };
    const read = async () => {
      const values: unknown[] = [];
      const told = await hearing(async () => {
        const frame = await openFrame(`${folder}/fees.parquet`);
        values.push(String(frame.dtypes[0]), ...frame.getColumn("fees").toArray());
      });
      return [...values, told.length];
    };
    decimals(["1.10", "2.675", "123456789012.345"]);
    deepStrictEqual(await read(), ["DataType(Float64)", 1.1, 2.675, 123456789012.345, 1]);
    decimals(["1.10", "12345678901234567890.123"]);
    deepStrictEqual(await read(), ["DataType(Float64)", 1.1, 12345678901234567000, 2]);
    const list = pl.DataFrame({ fees: ["1.1"], of: [1] })
      .select(pl.col("fees").cast(pl.Decimal(5, 2)), pl.col("of")).groupBy("of").agg(
        pl.col("fees"),
      );
    Deno.writeFileSync(`${folder}/list.parquet`, list.writeParquet());
    const told = await hearing(async () => {
      deepStrictEqual((await openFrame(`${folder}/list.parquet`)).columns, ["of"]);
    });
    strictEqual(
      told.at(-1),
      "openFrame: fees: left out, because list[decimal[5,2]] is not supported",
    );
  }));

Deno.test("save writes whole counts to CSV without .0, and displays print large integers whole", () =>
  inFolder(async (folder) => {
    const frame = pl.DataFrame({
      users: [3, null, 5e9],
      fees: [1, 2.5, null],
      id: ["9007199254740993", "-9223372036854775808", "7"],
    })
      .withColumns(pl.col("id").cast(pl.Int64));
    await hearing(() => save(frame, `${folder}/a.csv`));
    deepStrictEqual(
      Deno.readTextFileSync(`${folder}/a.csv`),
      "users,fees,id\n3,1.0,9007199254740993\n,2.5,-9223372036854775808\n5000000000,,7\n",
    );
    const again = await openFrame(`${folder}/a.csv`);
    deepStrictEqual(again.dtypes.map(String), frame.dtypes.map(String));
    ok(Deno.inspect(again).includes("-9,223,372,036,854,775,808"));
    ok(Deno.inspect(again).includes("9,007,199,254,740,993"));
  }));
