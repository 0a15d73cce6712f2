import { deepStrictEqual as equal } from "node:assert/strict";
import { numberText } from "../../lib/service/datasets/aggregation_text.ts";
import { openDuckdb } from "../../lib/service/engine/duckdb.ts";
import { seededRandom } from "./seeded_random.ts";

async function written(numbers: readonly number[]): Promise<unknown[]> {
  const database = await openDuckdb();
  try {
    const literals = numbers.map((number) =>
      `CAST('${Object.is(number, -0) ? "-0" : number}' AS DOUBLE)`
    );
    const rows = await database.rows(
      `SELECT ${numberText("v")} AS text FROM (SELECT unnest([${literals.join(", ")}]) AS v)`,
    );
    return rows.map(({ text }) => text);
  } finally {
    database.close();
  }
}

Deno.test("numberText writes a double as JavaScript does", async () => {
  equal(
    await written([
      0,
      -0,
      5,
      -1,
      0.1,
      1e-6,
      -1.5e-5,
      1e-7,
      -1.25e-7,
      1e15,
      2 ** 53,
      1.5e20,
      1e21,
      -1e300,
    ]),
    [
      "0",
      "0",
      "5",
      "-1",
      "0.1",
      "0.000001",
      "-0.000015",
      "1e-7",
      "-1.25e-7",
      "1000000000000000",
      "9007199254740992",
      "150000000000000000000",
      "1e+21",
      "-1e+300",
    ],
  );
});

Deno.test("numberText writes random doubles of every size as JavaScript does", async () => {
  const random = seededRandom(21);
  const numbers = Array.from({ length: 4_000 }, (_, index) => {
    const size = 10 ** Math.floor(random() * 60 - 25);
    const number = (random() - 0.5) * size;
    return index % 3 === 0 && size >= 1 ? Math.round(number) : number;
  });
  equal(await written(numbers), numbers.map(String));
});
