import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { createRequire } from "node:module";
import process from "node:process";
import fc from "fast-check";
import { columnIn } from "../../../lib/table/track/descriptions.ts";
import { type DataFrame, pl } from "../../../lib/table/columns/polars.ts";
import {
  annotate,
  errorsOf,
  inputsOf,
  provenanceOf,
  type ResponseProvenance,
} from "../../../lib/table/track/provenance.ts";
import { track } from "../../../lib/table/track/track.ts";
import { trackedPolars as remembering } from "../../../lib/table/track/tracked_polars.ts";

import { described } from "../described.ts";
import { response } from "../response.ts";

// The polars types of single methods do not matter here: what they give does.
// deno-lint-ignore no-explicit-any
type Any = any;

function answer(
  operation: ResponseProvenance["operation"],
  source: ResponseProvenance["source"] = "service",
) {
  return response({
    operation,
    source,
    sha256: operation.length.toString(16).padStart(2, "0"),
    data_through: new Date("2026-01-01"),
  });
}

function errors(...values: string[]): DataFrame {
  const text = (name: string, texts: string[]) => pl.Series(name, texts, pl.Utf8);
  return track(pl.DataFrame([
    text("code", values.map(() => "NOT_FOUND")),
    text("field", values.map(() => "chain_ids")),
    text("value", values),
  ]));
}

function answered(
  frame: DataFrame,
  provenance: ResponseProvenance = answer("project"),
  missing = errors(),
) {
  return track(annotate(frame, { provenance, errors: missing }));
}

const FRAMES: Record<string, () => DataFrame> = {
  base: () =>
    pl.DataFrame([
      pl.Series("id", ["b", "a", "b", "c"], pl.Utf8),
      pl.Series("n", [3, 1, null, 4] as number[], pl.Float64),
      pl.Series("m", [1, 2, 3, 4], pl.Float64),
    ]),
  numbers: () => pl.DataFrame({ n: [3, 1, 2], m: [4, 5, 6] }),
  lists: () => pl.DataFrame({ id: ["a", "b"], list: [[1, 2], [3]] }),
  structs: () => pl.DataFrame({ s: [{ a: 1, b: "x" }, { a: 2, b: "y" }] }),
  times: () =>
    pl.DataFrame([
      pl.Series("t", [new Date(0), new Date(172_800_000)], pl.Datetime("ms")),
      pl.Series("n", [1, 2], pl.Float64),
    ]),
};

const other = () => pl.DataFrame({ id: ["a", "b"], o: [10, 20] });
const series = () => pl.Series("z", [1, 2, 3, 4], pl.Float64);
const ROLLING = { indexColumn: "t", period: "2d" };
const DYNAMIC = { indexColumn: "t", every: "1d" };

type Calls = { toString: Call } & { [name: string]: Call };
type Call = [string, (frame: Any) => unknown];

