import { deepEqual, equal, match, ok, throws } from "node:assert/strict";
import {
  concentration,
  contributions,
  counterfactual,
  type DataFrame,
  decompose,
  eventStudy,
  growthRates,
  indexed,
  pl,
  resample,
  rollingMean,
  shares,
  topN,
  withSource,
} from "../../../mod.ts";
import { warned } from "../measured.ts";

const day = (text: string) => new Date(`${text}T00:00:00Z`);

/** The sales of two shops at some dates. */
function sales(dates: readonly Date[], values?: readonly number[], until?: readonly Date[]) {
  const rows = dates.flatMap((date, at) =>
    ["east", "west"].map((shop) => ({
      date,
      ...until && { until: until[at]! },
      shop,
      sold: values?.[at] ?? 100 + at,
      price: 2,
      days: 3,
    }))
  );
  return withSource(pl.DataFrame(rows), {
    citation: "own",
    columns: {
      sold: { unit: "usd", adds: "both" },
      price: { adds: "none" },
      days: { adds: "none" },
    },
  });
}

const SOLD = { field: "sold" } as const;
const STEPS: Readonly<Record<string, (frame: DataFrame) => DataFrame>> = {
  growthRates: (f) => growthRates(f, SOLD),
  indexed: (f) => indexed(f, SOLD),
  rollingMean: (f) => rollingMean(f, { ...SOLD, periods: 2 }),
  contributions: (f) => contributions(f, SOLD),
  decompose: (f) => decompose(f, { product: "sold", factors: ["price", "days"] }),
};
const growthOf = (frame: DataFrame) =>
  growthRates(frame, SOLD).filter(pl.col("shop").eq(pl.lit("east"))).getColumn("sold_growth")
    .toArray().map((each) => each === null ? null : Math.round(1e6 * Number(each)) / 1e6);

Deno.test("dates at equal distances that fit no periods are refused, with a line that makes them fit", () => {
  const cases: [dates: string[], length: string | undefined, growth: unknown][] = [
    [["2025-01-15", "2025-02-15", "2025-03-15", "2025-04-15"], "1mo", [null, true, true, true]],
    // The last trading days of quarters.
    [["2024-03-28", "2024-06-28", "2024-09-30", "2024-12-31"], "1q", [null, true, true, true]],
    [["2022-12-30", "2023-12-29", "2024-12-31"], "1y", [null, true, true]],
    [["2025-01-06", "2025-01-20", "2025-02-03", "2025-02-17"], undefined, []],
    // The first working days of weeks.
    [["2025-01-07", "2025-01-13", "2025-01-20", "2025-01-27"], "1w", [null, true, true, true]],
  ];
  for (const [dates, length, growth] of cases) {
    const frame = sales(dates.map(day));
    for (const [fn, run] of Object.entries(STEPS)) {
      let message = "";
      throws(() => warned(() => run(frame)), (error: Error) => {
        message = error.message;
        return error instanceof RangeError;
      }, `${fn}, ${dates}`);
      const about =
        `${fn}: date: ${dates[0]} and ${dates[1]} are neither first nor last days of periods; ` +
        "add a column until, the last day of each period";
      ok(message.startsWith(about), message);
      const [, line] = /, or write (frame\..*)$/.exec(message) ?? [];
      equal(line, length && `frame.withColumns(pl.col("date").dt.truncate("${length}"))`);
      if (line === undefined) continue;
      const made: DataFrame = new Function("frame", "pl", `return ${line}`)(frame, pl);
      deepEqual(growthOf(made).map((each) => each === null ? null : each !== 0), growth);
    }
    // Functions that compare no periods read them as days.
    equal(shares(frame, SOLD).height, 2 * dates.length);
    equal(topN(frame, { ...SOLD, limit: 1 }).columns.includes("sold"), true);
  }
});

