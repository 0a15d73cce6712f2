import { deepEqual, equal, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  concentration,
  contributions,
  growthRates,
  pl,
  plotTimeline,
  rankBy,
  resample,
  rollingMean,
  rowsOf,
  where,
  withSource,
} from "../../../mod.ts";
import {
  entityNoun,
  entityTexts,
  lastFullDay,
  readingOf,
  refuseTwice,
  shownTexts,
  unitOf,
} from "../../../lib/table/read/reading.ts";
import type { DataFrame } from "../../../mod.ts";
import { warned } from "../../analysis/measured.ts";
import { columnsOf } from "../../../lib/table/track/descriptions.ts";

const fn = "read";
const DAYS = ["2025-01-01", "2025-02-01", "2025-03-01"].map((day) => new Date(day));

/** Makes a frame of one row for each combination of some rows and dates. */
function dated(rows: readonly object[], days = DAYS): DataFrame {
  return pl.DataFrame(rows.flatMap((row) => days.map((date) => ({ ...row, date, fees: 1 }))));
}

function keyOf(frame: DataFrame): string {
  const { entity, label, times } = readingOf(frame, { fn });
  return `${entity.join("+")} (${label ?? ""}) ${times.join("+")}`;
}

Deno.test("readingOf finds the smallest set of columns that identifies the rows", () => {
  const protocols = [{ protocol: "a", kind: "x" }, { protocol: "b", kind: "x" }, {
    protocol: "c",
    kind: "y",
  }];
  equal(keyOf(dated(protocols)), "protocol () date");
  // A constant column, and a column with nulls, do not name rows.
  equal(
    keyOf(dated([
      { source: "open data", protocol: "a", remark: "estimate" },
      { source: "open data", protocol: "b", remark: null },
    ])),
    "protocol () date",
  );
  // Names are left out before ids, and are the label.
  equal(
    keyOf(dated([{ slug: "uni", name: "Uniswap", category: "dex" }, {
      slug: "aave",
      name: "Aave",
      category: "lending",
    }])),
    "slug (name) date",
  );
  equal(
    keyOf(pl.DataFrame({
      country: ["DE", "DE", "FR", "FR"],
      funnel: ["ads", "direct", "ads", "direct"],
      cohort: ["2025-01", "2025-01", "2025-01", "2025-01"],
      initial_cohort_size: [10, 20, 30, 40],
    })),
    "country+funnel () cohort",
  );
  equal(keyOf(dated([{ chain_id: 1 }, { chain_id: 2 }])), "chain_id () date");
  equal(keyOf(dated([{ protocol: "a", unit: "USD" }])), "protocol () date");
  // The texts of a frame of one entity are remarks.
  const remarks = pl.Series("remark", ["estimate", "final", "final"], pl.Utf8);
  equal(keyOf(dated([{ protocol: "a" }]).withColumn(remarks)), "protocol () date");
  equal(keyOf(pl.DataFrame({ token: ["a", "b"], wallet: ["w", "v"] })), "token () ");
});

Deno.test("readingOf keeps the entity of a frame in frames that are made from it", () => {
  const frame = dated([{ protocol: "a", tier: "gold" }, { protocol: "b", tier: "gold" }, {
    protocol: "c",
    tier: "silver",
  }]);
  equal(keyOf(frame), "protocol () date");
  // In the filtered frame, the tier alone would do.
  equal(keyOf(frame.filter(pl.col("protocol").neq(pl.lit("b")))), "protocol () date");
  equal(keyOf(frame.filter(pl.col("protocol").eq(pl.lit("a")))), "protocol () date");
});

Deno.test("a result has the entity that its function read, and the frame stays as it is", () => {
  const rows = [["2025-01", "DE", "first", 10], ["2025-01", "FR", "second", 20]];
  const later = [["2025-02", "DE", "second", 40], ["2025-02", "FR", "first", 30]];
  const frame = pl.DataFrame([...rows, ...later].map(([month, country, place, fees]) => ({
    date: new Date(`${month}-01`),
    country,
    place,
    fees,
  })));
  const growth = growthRates(frame, { entity: "place" });
  deepEqual(readingOf(growth, { fn }).entity, ["place"]);
  deepEqual(contributions(growth, { field: "fees" }).columns.slice(0, 2), ["date", "place"]);
  const again = rollingMean(growth, { periods: 2, entity: "country" });
  deepEqual(readingOf(again, { fn }).entity, ["country"]);
  deepEqual([...columnsOf(frame)], []);
});