/** How each method is called, on which frame; by the names of polars' own methods. */
const CALLS: Record<string, Calls> = {
  DataFrame: {
    clear: ["base", (f) => f.clear()],
    clone: ["base", (f) => f.clone()],
    count: ["base", (f) => f.count()],
    describe: ["numbers", (f) => f.describe()],
    inner: ["base", (f) => f.inner().height],
    drop: ["base", (f) => f.drop("n")],
    dropNulls: ["base", (f) => f.dropNulls("n")],
    explode: ["lists", (f) => f.explode("list")],
    filter: ["base", (f) => f.filter(pl.col("m").gt(1))],
    fillNull: ["base", (f) => f.fillNull("zero")],
    findIdxByName: ["base", (f) => f.findIdxByName("n")],
    fold: ["numbers", (f) => f.fold((a: Any, b: Any) => a.plus(b))],
    frameEqual: ["base", (f) => f.frameEqual(FRAMES.base!())],
    getColumn: ["base", (f) => f.getColumn("n")],
    getColumns: ["base", (f) => f.getColumns()],
    getColumnIndex: ["base", (f) => f.getColumnIndex("n")],
    gatherEvery: ["base", (f) => f.gatherEvery(2)],
    groupBy: ["base", (f) => f.groupBy("id").agg(pl.col("m").sum()).sort("id")],
    groupByRolling: ["times", (f) => f.groupByRolling(ROLLING).agg(pl.col("n").sum())],
    groupByDynamic: ["times", (f) => f.groupByDynamic(DYNAMIC).agg(pl.col("n").sum())],
    upsample: [
      "times",
      (f) => f.upsample({ timeColumn: "t", every: "1d", by: [], maintainOrder: false }),
    ],
    hashRows: ["base", (f) => f.hashRows().len()],
    head: ["base", (f) => f.head(2)],
    hstack: ["base", (f) => f.hstack([series()])],
    interpolate: ["numbers", (f) => f.interpolate()],
    isDuplicated: ["base", (f) => f.isDuplicated()],
    isEmpty: ["base", (f) => f.isEmpty()],
    isUnique: ["base", (f) => f.isUnique()],
    item: ["base", (f) => f.item(0, "m")],
    join: ["base", (f) => f.join(other(), { on: "id", how: "left" })],
    joinAsof: ["base", (f) => f.sort("m").joinAsof(FRAMES.base!().sort("m"), { on: "m" })],
    lazy: ["base", (f) => f.lazy()],
    limit: ["base", (f) => f.limit(2)],
    max: ["numbers", (f) => f.max()],
    mean: ["numbers", (f) => f.mean()],
    median: ["numbers", (f) => f.median()],
    unpivot: ["base", (f) => f.unpivot("id", ["n", "m"])],
    min: ["numbers", (f) => f.min()],
    nChunks: ["base", (f) => f.nChunks()],
    nUnique: ["base", (f) => f.nUnique("id")],
    product: ["numbers", (f) => f.product()],
    nullCount: ["base", (f) => f.nullCount()],
    partitionBy: ["base", (f) => f.partitionBy("id", true)],
    pivot: ["base", (f) => f.pivot("m", { index: "n", on: "id" })],
    quantile: ["numbers", (f) => f.quantile(0.5)],
    rechunk: ["base", (f) => f.rechunk()],
    reverse: ["base", (f) => f.reverse()],
    rename: ["base", (f) => f.rename({ n: "k" })],
    rows: ["base", (f) => f.rows()],
    sample: ["base", (f) => f.sample({ n: 2, seed: 7 })],
    select: ["base", (f) => f.select("m", pl.col("n").mul(2).alias("twice"))],
    shift: ["base", (f) => f.shift(1)],
    shiftAndFill: ["numbers", (f) => f.shiftAndFill({ n: 1, fillValue: 0 })],
    shrinkToFit: ["base", (f) => f.shrinkToFit()],
    slice: ["base", (f) => f.slice(1, 2)],
    sort: ["base", (f) => f.sort({ by: "m", descending: true })],
    std: ["numbers", (f) => f.std()],
    sum: ["numbers", (f) => f.sum()],
    tail: ["base", (f) => f.tail(1)],
    serialize: ["base", (f) => f.serialize("json")],
    writeCSV: ["base", (f) => f.writeCSV()],
    toRecords: ["base", (f) => f.toRecords()],
    toHTML: ["base", (f) => f.toHTML()],
    toDataResource: ["base", (f) => f.toDataResource()],
    toObject: ["base", (f) => f.toObject()],
    withRowIndex: ["base", (f) => f.withRowIndex()],
    writeJSON: ["base", (f) => f.writeJSON()],
    writeParquet: ["base", (f) => f.writeParquet().length > 0],
    writeAvro: ["base", (f) => f.writeAvro().length > 0],
    writeIPC: ["base", (f) => f.writeIPC()],
    writeIPCStream: ["base", (f) => f.writeIPCStream()],
    toSeries: ["base", (f) => f.toSeries(1)],
    toStruct: ["numbers", (f) => f.toStruct("s")],
    toDummies: ["base", (f) => f.toDummies("id")],
    // The text of our frames is that of `console.log`.
    toString: ["base", (f) => typeof f.toString()],
    transpose: ["numbers", (f) => f.transpose()],
    unique: ["base", (f) => f.unique({ subset: "id", keep: "first", maintainOrder: true })],
    unnest: ["structs", (f) => f.unnest("s")],
    var: ["numbers", (f) => f.var()],
    map: ["base", (f) => f.map((row: Any) => row.length)],
    row: ["base", (f) => f.row(1)],
    vstack: ["base", (f) => f.vstack(FRAMES.base!())],
    withColumn: ["base", (f) => f.withColumn(series())],
    withColumns: ["base", (f) => f.withColumns(pl.col("m").plus(1).alias("more"))],
    withColumnRenamed: ["base", (f) => f.withColumnRenamed("n", "k")],
    where: ["base", (f) => f.where(pl.col("m").lt(3))],
    add: ["numbers", (f) => f.add(2)],
    sub: ["numbers", (f) => f.sub(2)],
    div: ["numbers", (f) => f.div(2)],
    mul: ["numbers", (f) => f.mul(2)],
    rem: ["numbers", (f) => f.rem(2)],
    plus: ["numbers", (f) => f.plus(2)],
    minus: ["numbers", (f) => f.minus(2)],
    divideBy: ["numbers", (f) => f.divideBy(2)],
    multiplyBy: ["numbers", (f) => f.multiplyBy(2)],
    modulo: ["numbers", (f) => f.modulo(2)],
  },
  LazyDataFrame: {
    toString: ["base", (f) => f.toString()],
    describePlan: ["base", (f) => f.select("m").describePlan().length > 0],
    describeOptimizedPlan: ["base", (f) => f.select("m").describeOptimizedPlan().length > 0],
    cache: ["base", (f) => f.cache()],
    clone: ["base", (f) => f.clone()],
    collectSync: ["base", (f) => f.collectSync()],
    collect: ["base", (f) => f.collect()],
    drop: ["base", (f) => f.drop("n")],
    unique: ["base", (f) => f.unique({ subset: "id", keep: "first", maintainOrder: true })],
    dropNulls: ["base", (f) => f.dropNulls("n")],
    explode: ["lists", (f) => f.explode("list")],
    first: ["base", (f) => f.first()],
    fillNan: ["numbers", (f) => f.fillNan(0)],
    fillNull: ["numbers", (f) => f.fillNull(0)],
    filter: ["base", (f) => f.filter(pl.col("m").gt(1))],
    groupBy: ["base", (f) => f.groupBy("id", true).agg(pl.col("m").sum())],
    groupByRolling: ["times", (f) => f.groupByRolling(ROLLING).agg(pl.col("n").sum())],
    groupByDynamic: ["times", (f) => f.groupByDynamic(DYNAMIC).agg(pl.col("n").sum())],
    head: ["base", (f) => f.head(2)],
    inner: ["base", (f) => typeof f.inner()],
    join: ["base", (f) => f.join(other().lazy(), { on: "id", how: "left" })],
    joinAsof: ["base", (f) => f.sort("m").joinAsof(FRAMES.base!().lazy().sort("m"), { on: "m" })],
    last: ["base", (f) => f.last()],
    limit: ["base", (f) => f.limit(2)],
    max: ["numbers", (f) => f.max()],
    mean: ["numbers", (f) => f.mean()],
    median: ["numbers", (f) => f.median()],
    unpivot: ["base", (f) => f.unpivot("id", ["n", "m"])],
    min: ["numbers", (f) => f.min()],
    quantile: ["numbers", (f) => f.quantile(0.5)],
    rename: ["base", (f) => f.rename({ n: "k" })],
    reverse: ["base", (f) => f.reverse()],
    select: ["base", (f) => f.select("m")],
    shift: ["base", (f) => f.shift(1)],
    shiftAndFill: ["numbers", (f) => f.shiftAndFill({ n: 1, fillValue: 0 })],
    slice: ["base", (f) => f.slice(1, 2)],
    sort: ["base", (f) => f.sort({ by: "m", descending: true })],
    std: ["numbers", (f) => f.std()],
    sum: ["numbers", (f) => f.sum()],
    unnest: ["structs", (f) => f.unnest("s")],
    var: ["numbers", (f) => f.var()],
    tail: ["base", (f) => f.tail(1)],
    toJSON: ["base", (f) => typeof f.toJSON()],
    serialize: ["base", (f) => f.serialize("json").length > 0],
    withColumn: ["base", (f) => f.withColumn(pl.col("m").plus(1).alias("more"))],
    withColumns: ["base", (f) => f.withColumns(pl.col("m").plus(1).alias("more"))],
    withColumnRenamed: ["base", (f) => f.withColumnRenamed("n", "k")],
    withRowIndex: ["base", (f) => f.withRowIndex()],
    sinkCSV: ["base", (f) => typeof f.sinkCSV],
    sinkParquet: ["base", (f) => typeof f.sinkParquet],
    sinkNdJson: ["base", (f) => typeof f.sinkNdJson],
    sinkIpc: ["base", (f) => typeof f.sinkIpc],
  },
  GroupBy: {
    agg: ["base", (g) => g.agg({ m: ["sum"] }).sort("id")],
    pivot: ["base", (g) => g.pivot("id", "m").sum().sort("id")],
    len: ["base", (g) => g.len().sort("id")],
    first: ["base", (g) => g.first().sort("id")],
    groups: ["base", (g) => g.groups().sort("id")],
    head: ["base", (g) => g.head(1).sort("id")],
    last: ["base", (g) => g.last().sort("id")],
    max: ["base", (g) => g.max().sort("id")],
    mean: ["base", (g) => g.mean().sort("id")],
    median: ["base", (g) => g.median().sort("id")],
    min: ["base", (g) => g.min().sort("id")],
    nUnique: ["base", (g) => g.nUnique().sort("id")],
    quantile: ["base", (g) => g.quantile(0.5).sort("id")],
    sum: ["base", (g) => g.sum().sort("id")],
    tail: ["base", (g) => g.tail(1).sort("id")],
    toString: ["base", (g) => g.toString()],
  },
};

