import { deepEqual, equal, throws } from "node:assert/strict";
import {
  check,
  concentration,
  type DataFrame,
  growthRates,
  indexed,
  pl,
  plotTimeline,
  rollingMean,
  topN,
  withSource,
} from "../../../mod.ts";
import { warned } from "../../analysis/measured.ts";

const QUARTERS = Array.from({ length: 27 }, (_, at) => new Date(Date.UTC(2017, 3 * at + 3, 0)));
const digits = (date: Date) => Number(date.toISOString().slice(0, 10).replaceAll("-", ""));

/** Forms of the last days of quarters, as numbers. */
const NUMBERS: Readonly<Record<string, readonly [(date: Date) => number, "Float64" | "Int64"]>> = {
  digits: [digits, "Int64"],
  seconds: [(date) => date.getTime() / 1000, "Int64"],
  milliseconds: [(date) => date.getTime(), "Float64"],
  microseconds: [(date) => date.getTime() * 1000, "Int64"],
};

/** Two ports over the quarters, with a quarter that is absent, a spike, and a last quarter that is not over. */
function ports(times: (dates: readonly Date[]) => ReturnType<typeof pl.Series>): DataFrame {
  const rows = QUARTERS.flatMap((date, at) =>
    at === 5 ? [] : ["Oslo", "Genoa"].map((port, k) => ({
      date,
      port,
      tons: 321 + 50 * k + (at * (k + 3)) % 11,
    }))
  ).map((row, at) => at === 25 ? { ...row, tons: 30 * row.tons } : row);
  const frame = pl.DataFrame([
    times(rows.map(({ date }) => date)),
    pl.Series("port", rows.map(({ port }) => port), pl.Utf8),
    pl.Series("tons", rows.map(({ tons }) => tons), pl.Float64),
  ]);
  return withSource(frame, {
    citation: "a test",
    date: "when",
    through: "2023-08-20",
    columns: { tons: { adds: "both" } },
  });
}

const FIELD = { field: "tons" } as const;
const CHARTS: Readonly<Record<string, (frame: DataFrame) => DataFrame>> = {
  "the frame": (frame) => frame,
  growthRates: (frame) => growthRates(frame, FIELD),
  indexed: (frame) => indexed(frame, FIELD),
  rollingMean: (frame) => rollingMean(frame, { ...FIELD, periods: 3 }),
  topN: (frame) => topN(frame, { ...FIELD, limit: 1 }),
  concentration: (frame) => concentration(frame, FIELD),
};

Deno.test("numbers that are stated as times are drawn as dates, and check reads them", async () => {
  const dated = ports((dates) => pl.Series("when", [...dates], pl.Datetime("ms")).cast(pl.Date));
  for (const [form, [write, dtype]] of Object.entries(NUMBERS)) {
    const frame = ports((dates) => pl.Series("when", dates.map(write), pl.Float64).cast(pl[dtype]));
    for (const [name, run] of Object.entries(CHARTS)) {
      const [[got, expected]] = warned(() => [
        plotTimeline(run(frame)),
        plotTimeline(run(dated)),
      ]);
      equal(await got!.svg() === await expected!.svg(), true, `${name}, ${form}`);
    }
    const findings = (given: DataFrame) =>
      check(given).select("field", "rule", "value", "severity").rows();
    deepEqual(findings(frame), findings(dated), form);
    deepEqual(findings(frame).map(([field, rule]) => `${field}: ${rule}`), [
      "when: no missing period",
      "when: no missing period",
      "tons: no spike",
    ]);
  }
});

Deno.test("stated times that are not read as days are refused, as those of a column date are", async () => {
  const draw = (times: readonly (number | string)[]) => () =>
    plotTimeline(
      withSource(pl.DataFrame({ when: times, tons: times.map((_, at) => at) }), {
        citation: "a test",
        date: "when",
      }),
    );
  throws(draw([45688, 45716, 45747]), {
    name: "RangeError",
    message: /when: expected days, months, quarters or years, .* got 45688/,
  });
  const hours = ["2025-03-01T06:00:00Z", "2025-03-01T07:00:00Z", "2025-03-01T08:00:00Z"];
  const refused = { name: "RangeError", message: /when: has times of day, .* make days of them/ };
  throws(draw(hours), refused);
  throws(draw(hours.map((text) => Date.parse(text) / 1000)), refused);
  // Numbers that are not stated stay numbers.
  const plain = pl.DataFrame({ block: [20250131, 20250228], tons: [1, 2] });
  const { rows } = await plotTimeline(plain, { x: "block", field: "tons" }).spec;
  deepEqual(rows.map(({ x }) => x), [20250131, 20250228]);
});

Deno.test("one or two dates whose form states a period are named as this period", async () => {
  const words = async (times: readonly (string | number)[]) => {
    const frame = pl.DataFrame({ date: times, tons: times.map((_, at) => at + 3) });
    const { title, subtitle } = await plotTimeline(
      withSource(frame, { citation: "a test", columns: { tons: { unit: "usd", adds: "both" } } }),
      FIELD,
    ).spec;
    return [title, subtitle];
  };
  deepEqual(await words(["2022-Q2"]), ["Tons, Q2 2022", "US$"]);
  deepEqual(await words(["Q1 2022", "Q2 2022"]), ["Tons, Q1 2022 to Q2 2022", "US$ a quarter"]);
  deepEqual(await words([202203]), ["Tons, Mar 2022", "US$"]);
  deepEqual(await words([2021, 2022]), ["Tons, 2021 to 2022", "US$ a year"]);
  // Two first days can be of months or of quarters.
  deepEqual(await words(["2022-01-01", "2022-04-01"]), ["Tons, Jan 2022 to Apr 2022", "US$"]);
});