Deno.test("readingOf refuses repeated rows and shows two of them", () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({ protocol: `p${at}`, tag: `${at % 3}` }));
  const doubled = dated([...rows, { protocol: "p7", tag: "2" }], DAYS.slice(0, 1));
  throws(() => readingOf(doubled, { fn }), {
    name: "RangeError",
    message: "read: entity: two rows have the same protocol, date; got row 7: protocol p7, date " +
      "2025-01-01; row 40: protocol p7, date 2025-01-01; name the columns of the entity, or keep the first: " +
      'frame.unique({ subset: ["protocol", "date"], keep: "first", maintainOrder: true })',
  });
  const kept = doubled.unique({
    subset: ["protocol", "date"],
    keep: "first",
    maintainOrder: true,
  });
  deepEqual(readingOf(kept, { fn }).entity, ["protocol"]);
  // Rows that lack a name are not doubled.
  const unnamed = dated([{ chain: "a" }, { chain: null }]);
  throws(
    () => growthRates(unnamed, { field: "fees" }),
    /chain has nulls; fill them: frame\.withColumns\(pl\.col\("chain"\)\.fillNull\(pl\.lit\("none"\)\)\), or name/,
  );
  const filled = unnamed.withColumns(pl.col("chain").fillNull(pl.lit("none")));
  deepEqual(readingOf(filled, { fn }).entity, ["chain"]);
  for (const rows of [doubled, withSource(doubled, { entity: "protocol" })]) {
    throws(() => concentration(rows, { field: "fees" }), /concentration: entity: two rows have/);
    throws(
      () => rankBy(rows, { field: "fees" }),
      /rankBy: entity: two rows have the same protocol/,
    );
  }
  const twice = dated([{ protocol: "a" }, { protocol: "a" }]);
  throws(() => refuseTwice(twice, readingOf(twice, { fn }), fn), /row 0: .*row 3: /);
  throws(
    () => readingOf(twice, { fn, entity: "chain" }),
    /entity: must be of protocol, fees; got chain/,
  );
});

Deno.test("readingOf finds times that are texts, if rows repeat without them", () => {
  const months = pl.DataFrame({
    protocol: ["a", "a", "b"],
    kind: ["x", "y", "x"],
    month: ["2025-01", "2025-02", "2025-02"],
    fees: [1, 2, 3],
  });
  equal(keyOf(months.drop("kind")), "protocol () month");
  deepEqual(readingOf(months, { fn, entity: "protocol" }).times, ["month"]);
  equal(keyOf(pl.DataFrame({ month: ["2025-01", "2025-02"], fees: [1, 2] })), " () month");
  // Without a repeat, a year is a remark.
  equal(keyOf(pl.DataFrame({ protocol: ["a", "b"], founded: ["2019", "2021"] })), "protocol () ");
});

Deno.test("entityTexts and shownTexts write a key of several columns with a dot", () => {
  const frame = pl.DataFrame({ country: ["DE", "FR"], funnel: ["ads", "ads"], users: [1, 2] });
  deepEqual(entityTexts(frame, { entity: ["country", "funnel"] }), ["DE · ads", "FR · ads"]);
  const named = pl.DataFrame({ slug: ["uni", "aave"], name: ["Uniswap", "Aave"], fees: [1, 2] });
  const reading = readingOf(named, { fn });
  deepEqual(entityTexts(named, reading), ["uni", "aave"]);
  deepEqual(shownTexts(named, reading), ["Uniswap", "Aave"]);
  deepEqual(entityTexts(pl.DataFrame({ chain_id: [1, 2] }), { entity: ["chain_id"] }), ["1", "2"]);
});

Deno.test("entityNoun counts entities in words", () => {
  const noun = (name: string, count: number) =>
    entityNoun(pl.DataFrame({ [name]: ["a", "b"] }), { entity: [name] }).counted(count);
  deepEqual([noun("country", 3), noun("chain_id", 1), noun("market_sector_id", 2)], [
    "3 countries",
    "1 chain",
    "2 market sectors",
  ]);
  equal(noun("protocol", 10), "10 protocols");
});

