import { deepStrictEqual, match, ok, throws } from "node:assert/strict";
import * as chainframe from "../../mod.ts";
import { type DataFrame, pl, plotTimeline, withSource } from "../../mod.ts";
import { dateOfDay, dayOf, type Every, periodAt } from "../../lib/schema/period.ts";
import { dateColumn } from "../../lib/table/columns/cell_values.ts";

const SPANS = {
  day: ["2025-01-30", "2025-02-21"],
  week: ["2025-01-06", "2025-06-22"],
  month: ["2024-01", "2025-10"],
  quarter: ["2021-01", "2025-12"],
  year: ["2012-01", "2025-12"],
} as const satisfies Record<Every, readonly [string, string]>;

const FIELD = { field: "usd" } as const;
const STUDY = { scale: "log" } as const;

/** The analyses over time. `events` are the days at three quarters of the dates. */
const ANALYSES: Record<string, (frame: DataFrame, event: Date) => DataFrame> = {
  growthRates: (f) => chainframe.growthRates(f, FIELD),
  indexed: (f) => chainframe.indexed(f, FIELD),
  rollingMean: (f) => chainframe.rollingMean(f, { ...FIELD, periods: 3 }),
  contributions: (f) => chainframe.contributions(f, FIELD),
  shares: (f) => chainframe.shares(f, FIELD),
  decompose: (f) => chainframe.decompose(f, { product: "usd", factors: ["half", "two"] }),
  topN: (f) => chainframe.topN(f, { ...FIELD, limit: 2 }),
  counterfactual: (f, event) =>
    chainframe.counterfactual(f, { ...FIELD, ...STUDY, starts: { elm: event } }),
  eventStudy: (f, start) =>
    chainframe.eventStudy(f, {
      ...FIELD,
      ...STUDY,
      starts: { elm: start, fir: start, ash: start },
    }),
};

const CHAINS = ["alder", "birch", "cedar", "dogwood", "elm", "fir", "ash", "gum"];
const COLUMNS = { usd: { unit: "usd", adds: "both" }, half: { adds: "both" } } as const;

/** Values of chains in all periods of a span, with `until` and `complete`. */
function periodsOf(every: Every): DataFrame {
  const [from, to] = SPANS[every].map((day) => dayOf(day.padEnd(10, "-01"))) as [number, number];
  const periods = [periodAt(from, every)];
  while (periods.at(-1)!.end < to) periods.push(periodAt(periods.at(-1)!.end + 1, every));
  const rows = periods.flatMap((period, at) =>
    CHAINS.map((chain, place) => ({
      ...period,
      chain,
      half: 50 + place * 9 + (at * (place + 3)) % 7,
    }))
  );
  const frame = pl.DataFrame([
    dateColumn("date", rows.map(({ start }) => dateOfDay(start))),
    dateColumn("until", rows.map(({ end }) => dateOfDay(end))),
    pl.Series("complete", rows.map(() => true), pl.Bool),
    pl.Series("chain", rows.map(({ chain }) => chain), pl.Utf8),
    pl.Series("half", rows.map(({ half }) => half), pl.Float64),
    pl.Series("usd", rows.map(({ half }) => 2 * half), pl.Float64),
    pl.Series("two", rows.map(() => 2), pl.Float64),
  ]);
  return withSource(frame, { citation: "a test", columns: COLUMNS });
}

/** The numbers and the texts of a result, without the columns of the period that own data may lack. */
function contents(frame: DataFrame): unknown {
  const { columns } = frame;
  const kept = columns.filter((name) => !["date", "until", "complete"].includes(name));
  return [kept, frame.select(...kept).rows()];
}

const drop = (frame: DataFrame) => frame.drop("until", "complete");

