import { deepEqual, equal, match, throws } from "node:assert/strict";
import {
  concentration,
  contributions,
  growthRates,
  pl,
  plotTimeline,
  resample,
  rowsOf,
  withSource,
} from "../../../mod.ts";
import type { DataFrame } from "../../../mod.ts";
import { columnIn } from "../../../lib/table/track/descriptions.ts";
import { warned } from "../measured.ts";

const day = (text: string) => new Date(`${text}T00:00:00Z`);

/** Makes daily rows of protocols from the first to the last day, without the days that `skip` names. */
function daily(
  protocols: readonly string[],
  [from, to]: readonly [string, string],
  skip: (protocol: string, date: string) => boolean = () => false,
): DataFrame {
  const days = (day(to).getTime() - day(from).getTime()) / 86_400_000 + 1;
  const rows = Array.from(
    { length: days },
    (_, at) => new Date(day(from).getTime() + at * 86_400_000),
  ).flatMap((date) =>
    protocols.map((protocol) => ({ protocol, date, fees_usd: 10, tvl: 5, users: 3 }))
  ).filter(({ protocol, date }) => !skip(protocol, date.toISOString().slice(0, 10)));
  return withSource(pl.DataFrame(rows), {
    citation: "own",
    retrievedAt: "2025-03-20",
    columns: {
      fees_usd: { unit: "usd", adds: "both" },
      tvl: { unit: "usd", adds: "groups" },
      users: { unit: "users" },
    },
  });
}

const texts = (frame: DataFrame, ...columns: string[]) =>
  frame.select(...columns).rows().map((row) =>
    row.map((cell) => cell instanceof Date ? cell.toISOString().slice(0, 10) : cell)
  );

Deno.test("resample sums what adds up, takes the last level and the mean of users", () => {
  const [made] = warned(() =>
    resample(daily(["uni"], ["2025-01-01", "2025-03-19"]), { every: "month" })
  );
  deepEqual(made.columns, [
    ...["date", "until", "complete", "protocol", "fees_usd", "tvl", "users", "fees_usd_days"],
  ]);
  deepEqual(texts(made, "date", "until", "complete", "fees_usd", "tvl", "users", "fees_usd_days"), [
    ["2025-01-01", "2025-01-31", true, 310, 5, 3, 31],
    ["2025-02-01", "2025-02-28", true, 280, 5, 3, 28],
    ["2025-03-01", "2025-03-31", false, 190, 5, 3, 19],
  ]);
  // Growth is per day, and March is not over.
  deepEqual(growthRates(made, { field: "fees_usd" }).getColumn("fees_usd_growth").toArray(), [
    ...[null, 0, null],
  ]);
});

Deno.test("resample knows numbers of persons by the name of a column, and sums them if that is stated", () => {
  const rows = Array.from({ length: 31 }, (_, at) => (
    { pool: "oak", date: new Date(Date.UTC(2025, 0, 1 + at)), active_wallets: at % 2 ? 4 : 2 }
  ));
  const frame = pl.DataFrame(rows);
  const [month] = rowsOf(resample(frame, { every: "month" }));
  equal(Number(Number(month!.active_wallets).toFixed(4)), 2.9677);
  throws(
    () => resample(frame, { every: "month", how: "sum" }),
    /active_wallets cannot be summed: a user who is active on two days would count twice/,
  );
  const added = withSource(frame, { columns: { active_wallets: { adds: "both" } } });
  equal(rowsOf(resample(added, { every: "month" }))[0]!.active_wallets, 92);
});

Deno.test("means of days are not divided by the days of their months", () => {
  const frame = daily(["uni", "aave"], ["2025-01-01", "2025-02-28"]);
  const options = { every: "month", through: "2025-02-28" } as const;
  for (const [how, adds] of [["mean", "groups"], ["last", "groups"], ["max", "none"]] as const) {
    const made = resample(frame, { ...options, how: { fees_usd: how } });
    deepEqual(columnIn(made, "fees_usd")!.adds, adds);
    const [grown] = warned(() => growthRates(made, { field: "fees_usd" }));
    deepEqual(grown.getColumn("fees_usd_growth").toArray(), [null, null, 0, 0], how);
  }
});

Deno.test("units of persons are known in any case and with adjectives", () => {
  const frame = daily(["uni"], ["2025-01-01", "2025-01-31"]).select("protocol", "date", "users");
  const as = (unit: string) => withSource(frame, { columns: { users: { unit } } });
  const options = { every: "month", through: "2025-01-31" } as const;
  for (const unit of ["Wallets", "Active addresses", "daily_users"]) {
    const [made] = warned(() => resample(as(unit), options));
    deepEqual(made.getColumn("users").toArray(), [3], unit);
    throws(() => resample(as(unit), { ...options, how: "sum" }), /users cannot be summed: /);
    throws(() => concentration(as(unit), { field: "users" }), /can be counted in several of them/);
  }
});