Deno.test("unitOf is what is left of the entity after the groups and what they determine", () => {
  const frame = pl.DataFrame({
    country: ["DE", "DE", "FR", "FR"],
    region: ["EU", "EU", "EU", "EU"],
    funnel: ["ads", "direct", "ads", "direct"],
  });
  const entity = ["country", "funnel"];
  deepEqual(unitOf(frame, { entity, by: ["country"] }), ["funnel"]);
  deepEqual(unitOf(frame, { entity, by: [] }), ["country", "funnel"]);
  deepEqual(unitOf(frame, { entity, by: ["country", "funnel"] }), []);
  deepEqual(unitOf(frame, { entity: ["country", "region", "funnel"], by: ["country"] }), [
    "funnel",
  ]);
});

Deno.test("a period of own data is complete if its last day is before the day of retrieval", () => {
  const months = ["2025-04-01", "2025-05-01", "2025-06-01"].map((day) => new Date(day));
  const frame = dated([{ protocol: "a" }], months);
  const stated = withSource(frame, { citation: "own", retrievedAt: "2025-06-20" });
  equal(lastFullDay(stated), new Date("2025-06-19").getTime() / 86_400_000);
  const growth = (of: DataFrame) =>
    rowsOf(growthRates(of, { field: "fees" })).map((row) => row.fees_growth);
  deepEqual(growth(stated), [null, 0, null]);
  // Without a day of retrieval, all periods are complete.
  deepEqual(growth(withSource(frame, { citation: "own" })), [null, 0, 0]);
});

const DAYS_OF_FEBRUARY = 9;
/** Daily values of two protocols from 1 January on, with an id of each row. */
const KEYED = pl.DataFrame(Array.from({ length: 80 }, (_, at) => ({
  id: `r-${at}`,
  protocol: at % 2 ? "b" : "a",
  day: new Date(Date.UTC(2025, 0, 1 + Math.floor(at / 2))),
  fees: at % 2 ? 100 : 50,
})));

Deno.test("months of daily rows are of the protocol, whatever names the rows", () => {
  const [months, notices] = warned(() => resample(KEYED, { every: "month", how: "sum" }));
  const values = months.select("protocol", "fees").sort(["protocol", "fees"]).rows();
  deepEqual(values, [["a", 50 * DAYS_OF_FEBRUARY], ["a", 1550], ["b", 100 * DAYS_OF_FEBRUARY], [
    "b",
    3100,
  ]]);
  equal(
    notices[0],
    'resample: read protocol as the entity: id names rows; to state it: withSource(frame, { entity: "protocol" })',
  );
  // A second call, and a call on what is stated, say nothing.
  const mean = (frame: DataFrame) => rollingMean(frame, { field: "fees", periods: 2 });
  const again = warned(() => [mean(KEYED), mean(KEYED.head(70)), mean(KEYED.head(70))])[1];
  const stated = warned(() => mean(withSource(KEYED, { entity: "protocol" })))[1];
  deepEqual([again, stated], [[], []]);
});