Deno.test("analyses over time and plotTimeline find the periods of own data", async () => {
  for (const every of Object.keys(SPANS) as Every[]) {
    const whole = periodsOf(every);
    const starts = whole.getColumn("date").toArray() as unknown as Date[];
    const event = starts[Math.floor(starts.length * 0.75)]!;
    const forms: [string, DataFrame][] = [
      ["first days", drop(whole)],
      ["complete alone", whole.drop("until")],
      ["until alone", whole.drop("complete")],
      ["midnight", drop(whole).withColumn(pl.col("date").cast(pl.Datetime("us")))],
    ];
    if (every === "month") {
      forms.push(["last days", drop(whole.withColumn(pl.col("until").alias("date")))]);
    }
    for (const [name, run] of Object.entries(ANALYSES)) {
      const expected = contents(run(whole, event));
      for (const [form, frame] of forms) {
        deepStrictEqual(contents(run(frame, event)), expected, `${name}, ${every}, ${form}`);
      }
    }
    // The file embeds the letters of its texts.
    const drawn = async (frame: DataFrame) =>
      (await plotTimeline(frame, FIELD).svg()).replaceAll(/, as given|base64,[^")]*/g, "");
    const expected = await drawn(whole);
    for (const [form, frame] of forms) {
      ok(await drawn(frame) === expected, `plotTimeline, ${every}, ${form}`);
    }
  }
});

Deno.test("a period without a row is a gap, for analyses and plotTimeline", async () => {
  const own = drop(periodsOf("month")).select("date", "chain", "usd");
  const missing = new Date("2025-03-01");
  const frame = own.filter(pl.col("date").neq(pl.lit(missing).cast(pl.Date)));
  const growth = chainframe.growthRates(frame, FIELD)
    .filter(pl.col("chain").eq(pl.lit("elm"))).toRecords();
  const nulls = growth.filter((row) => row.usd_growth === null);
  deepStrictEqual(nulls.map(({ date }) => date), [new Date("2024-01-01"), new Date("2025-04-01")]);
  const changes = chainframe.contributions(frame, FIELD).toRecords()
    .filter(({ reason }) => reason !== null);
  ok(changes.some(({ date }) => Number(date) === Date.parse("2025-04-01")));
  const line = /aria-label="line"[^]*?<path[^>]* d="([^"]*)"/;
  const one = (given: DataFrame) =>
    plotTimeline(given.filter(pl.col("chain").eq(pl.lit("elm"))), FIELD).svg();
  deepStrictEqual(line.exec(await one(own))![1]!.match(/M/g)!.length, 1);
  deepStrictEqual(line.exec(await one(frame))![1]!.match(/M/g)!.length, 2);
});

Deno.test("times that are not at midnight are refused with the first one", () => {
  const noon = drop(periodsOf("month"))
    .withColumn(
      pl.col("date").cast(pl.Datetime("ms")).cast(pl.Int64).plus(4.32e7)
        .cast(pl.Datetime("ms")),
    );
  const refused = /date: has times of day, such as 2024-01-01T12:00:00 in row 0; make days of them/;
  const { topN: _, ...others } = ANALYSES;
  const charts = { plotTimeline: (frame: DataFrame, _: Date) => plotTimeline(frame, FIELD) };
  for (const [name, run] of Object.entries({ ...others, ...charts })) {
    throws(() => run(noon, new Date("2025-06-01")), { name: "RangeError", message: refused }, name);
  }
});

Deno.test("several text columns of own data are the entity", async () => {
  const rows = ["fees", "tvl"].flatMap((metric) =>
    ["arbor", "brook"].flatMap((origin) =>
      [1, 2, 3].map((day) => ({
        metric,
        origin,
        date: new Date(Date.UTC(2025, 0, day)),
        value: day * 10,
      }))
    )
  );
  const frame = pl.DataFrame({
    metric_key: rows.map(({ metric }) => metric),
    origin_key: rows.map(({ origin }) => origin),
    date: rows.map(({ date }) => date),
    value: rows.map(({ value }, at) => value + at),
  });
  const growth = chainframe.growthRates(frame, { field: "value" }).getColumn("value_growth");
  deepStrictEqual([...growth].filter((each) => each === null).length, 4);
  match(await plotTimeline(frame, { field: "value" }).svg(), /fees · brook/);
  const categories = frame.withColumns(
    ...["metric_key", "origin_key"].map((name) => pl.col(name).cast(pl.Categorical)),
  );
  deepStrictEqual(
    [...chainframe.growthRates(categories, { field: "value" }).getColumn("value_growth")],
    [...growth],
  );
  deepStrictEqual(chainframe.shares(frame, { field: "value" }).columns.slice(1, 3), [
    "metric_key",
    "origin_key",
  ]);
  const fees = frame.filter(pl.col("metric_key").eq(pl.lit("fees"))).drop("metric_key");
  deepStrictEqual(chainframe.shares(fees, { field: "value" }).columns[1], "origin_key");
});

