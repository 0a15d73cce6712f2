import { deepEqual, equal, match, throws } from "node:assert/strict";
import {
  concentration,
  counterfactual,
  type DataFrame,
  eventStudy,
  growthRates,
  openFrame,
  pl,
  resample,
  rollingMean,
  rowsOf,
  save,
  shares,
  topN,
  withSource,
} from "../../../mod.ts";
import { warned } from "../../analysis/measured.ts";

const dayAt = (day: number) => new Date(Date.UTC(2025, 0, 6 + day));

/** Daily values of protocols. Days without a value have no row. */
function daily(values: Readonly<Record<string, (day: number) => number | null>>, days: number) {
  const rows = Object.entries(values).flatMap(([protocol, at]) =>
    Array.from({ length: days }, (_, day) => ({ protocol, day: dayAt(day), fees: at(day) }))
  ).filter(({ fees }) => fees !== null);
  return withSource(pl.DataFrame(rows), {
    citation: "own",
    entity: "protocol",
    columns: { fees: { unit: "usd", adds: "both" } },
  });
}

const numbers = (frame: DataFrame, name: string) =>
  frame.getColumn(name).toArray().map((each) => each === null ? null : Number(each));

/** Three weeks at 10 a day, of which the second has 3 days. */
const weeks = (name = "fees") =>
  warned(() =>
    resample(
      daily({ oak: (day) => day < 7 || day > 10 ? 10 : null }, 21).rename({ fees: name }),
      { every: "week" },
    )
  )[0];

Deno.test("a week that lacks days does not fall", () => {
  deepEqual(numbers(weeks(), "fees"), [70, 30, 70]);
  deepEqual(numbers(growthRates(weeks()), "fees_growth"), [null, 0, 0]);
  deepEqual(numbers(rollingMean(weeks(), { periods: 3 }), "fees_mean"), [null, null, 70]);
  deepEqual(numbers(shares(weeks(), { field: "fees" }), "total"), [70, 70, 70]);
  // Sums can be taken as they are.
  const raw = numbers(growthRates(weeks(), { per: "period" }), "fees_growth");
  deepEqual(raw.map((each) => each && Number(each.toFixed(3))), [null, -0.571, 1.333]);
});

Deno.test("days of several entities are refused, because a sum has no more days than its period", () => {
  const made =
    warned(() =>
      resample(daily({ oak: () => 10, elm: (day) => day < 10 ? 5 : null }, 14), { every: "week" })
    )[0];
  const sums = made.groupBy("day", "until", "complete")
    .agg(pl.col("fees").sum(), pl.col("fees_days").sum())
    .sort("day")
    .withColumns(pl.lit("all").alias("group"));
  const message = /fees_days: must be at most the days of the period, 7; got 14 in row 0; days of/;
  for (
    const call of [
      () => growthRates(sums, { field: "fees", entity: "group" }),
      () => concentration(sums, { field: "fees" }),
    ]
  ) throws(call, { name: "RangeError", message });
});

Deno.test("the days of a sum belong to it by description, under any name and in files", async () => {
  const renamed = weeks().rename({ fees: "income", fees_days: "known" });
  deepEqual(numbers(growthRates(renamed, { field: "income" }), "income_growth"), [null, 0, 0]);
  // A column of another sum is not that of this one.
  const other = weeks().rename({ fees: "income" }).withColumn(pl.lit(1).alias("income_days"));
  deepEqual(numbers(growthRates(other, { field: "income" }), "income_growth"), [null, 0, 0]);
  const folder = await Deno.makeTempDir();
  try {
    await save(renamed, `${folder}/weeks.csv`);
    const opened = await openFrame(`${folder}/weeks.csv`);
    deepEqual(numbers(growthRates(opened, { field: "income" }), "income_growth"), [null, 0, 0]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const without = weeks().drop("fees_days");
  const [growth, notices] = warned(() => growthRates(without));
  match(notices.join(), /fees: the frame has no column of the days with a value/);
  equal(Number(numbers(growth, "fees_growth")[1]!.toFixed(3)), -0.571);
  deepEqual(warned(() => growthRates(without))[1], []);
});

Deno.test("an event study of constant protocols has no effect if days are missing", () => {
  const protocols = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [
      `p${at}`,
      (day: number) => at < 4 && day >= 70 && day % 7 > 2 ? null : 5 + at,
    ]),
  );
  const [frame] = warned(() => resample(daily(protocols, 140), { every: "week" }));
  const starts = Object.fromEntries([0, 1, 2, 3].map((at) => [`p${at}`, dayAt(70)]));
  const [study] = warned(() => eventStudy(frame, { field: "fees", starts, scale: "log" }));
  const overall = rowsOf(study).find((each) => each.row === "overall")!;
  equal(Math.abs(Number(overall.effect)) < 1e-12, true);
});

Deno.test("a counterfactual of weeks that lack days is that of whole weeks", () => {
  const frameOf = (isGap: (day: number) => boolean) =>
    warned(() =>
      resample(
        daily({
          oak: (day) => isGap(day) ? null : 20 + (day >= 70 ? 4 : 0),
          ...Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`p${at}`, (day) => 8 * at + day % 3])),
        }, 140),
        { every: "week" },
      )
    )[0];
  const fitted = [() => false, (day: number) => day >= 70 && day % 7 > 2].map((isGap) =>
    warned(() => counterfactual(frameOf(isGap), { field: "fees", starts: { oak: dayAt(70) } }))[0]
      .select("observed", "expected").rows()
  );
  deepEqual(fitted[1], fitted[0]);
});

Deno.test("concentration and topN compare sums of whole weeks", () => {
  const [frame] = warned(() =>
    resample(daily({ oak: (day) => day < 3 ? 10 : null, elm: () => 5 }, 7), { every: "week" })
  );
  const [row] = rowsOf(concentration(frame, { field: "fees" }));
  deepEqual([row!.total, Number(Number(row!.top_1_share).toFixed(4))], [105, 0.6667]);
  const top = warned(() => topN(frame, { field: "fees", limit: 1 }))[0];
  deepEqual(top.getColumn("protocol").toArray(), ["oak", "(other)"]);
});
