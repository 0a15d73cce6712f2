import fc from "fast-check";
import { deepStrictEqual as equal } from "node:assert/strict";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { AMOUNT_MACROS, amountOf } from "../../lib/service/facts/amounts.ts";

/** The amount to nine decimals, half away from zero: by whole numbers. */
function exactly(text: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i
    .exec(text)!;
  const places = Number(exponent) - fraction.length + 9;
  const digits = BigInt(whole + fraction);
  const unit = 10n ** BigInt(Math.abs(places));
  const nanos = places >= 0 ? digits * unit : (2n * digits + unit) / (2n * unit);
  const padded = String(nanos).padStart(10, "0");
  const shown = `${padded.slice(0, -9)}.${padded.slice(-9)}`;
  return sign === "-" && nanos !== 0n ? `-${shown}` : shown;
}

const database = await openDuckdb();
await database.run(AMOUNT_MACROS);
Deno.test.afterAll(() => database.close());

async function read(texts: readonly string[], type: string) {
  const value = `CAST(text AS ${type})`;
  const rows = await database.rows(
    `SELECT CAST(${amountOf(value, type)} AS VARCHAR) AS amount
     FROM (SELECT unnest($texts) AS text)`,
    { texts },
  );
  return rows.map(({ amount }) => amount);
}

const digits = (max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: max })
    .map((list) => list.join(""));

Deno.test("amountOf reads any decimal text to nine decimals", async () => {
  const text = fc.tuple(
    fc.constantFrom("", "-"),
    digits(14),
    fc.option(fc.oneof(digits(40), digits(9).map((all) => `${all.padEnd(9, "0")}5`))),
    fc.option(fc.integer({ min: -30, max: 12 })),
  ).map(([sign, whole, fraction, exponent]) =>
    `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${
      exponent === null ? "" : `e${exponent}`
    }`
  ).filter((text) => Math.abs(Number(text)) <= 1e15);
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 200, maxLength: 400 }), async (texts) => {
      equal(await read(texts, "VARCHAR"), texts.map(exactly));
    }),
    { numRuns: 20, seed: 9 },
  );
});

Deno.test("amountOf reads a double by its shortest text", async () => {
  const double = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: -12, max: 15 }),
    fc.integer({ min: 0, max: 17 }),
  ).map(([part, power, decimals]) => Number((part * 10 ** power).toFixed(decimals)));
  await fc.assert(
    fc.asyncProperty(fc.array(double, { minLength: 200, maxLength: 400 }), async (values) => {
      const texts = values.map(String);
      equal(await read(texts, "DOUBLE"), texts.map(exactly));
    }),
    { numRuns: 20, seed: 9 },
  );
  equal(await read(["1e15", "0.1", "4000000.1", "0.30000000000000004", "1e-300"], "DOUBLE"), [
    "1000000000000000.000000000",
    "0.100000000",
    "4000000.100000000",
    "0.300000000",
    "0.000000000",
  ]);
});

Deno.test("amountOf accepts whole numbers and decimals unchanged", async () => {
  equal(await read(["12"], "INTEGER"), ["12.000000000"]);
  equal(await read(["0.05"], "DECIMAL(18,6)"), ["0.050000000"]);
  equal(await read(["0.1"], "FLOAT"), ["0.100000000"]);
  equal(await read(["0.0000000015"], "DECIMAL(18,12)"), ["0.000000002"]);
});