/** The fees of two protocols on the given dates, without `until` and `complete`. */
function feesOn(dates: readonly string[], retrievedAt?: string): DataFrame {
  const rows = dates.flatMap((date, at) =>
    ["uni", "aave"].map((protocol) => ({ protocol, date: new Date(date), fees_usd: 10 + at }))
  );
  return withSource(pl.DataFrame(rows).withColumns(pl.col("date").cast(pl.Date)), {
    citation: "own",
    ...retrievedAt !== undefined && { retrievedAt },
    columns: { fees_usd: { unit: "usd", adds: "both" } },
  });
}

Deno.test("charts of fewer than three dates without until name no period", async () => {
  const months = ["2026-01-01", "2026-02-01", "2026-03-01"];
  const textsOf = async (dates: readonly string[]) => {
    const { title, subtitle } = await plotTimeline(feesOn(dates)).spec;
    return [title, subtitle].map(String);
  };
  deepStrictEqual(await textsOf(months.slice(0, 1)), [
    "Fees of 2 protocols, 1 Jan 2026",
    "US$",
  ]);
  deepStrictEqual(await textsOf(months.slice(0, 2)), [
    "Fees of 2 protocols, Jan 2026 to Feb 2026",
    "US$",
  ]);
  deepStrictEqual(await textsOf(months), [
    "Fees of 2 protocols, Jan 2026 to Mar 2026",
    "US$ a month",
  ]);
});

Deno.test("charts name quarters, years and weeks of other days and months by what they cover", async () => {
  const textsOf = async (dates: readonly string[]) => {
    const { title, subtitle } = await plotTimeline(feesOn(dates)).spec;
    return `${title}: ${subtitle}`.replace("Fees of 2 protocols, ", "");
  };
  const quarters = ["2021-11-01", "2022-02-01", "2022-05-01", "2022-08-01", "2022-11-01"];
  deepStrictEqual(await textsOf(quarters), "Nov 2021 to Jan 2023: US$ a quarter");
  deepStrictEqual(
    await textsOf(["2021-06-30", "2022-06-30", "2023-06-30"]),
    "Jul 2020 to Jun 2023: US$ a year",
  );
  deepStrictEqual(
    await textsOf(["2024-03-31", "2024-06-30", "2024-09-30"]),
    "Q1 2024 to Q3 2024: US$ a quarter",
  );
  deepStrictEqual(
    await textsOf(["2026-01-02", "2026-01-09", "2026-01-16"]),
    "27 Dec 2025 to 10 Jan 2026: US$ a week to Friday",
  );
  deepStrictEqual(
    await textsOf(["2026-01-04", "2026-01-11", "2026-01-18"]),
    "29 Dec 2025 to 12 Jan 2026: US$ a week",
  );
});

Deno.test("plotCounterfactual and plotScatter name the quarters of their dates", async () => {
  for (const side of ["date", "until"]) {
    const own = drop(periodsOf("quarter").withColumn(pl.col(side).alias("date")));
    const study = chainframe.counterfactual(own, {
      field: "usd",
      scale: "log",
      starts: { elm: "2024-10-01" },
    });
    match(String((await chainframe.plotCounterfactual(study).spec).title), /Q1 2021 to Q4 2025/);
    const { title, subtitle } = await chainframe.plotScatter(own, { x: "half", y: "usd" }).spec;
    match(`${title} ${subtitle}`, /Q1 2021 to Q4 2025/);
  }
});

Deno.test("an unfinished June of own months is no change of -49%, and without retrievedAt the caption says as given", async () => {
  const months = ["2026-04-01", "2026-05-01", "2026-06-01"];
  const june = (frame: DataFrame, column: string) =>
    frame.filter(pl.col("date").eq(pl.lit(new Date(months[2]!)).cast(pl.Date)))
      .getColumn(column).toArray();
  const [stated, given] = [feesOn(months, "2026-06-20"), feesOn(months)];
  deepStrictEqual(june(chainframe.growthRates(stated, { field: "fees_usd" }), "fees_usd_growth"), [
    null,
    null,
  ]);
  deepStrictEqual(june(chainframe.contributions(stated, { field: "fees_usd" }), "total"), [
    null,
    null,
  ]);
  ok(june(chainframe.growthRates(given, { field: "fees_usd" }), "fees_usd_growth")[0] !== null);
  const captionOf = async (frame: DataFrame) =>
    [(await plotTimeline(frame, { field: "fees_usd" }).spec).caption].flat().join(" ");
  match(await captionOf(stated), /Source: own\.$/);
  match(await captionOf(given), /Source: own, as given\.$/);
});