Deno.test("periods of periods add up the days of their sums", () => {
  const frame = daily(
    ["uni", "aave"],
    ["2025-01-01", "2025-03-31"],
    (protocol, date) => protocol === "aave" && date >= "2025-02-03" && date <= "2025-02-28",
  ).drop("tvl", "users");
  const through = "2025-03-31";
  const quarters = (every: "month" | "week", rename: Record<string, string> = {}) =>
    warned(() =>
      resample(resample(frame, { every, through }).rename(rename), { every: "quarter", through })
    );
  const [made, told] = quarters("month");
  deepEqual(texts(made, "date", "protocol", "fees_usd", "fees_usd_days", "complete"), [
    ["2025-01-01", "uni", 900, 90, true],
    ["2025-01-01", "aave", 640, 64, true],
  ]);
  match(
    told.at(-1)!,
    /^resample: 1 sum lacks days, most of all aave: 64 of 90 days of the quarter/,
  );
  // A column that how names is one of values.
  const [monthly] = warned(() => resample(frame, { every: "month", through }));
  const how = { fees_usd: "mean", fees_usd_days: "max" } as const;
  const [named] = warned(() => resample(monthly, { every: "quarter", through, how }));
  deepEqual(named.getColumn("fees_usd_days").toArray(), [31, 31]);
  const [renamed] = quarters("month", { fees_usd: "fees" });
  deepEqual(texts(renamed, "fees", "fees_days"), [[900, 90], [640, 64]]);
  // The week of 30 December is split between two quarters.
  const [weeks] = quarters("week");
  deepEqual(
    weeks.filter(pl.col("protocol").eq(pl.lit("uni"))).getColumn("fees_usd_days").sum(),
    90,
  );
});

Deno.test("resample counts the days with a value, and values per day are divided by them", () => {
  const frame = daily(
    ["uni", "aave"],
    ["2025-01-01", "2025-03-19"],
    (protocol, date) => protocol === "aave" && date >= "2025-02-03" && date <= "2025-02-28",
  );
  const [made, notices] = warned(() => resample(frame, { every: "month" }));
  deepEqual(notices, [
    "resample: 1 sum lacks days, most of all aave: 2 of 28 days of Feb 2025; a missing day is not " +
    "0; pass missing: 0 if it is",
  ]);
  const february = rowsOf(made).filter((row) => row.date.getUTCMonth() === 1);
  deepEqual(february.map((row) => [row.protocol, row.fees_usd, row.fees_usd_days, row.complete]), [
    ["uni", 280, 28, true],
    ["aave", 20, 2, true],
  ]);
  deepEqual(
    rowsOf(growthRates(made, { field: "fees_usd" })).map((row) => row.fees_usd_growth),
    [null, null, 0, 0, null, null],
  );
  const changed = rowsOf(contributions(made, { field: "fees_usd" }));
  deepEqual(changed.filter((row) => row.date.getUTCMonth() === 1).map((row) => row.total), [0, 0]);
  const [zeros, silent] = warned(() => resample(frame, { every: "month", missing: 0 }));
  deepEqual(silent, []);
  deepEqual(
    rowsOf(zeros).filter((row) => row.protocol === "aave").map((
      row,
    ) => [row.fees_usd, row.fees_usd_days]),
    [[310, 31], [20, 28], [190, 19]],
  );
});

Deno.test("resample with missing 0 adds periods without a row, and does not count days of null", () => {
  const frame = withSource(
    pl.DataFrame({
      protocol: ["a", "a", "b", "b"],
      date: [day("2025-01-06"), day("2025-01-20"), day("2025-01-13"), day("2025-01-20")],
      fees: [1, 2, 3, null],
    }),
    { citation: "own", columns: { fees: { unit: "usd", adds: "both" } } },
  );
  const made = resample(frame, { every: "week", missing: 0, through: "2025-01-26" });
  deepEqual(texts(made, "date", "protocol", "fees", "fees_days"), [
    ["2025-01-06", "a", 1, 7],
    ["2025-01-13", "b", 3, 7],
    ["2025-01-13", "a", 0, 7],
    ["2025-01-20", "a", 2, 7],
    ["2025-01-20", "b", 0, 6],
  ]);
});

Deno.test("a period of resample is complete if it ends by through", () => {
  const frame = daily(["uni"], ["2025-01-01", "2025-01-31"]);
  const complete = (through?: string) =>
    warned(() => resample(frame, { every: "month", ...through !== undefined && { through } }))[0]
      .getColumn("complete").toArray();
  deepEqual([complete(), complete("2025-01-30"), complete("2025-02-10")], [[true], [false], [
    true,
  ]]);
});