Deno.test("resample adds up events of an entity, and a day without an event is 0", () => {
  const rows = [["t1", "a", 1, 5], ["t2", "a", 1, 7], ["t3", "b", 1, 2], ["t4", "a", 2, 1]];
  const at = (month: number, day: number) => new Date(Date.UTC(2025, month, day));
  const events = pl.DataFrame([
    ...rows.map(([tx, protocol, day, fees]) => ({ tx, protocol, day: at(0, Number(day)), fees })),
    { tx: "t5", protocol: "b", day: at(1, 9), fees: 9 },
  ]);
  const [months, said] = warned(() => resample(events, { every: "month", how: "sum" }));
  deepEqual(said, [
    'resample: read protocol as the entity: tx names rows; to state it: withSource(frame, { entity: "protocol" })',
  ]);
  const january = months.filter(pl.col("day").eq(pl.lit(at(0, 1))));
  deepEqual(january.select("protocol", "fees").sort("protocol").rows(), [["a", 13], ["b", 2]]);
  throws(
    () => growthRates(events, { field: "fees" }),
    /each tx occurs at one day only, so it names rows and not entities; make periods with resample, or state the entity: withSource\(frame, \{ entity: "protocol" \}\)$/,
  );
  throws(() => plotTimeline(events, { field: "fees" }), /each tx occurs at one day only/);
  // Things with a date are added up as one series, and are entities if that is stated.
  const funds = pl.DataFrame(
    ["f0", "f1", "f2"].map((fund, year) => (
      { fund, vintage: new Date(Date.UTC(2010 + year, 0, 1)), usd: 5 + year }
    )),
  );
  deepEqual(warned(() => resample(funds, { every: "year", how: "sum" }))[1], [
    "resample: read as one series: fund names rows",
  ]);
  throws(
    () => growthRates(funds, { field: "usd" }),
    /, or state the entity: withSource\(frame, \{ entity: "fund" \}\)$/,
  );
  equal(growthRates(withSource(funds, { entity: "fund" }), { field: "usd" }).height, 3);
  // Events of several possible entities, and rows that look doubled, are errors.
  const wallets = pl.Series("wallet", ["w1", "w1", "w1", "w2", "w2"], pl.Utf8);
  const both = events.withColumn(wallets);
  throws(
    () => resample(both, { every: "month", how: "sum" }),
    /protocol, wallet can name the entity/,
  );
  throws(
    () => resample(events.drop("tx"), { every: "month", how: "sum" }),
    /two rows have the same/,
  );
});

Deno.test("after a filter to one entity, the column that named it names it", () => {
  const rows = ["DE", "FR"].flatMap((country) =>
    ["oak", "elm"].map((vault) => ({ market: "eu", country, vault, kind: vault[0] }))
  );
  const both = dated(rows.filter(({ country }) => country === "FR"));
  const isOak = pl.col("vault").eq(pl.lit("oak"));
  const oak = [
    both.filter(isOak),
    where(both, { vault: "oak" }),
    both.lazy().filter(isOak).collectSync() as DataFrame,
    both.sort("vault").tail(3),
    both.partitionBy("vault")[0]!.filter(pl.col("fees").gt(0)),
  ];
  for (const [at, frame] of oak.entries()) {
    deepEqual(readingOf(frame, { fn }).entity, ["vault"], `${at}`);
    deepEqual(contributions(frame, { field: "fees" }).columns.slice(0, 2), ["date", "vault"]);
  }
  // All names became constant: the first column of the entity names the series.
  const one = dated(rows).filter(isOak.and(pl.col("country").eq(pl.lit("DE"))));
  deepEqual(readingOf(one, { fn }).entity, ["country"]);
  // Stated columns, and an entity that still varies, stay.
  const stated = withSource(both, { entity: "kind" }).filter(isOak);
  deepEqual(readingOf(stated, { fn }).entity, ["kind"]);
  deepEqual(readingOf(dated(rows).filter(isOak), { fn }).entity, ["country"]);
  deepEqual([...columnsOf(both)], []);
});

Deno.test("a result does not depend on what was asked before", () => {
  const make = () => withSource(pl.DataFrame(KEYED.getColumns()), { citation: "own" });
  const calls: readonly ((frame: DataFrame) => DataFrame)[] = [
    (frame) => growthRates(frame, { field: "fees" }),
    (frame) => contributions(frame, { field: "fees", entity: "protocol" }),
    (frame) => resample(frame, { every: "month", how: "sum", entity: "protocol" }),
    (frame) => rollingMean(frame, { field: "fees", periods: 3 }),
    (frame) => growthRates(frame.filter(pl.col("protocol").eq(pl.lit("a"))), { field: "fees" }),
    (frame) => contributions(frame.head(60), { field: "fees" }),
    (frame) => growthRates(frame.rename({ protocol: "id2" }), { field: "fees" }),
  ];
  const answer = (frame: DataFrame, call: number) => {
    const [made] = warned(() => calls[call]!(frame));
    return JSON.stringify([made.columns, made.rows(), [...columnsOf(made)]]);
  };
  const fresh = calls.map((_, call) => answer(make(), call));
  fc.assert(
    fc.property(fc.array(fc.nat(calls.length - 1), { minLength: 2, maxLength: 8 }), (order) => {
      const used = make();
      for (const call of order) equal(answer(used, call), fresh[call]);
    }),
    { seed: 3, numRuns: 12 },
  );
});