/** Methods that change a frame in place, which frames refuse. */
const REFUSED = ["extend", "insertAtIdx", "replaceAtIdx"];

const BEFORE: Record<string, (frame: Any) => Any> = {
  DataFrame: (frame) => frame,
  LazyDataFrame: (frame) => frame.lazy(),
  GroupBy: (frame) => frame.groupBy("id"),
};

const tagOf = (value: Any) => value?.[Symbol.toStringTag];

/** The content of a result, in a form that can be compared. */
function contentOf(value: Any): unknown {
  if (tagOf(value) === "LazyDataFrame") return ["lazy", contentOf(value.collectSync())];
  if (tagOf(value) === "DataFrame") {
    return [value.columns, value.dtypes.map(String), value.toRecords()];
  }
  if (pl.Series.isSeries(value)) return [value.name, String(value.dtype), value.toArray()];
  return Array.isArray(value) ? value.map(contentOf) : value;
}

function framesIn(value: Any): DataFrame[] {
  if (tagOf(value) === "LazyDataFrame") return [value.collectSync()];
  if (tagOf(value) === "DataFrame") return [value];
  return Array.isArray(value) ? value.flatMap(framesIn) : [];
}

/** The names of all methods, from polars' own code: a method that is new there is missing here. */
function methodsOf(file: string, begin: string): string[] {
  const path = createRequire(import.meta.url).resolve("nodejs-polars/package.json");
  const text = Deno.readTextFileSync(path.replace("package.json", `bin/${file}`));
  const body = text.slice(
    text.indexOf(begin),
    text.indexOf("return new Proxy", text.indexOf(begin)),
  );
  return [...body.matchAll(/^ {8}([a-z]\w*)(?:\(.*\{$|: )/gim)].map(([, name]) => name!);
}

// deno-lint-ignore no-import-prefix -- the polars of lib, and no other
await import("npm:nodejs-polars@0.25.2/package.json", { with: { type: "json" } });

Deno.test("every method of polars is covered by these tests", () => {
  const frame = methodsOf("dataframe.js", "const df = {");
  ok(frame.length > 80);
  deepStrictEqual(new Set(frame), new Set([...Object.keys(CALLS.DataFrame!), ...REFUSED]));
  const lazy = Object.keys(pl.DataFrame({ a: [1] }).lazy()).filter((name) =>
    name !== "columns" && name !== "_ldf"
  ).concat("toString");
  deepStrictEqual(new Set(lazy), new Set(Object.keys(CALLS.LazyDataFrame!)));
  const group = Object.keys(pl.DataFrame({ a: [1] }).groupBy("a"));
  deepStrictEqual(new Set(group), new Set(Object.keys(CALLS.GroupBy!)));
});

/** The units of the columns of all frames above. */
const UNITS = { n: "usd", m: "users", a: "gas", s: "days", list: "months" } as const;

/** Results whose columns do not have the units of `UNITS` by their names. */
const CHANGED: Record<string, string> = {
  ...Object.fromEntries(
    `count describe product nullCount std toDummies unnest var add sub div mul rem plus minus
    divideBy multiplyBy modulo vstack`.split(/\s+/).map((name) => [name, ""]),
  ),
  rename: "k: usd, m: users",
  withColumnRenamed: "k: usd, m: users",
  // The values of `id` are names of columns here.
  "DataFrame.pivot": "n: usd",
  "GroupBy.pivot": "",
  "GroupBy.nUnique": "",
  // The names of functions are not read.
  "GroupBy.agg": "",
};

/** The columns of a result that have a unit, each with its unit. */
function unitsOf(frame: DataFrame): string {
  return frame.columns.flatMap((name) => {
    const unit = columnIn(frame, name)?.unit ?? null;
    return unit === null ? [] : [`${name}: ${unit}`];
  }).join(", ");
}

for (const [kind, calls] of Object.entries(CALLS)) {
  Deno.test(`every method of a ${kind} keeps the units that it does not change`, async () => {
    const known = Object.entries(UNITS).map(([name, unit]) => [unit, name] as const);
    for (const [name, [frame, call]] of Object.entries(calls)) {
      const given = BEFORE[kind]!(described(FRAMES[frame]!(), ...known));
      for (const made of framesIn(await call(given))) {
        const kept = made.columns.flatMap((each) =>
          each in UNITS ? [`${each}: ${UNITS[each as keyof typeof UNITS]}`] : []
        ).join(", ");
        const expected = CHANGED[`${kind}.${name}`] ?? CHANGED[name] ?? kept;
        strictEqual(unitsOf(made), expected, `${kind}.${name}`);
      }
    }
  });

  Deno.test(`every method of a ${kind} keeps provenance, and returns what polars returns`, async () => {
    for (const [name, [frame, call]] of Object.entries(calls)) {
      const before = BEFORE[kind]!;
      const bare = await call(before(FRAMES[frame]!()));
      const ours = await call(before(answered(FRAMES[frame]!())));
      deepStrictEqual(contentOf(ours), contentOf(bare), name);
      strictEqual(framesIn(ours).length, framesIn(bare).length, name);
      for (const made of framesIn(ours)) strictEqual(provenanceOf(made).operation, "project", name);
    }
  });
}

Deno.test("a frame records its steps, except those without meaning", async () => {
  const frame = answered(FRAMES.base!());
  deepStrictEqual(provenanceOf(frame).steps, []);
  const made = await frame.filter(pl.col("m").gt(1)).lazy().sort("m").collect();
  deepStrictEqual(provenanceOf(made).steps, ["filter", "sort"]);
  deepStrictEqual(provenanceOf(made.groupBy("id").agg(pl.col("m").sum())).steps, [
    "filter",
    "sort",
    "groupBy",
    "agg",
  ]);
  deepStrictEqual(provenanceOf(frame).steps, []);
});

Deno.test("a frame made from several lists them, is sample data if one is, and stacks their errors", () => {
  const one = answered(FRAMES.base!(), answer("blockchain_comparison"), errors("nowhere"));
  const two = answered(other(), answer("metric_breakdown", "sample"), errors("noone", "never"));
  for (
    const made of [
      one.filter(pl.col("m").gt(0)).join(two, { on: "id" }),
      remembering.concat([one.filter(pl.col("m").gt(0)), two], { how: "diagonal" }),
      one.filter(pl.col("m").gt(0)).lazy().join(two.lazy(), { on: "id" }).collectSync(),
    ]
  ) {
    const { kind, sample, data_through, data_since } = provenanceOf(made);
    deepStrictEqual([kind, sample], ["combined", true]);
    deepStrictEqual([data_through, data_since], [new Date("2026-01-01"), null]);
    deepStrictEqual(
      inputsOf(provenanceOf(made)).map((
        { operation, source, steps },
      ) => [operation, source, steps]),
      [["blockchain_comparison", "service", ["filter"]], ["metric_breakdown", "sample", []]],
    );
    deepStrictEqual(errorsOf(made).getColumn("value").toArray(), ["nowhere", "noone", "never"]);
  }
  const swapped = two.join(one, { on: "id" }).sort("id");
  deepStrictEqual(provenanceOf(swapped).steps, ["join", "sort"]);
  match(
    Deno.inspect(swapped),
    /derived from metric_breakdown \(SAMPLE DATA\) \+ blockchain_comparison/,
  );
});

Deno.test("a frame joined with itself, or with one without provenance, has one origin", () => {
  const one = answered(FRAMES.base!());
  const totals = one.groupBy("id").agg(pl.col("m").sum().alias("total"));
  deepStrictEqual(provenanceOf(one.join(totals, { on: "id" })).kind, "response");
  deepStrictEqual(provenanceOf(one.join(other(), { on: "id" })).kind, "response");
  const foreign = track(other());
  strictEqual(provenanceOf(foreign.join(one, { on: "id" })).operation, "project");
  throws(() => provenanceOf(foreign.sort("id")), RangeError);
});

Deno.test("frames are not changed in place", () => {
  const frame = answered(FRAMES.numbers!()) as Any;
  const refused = /frames are not changed in place; use withColumns, rename or vstack$/;
  const column = pl.Series("n", [7, 8, 9], pl.Float64);
  throws(() => frame.extend(answered(FRAMES.numbers!())), refused);
  throws(() => frame.insertAtIdx(0, column), refused);
  throws(() => frame.replaceAtIdx(0, column), refused);
  throws(() => frame.hstack([column], true), refused);
  for (const name of ["n", "columns", "other"]) {
    throws(() => frame[name] = column, { message: /^frame\.\w+: frames are not changed/ }, name);
  }
  deepStrictEqual(frame.toRecords(), FRAMES.numbers!().toRecords());
});

Deno.test("a frame is an ordinary object with its columns and the methods of polars, which notebooks complete", () => {
  const frame = track(FRAMES.base!()) as Any;
  const own = Object.getOwnPropertyNames(frame);
  const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(frame));
  deepStrictEqual(own, ["id", "n", "m"]);
  const methods = Object.keys(CALLS.DataFrame!);
  deepStrictEqual(methods.filter((name) => !inherited.includes(name)), []);
  deepStrictEqual(
    inherited.filter((name) => !methods.includes(name)),
    ["height", "width", "shape", "columns", "dtypes", "schema", "pipe"],
  );
  // A column may have the name of a method; polars gives the column then.
  const counts = track(pl.DataFrame({ count: [1, 2], filter: [3, 4] })) as Any;
  deepStrictEqual(counts.count.toArray(), [1, 2]);
  deepStrictEqual(counts.select("filter").columns, ["filter"]);
});

Deno.test("a frame behaves in JavaScript as a frame of polars", () => {
  const bare = FRAMES.base!() as Any;
  const ours = answered(FRAMES.base!()) as Any;
  strictEqual(JSON.stringify(ours), JSON.stringify(bare));
  deepStrictEqual(Object.keys(ours), ["id", "n", "m"]);
  deepStrictEqual(Object.getOwnPropertyNames(ours), Reflect.ownKeys(bare));
  const { id, ...rest } = ours;
  deepStrictEqual(contentOf(id), contentOf(bare.id));
  deepStrictEqual(Object.keys(rest), ["n", "m"]);
  deepStrictEqual(contentOf(ours.n), contentOf(bare.n));
  deepStrictEqual(ours[1], bare[1]);
  deepStrictEqual(contentOf(pl.DataFrame(ours)), contentOf(bare));
  deepStrictEqual(contentOf(remembering.DataFrame(ours)), contentOf(bare));
  deepStrictEqual([...ours].map(contentOf), [...bare].map(contentOf));
  deepStrictEqual(["n" in ours, "k" in ours, ours.k], ["n" in bare, "k" in bare, bare.k]);
  deepStrictEqual(
    Object.entries(ours.schema).map(String),
    Object.entries(bare.schema).map(String),
  );
  strictEqual(pl.DataFrame.isDataFrame(ours), true);
  strictEqual(track(ours), ours);
  deepStrictEqual(Object.keys(ours.lazy()), Object.keys(bare.lazy()));
  strictEqual(JSON.stringify(ours.lazy()), JSON.stringify(bare.lazy()));
  strictEqual(Deno.inspect(ours.lazy()), Deno.inspect(bare.lazy()));
  deepStrictEqual(Object.keys(remembering).sort(), Object.keys(pl).sort());
});

Deno.test("concat of frames without an origin gives polars' own", () => {
  const made = remembering.concat([other(), other()]);
  strictEqual(made.height, 4);
  throws(() => provenanceOf(made), RangeError);
  const one = answered(other());
  deepStrictEqual(contentOf(remembering.concat([one])), contentOf(one));
});

Deno.test("random steps return what polars returns, and are recorded", () => {
  const steps: Record<string, (frame: DataFrame) => DataFrame> = {
    filter: (frame) => frame.filter(pl.col("m").gt(1)),
    sort: (frame) => frame.sort({ by: "m", descending: true }),
    withColumns: (frame) => frame.withColumns(pl.col("m").plus(1)),
    vstack: (frame) => frame.vstack(frame),
    head: (frame) => frame.head(3),
    select: (frame) => frame.select("id", "n", "m"),
    join: (frame) => frame.join(other(), { on: "id", how: "semi" }),
    sample: (frame) => frame.slice(0, Math.min(2, frame.height)),
  };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.keys(steps)), { maxLength: 8 }), (names) => {
      const walk = (frame: DataFrame) => names.reduce((each, name) => steps[name]!(each), frame);
      const ours = walk(answered(FRAMES.base!()));
      deepStrictEqual(contentOf(ours), contentOf(walk(FRAMES.base!())));
      deepStrictEqual(
        provenanceOf(ours).steps,
        names.map((name) => name === "sample" ? "slice" : name),
      );
    }),
    { seed: 16, numRuns: 60 },
  );
});