Deno.test("with until, periods have any length: the one before ends the day before, and sums are per day", () => {
  // A calendar of retail: months of four, four and five weeks.
  const lengths = [28, 28, 35, 28, 28, 35];
  const from = Date.UTC(2025, 1, 2) / 86_400_000;
  const starts = lengths.map((_, at) =>
    from + lengths.slice(0, at).reduce((sum, days) => sum + days, 0)
  );
  const dates = starts.map((start) => new Date(86_400_000 * start));
  const ends = starts.map((start, at) => new Date(86_400_000 * (start + lengths[at]! - 1)));
  const values = [14, 14, 17.5, 42, 42, 52.5];
  deepEqual(growthOf(sales(dates, values, ends)), [null, 0, 0, 2, 0, 0]);
  // A period that is missing has no growth after it.
  const gap = sales(dates, values, ends).filter(pl.col("date").neq(pl.lit(dates[2]!)));
  deepEqual(growthOf(gap), [null, 0, null, 0, 0]);
  // A month in until means its last day.
  const quarters = pl.DataFrame({
    date: ["2025-01", "2025-04", "2025-07"],
    until: ["2025-03", "2025-06", "2025-09"],
    shop: ["east", "east", "east"],
    sold: [90, 91, 184],
  });
  const stated = withSource(quarters, { citation: "own", columns: { sold: { adds: "both" } } });
  deepEqual(growthOf(stated), [null, 0, 1]);
  throws(
    () => growthRates(sales(dates.slice(0, 2), [1, 2], [day("2025-02-02"), day("2025-03-08")])),
    /date, until: expected days, weeks, .* of one length; got day, week/,
  );
  throws(
    () => shares(sales(dates.slice(0, 2), [1, 2], [day("2025-03-01"), day("2025-02-28")]), SOLD),
    /shares: until: must not be before date; got 2025-02-28 for 2025-03-02$/,
  );
  // Months and quarters that begin on one day.
  const both = stated.withColumn(pl.Series("until", ["2025-03", "2025-06", "2025-07"], pl.Utf8));
  const mixed = pl.concat([stated, both.withColumn(pl.lit("west").alias("shop"))]);
  for (const refused of [() => growthOf(mixed), () => resample(mixed, { every: "year" })]) {
    throws(
      refused,
      /until: periods of one date must have one length; got 2025-09-30 and 2025-07-31 for 2025-07-01/,
    );
  }
});

Deno.test("weeks of other days than Monday are noted where it decides, and have the growth of a year", () => {
  const fridays = Array.from({ length: 60 }, (_, at) => new Date(Date.UTC(2024, 0, 5 + 7 * at)));
  const frame = sales(fridays);
  const notice = /Fridays are read as the last days of weeks; add until if they are the first/;
  const [, notices] = warned(() => resample(frame, { every: "month", how: "sum" }));
  match(notices.join(" "), notice);
  const shops = pl.concat(
    ["a", "b", "c", "d", "e", "f", "g"].map((shop, at) =>
      sales(fridays, fridays.map((_, week) => 100 + at + week % 5 + (week * (at + 2)) % 3))
        .filter(pl.col("shop").eq(pl.lit("east"))).withColumn(pl.lit(shop).alias("shop"))
    ),
  );
  const starts = { a: "2024-12-20" };
  match(warned(() => counterfactual(shops, { ...SOLD, starts }))[1].join(" "), notice);
  match(
    warned(() => eventStudy(shops, { ...SOLD, starts: { ...starts, b: "2024-12-20" } }))[1].join(
      " ",
    ),
    notice,
  );
  // 10 January 2025 ends a week whose fourth day is in ISO week 2, as the one that ends on 12 January 2024.
  const year = growthRates(frame, { ...SOLD, periods: "year" })
    .filter(pl.col("date").eq(pl.lit(day("2025-01-10"))).and(pl.col("shop").eq(pl.lit("west"))));
  equal(year.getColumn("sold_growth").get(0), (153 - 101) / 101);
});

Deno.test("one date is a day", () => {
  const made = shares(sales([day("2025-01-01")], [10]), SOLD);
  deepEqual(made.select("total", "per").rows()[0], [20, "period"]);
});

Deno.test("a column of texts that holds times is the time, and numbers of dates are no values", () => {
  const texts = pl.DataFrame({
    shop: ["east", "west", "east", "west"],
    period: ["Jan 2025", "Jan 2025", "Feb 2025", "Feb 2025"],
    sold: [31, 62, 56, 28],
  });
  const described = withSource(texts, { citation: "own", columns: { sold: { adds: "both" } } });
  deepEqual(growthOf(described), [null, 1]);
  const digits = pl.DataFrame({
    date: [202501, 202502, 202503],
    shop: ["east", "east", "east"],
    sold: [1, 2, 3],
  });
  deepEqual(growthRates(digits).columns, ["date", "shop", "sold", "sold_growth"]);
});

Deno.test("concentration and topN sort by time, not by text", () => {
  const months = ["Apr 2025", "Jan 2025", "Dec 2024"];
  const frame = withSource(
    pl.DataFrame(
      months.flatMap((date, at) =>
        ["a", "b", "c"].map((shop, place) => ({ date, shop, sold: 1 + at * place + place }))
      ),
    ),
    { citation: "own", columns: { sold: { adds: "both" } } },
  );
  const order = ["Dec 2024", "Jan 2025", "Apr 2025"];
  deepEqual(concentration(frame, SOLD).getColumn("date").toArray(), order);
  const kept = topN(frame, { ...SOLD, limit: 1 });
  deepEqual(
    kept.filter(pl.col("shop").eq(pl.lit("c"))).getColumn("date").toArray(),
    order,
  );
});