Deno.test("resample refuses sums of users and levels, and columns whose rule is not known", () => {
  const frame = daily(["uni"], ["2025-01-01", "2025-01-03"]);
  const refused = (options: object, message: RegExp, of = frame) =>
    throws(() => resample(of, { every: "month", ...options }), message);
  refused({ how: { users: "sum" } }, /users cannot be summed: a user who is active on two days/);
  refused({ how: { tvl: "sum" } }, /tvl cannot be summed: it is a level; use last, mean or max/);
  refused({ how: { gas: "sum" } }, /how: gas is not a column of numbers; got fees_usd, tvl, users/);
  refused({ every: "decade" }, /every: /);
  refused({ zone: "Mars" }, /zone: must be a time zone/);
  const unknown = pl.DataFrame({ protocol: ["a"], date: [day("2025-01-01")], fees: [1] });
  refused(
    {},
    /how: it is not known how to combine the days of fees; pass how: \{ "fees": "sum" \}, or state: with/,
    unknown,
  );
  equal(resample(unknown, { every: "month", how: "sum" }).getColumn("fees").get(0), 1);
  refused({}, /two rows have the same protocol, date/, pl.concat([unknown, unknown]));
});

Deno.test("resample needs a zone for times of day, and then uses its days", () => {
  const at = (text: string) => new Date(text);
  const frame = withSource(
    pl.DataFrame({
      protocol: ["a", "a", "a"],
      date: [at("2025-01-31T23:30:00Z"), at("2025-02-01T02:00:00Z"), at("2025-02-01T06:00:00Z")],
      fees: [1, 2, 4],
    }),
    { citation: "own", columns: { fees: { unit: "usd", adds: "both" } } },
  );
  throws(
    () => resample(frame, { every: "month" }),
    /zone: is required, such as "UTC", because there are times of day: date 2025-01-31T23:30:00$/,
  );
  const sums = (zone: string) =>
    warned(() => resample(frame, { every: "month", zone }))[0].getColumn("fees").toArray();
  deepEqual([sums("UTC"), sums("America/New_York")], [[1, 6], [3, 4]]);
});

Deno.test("a chart of users that resample averages says that they are means of days", () => {
  const [made] = warned(() =>
    resample(daily(["uni"], ["2025-01-01", "2025-03-19"]), { every: "month" })
  );
  equal(
    plotTimeline(made, { field: "users" }).title,
    "Users, mean of days: uni, Jan 2025 to Feb 2025",
  );
});

Deno.test("resample begins weeks on Monday and quarters on their first day", () => {
  const frame = daily(["uni"], ["2024-12-28", "2025-01-07"]);
  const starts = (every: "week" | "quarter" | "year") =>
    warned(() => texts(resample(frame, { every }), "date"))[0].flat();
  deepEqual(starts("week"), ["2024-12-23", "2024-12-30", "2025-01-06"]);
  deepEqual(starts("quarter"), ["2024-10-01", "2025-01-01"]);
  deepEqual(starts("year"), ["2024-01-01", "2025-01-01"]);
});

Deno.test("resample drops texts of which an entity has several, and says so", () => {
  const frame = daily(["uni"], ["2025-01-01", "2025-01-02"]).withColumn(
    pl.Series("note", ["estimate", "final"], pl.Utf8),
  ).withColumn(pl.lit("dex").alias("sector"));
  const [made, notices] = warned(() => resample(frame, { every: "month" }));
  match(notices[0]!, /left out note \(is text\): an entity has several values of it/);
  equal(made.getColumn("sector").get(0), "dex");
});

Deno.test("resample leaves out a column that numbers the rows, if how does not name it", () => {
  const rows = pl.DataFrame({
    id: [7, 8, 9, 10],
    day: ["2025-01-01", "2025-01-02", "2025-02-01", "2025-02-02"],
    index: [101.5, 102, 99, 100],
    protocol: ["a", "a", "a", "a"],
  });
  const [made, notices] = warned(() => resample(rows, { every: "month", how: "mean" }));
  match(notices.join(), /resample: left out id, which numbers the rows/);
  deepEqual(made.columns, ["day", "until", "complete", "protocol", "index"]);
  const named = resample(rows, { every: "month", how: { id: "max", index: "mean" } });
  deepEqual(named.getColumn("id").toArray(), [8, 10]);
});

Deno.test("resample takes entities whose column is named as one of its own sums", () => {
  for (const name of ["days", "all"]) {
    const frame = pl.DataFrame({
      [name]: ["a", "a"],
      date: ["2025-01-05", "2025-02-03"],
      fees: [1, 2],
    })
      .withColumn(pl.col("date").str.strptime(pl.Date, "%Y-%m-%d"));
    const [months] = warned(() => resample(frame, { every: "month", how: "sum" }));
    deepEqual(months.getColumn("fees").toArray(), [1, 2]);
  }
});