Deno.test("provenance does not keep a frame from garbage collection", async () => {
  const path = new URL("../forgotten_frames.ts", import.meta.url).pathname;
  const { stdout, stderr } = await new Deno.Command(process.execPath, {
    args: ["run", "--no-check", "--allow-all", "--v8-flags=--expose-gc", path],
  }).output();
  strictEqual(
    new TextDecoder().decode(stdout).trim(),
    "200 frames, 0 left",
    new TextDecoder().decode(stderr),
  );
});

Deno.test("instanceof is true for frames and series of the operations, of pl and of polars", () => {
  // The declared types of polars have no such right-hand side.
  const { DataFrame, Series } = remembering as Any;
  const frame = answered(FRAMES.base!());
  for (
    const one of [frame, frame.filter(pl.col("m").gt(1)), DataFrame({ a: [1] }), FRAMES.base!()]
  ) {
    strictEqual(one instanceof DataFrame, true);
    strictEqual(one instanceof Series, false);
  }
  for (const one of [frame.getColumn("m"), Series("a", [1]), pl.Series("a", [1])]) {
    strictEqual(one instanceof Series, true);
    strictEqual(one instanceof DataFrame, false);
  }
  for (const other of [null, undefined, 1, "DataFrame", {}, [], frame.lazy(), pl.col("a")]) {
    strictEqual(other instanceof DataFrame || other instanceof Series, false);
  }
  deepStrictEqual(Series("a", [1, null], pl.Int64).toArray(), [1, null]);
});

Deno.test("1 500 frames make the engine collect garbage three times", () => {
  const { ArrayBuffer } = globalThis;
  const sizes: number[] = [];
  globalThis.ArrayBuffer = class extends ArrayBuffer {
    constructor(length: number) {
      super(length);
      sizes.push(length);
    }
  } as unknown as ArrayBufferConstructor;
  try {
    const bare = FRAMES.base!();
    for (let made = 0; made < 1_500; made++) track(bare.clone());
  } finally {
    globalThis.ArrayBuffer = ArrayBuffer;
  }
  deepStrictEqual(sizes.filter((size) => size === 128 * 2 ** 20).length, 3);
});

Deno.test("describe takes frames with dates, whose mean can have a time of day", () => {
  const day = pl.Series("day", ["2026-01-01", "2026-01-02"].map((each) => new Date(each)), pl.Date);
  const frame = track(pl.DataFrame({ day, fees: [1, 4] }));
  const printed = String((frame as unknown as { describe(): object }).describe());
  match(printed, /mean +2026-01-01 12:00:00 +2\.50\b/);
  match(printed, /max +2026-01-02 00:00:00 +4\.00\b/);
  strictEqual(frame.getColumn("day").dtype.variant, "Date");
});
