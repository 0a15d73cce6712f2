import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import {
  type DataFrame,
  growthRates,
  indexed,
  openFrame,
  pl,
  plotTimeline,
  provenanceOf,
  resample,
  save,
  shares,
  withSource,
} from "../../mod.ts";
import { warned } from "./measured.ts";
import { inFolder } from "../in_folder.ts";

/** Fees of two shops in the months from January to June 2025. */
function months(options: object = {}): DataFrame {
  const rows = ["01", "02", "03", "04", "05", "06"].flatMap((month) =>
    ["north", "south"].map((shop) => ({ month: `2025-${month}`, shop, fees: 310 + Number(month) }))
  );
  return withSource(pl.DataFrame(rows), {
    citation: "own books",
    columns: { fees: { unit: "usd", adds: "both" } },
    ...options,
  });
}

/** The periods of a result that are complete. */
const wholeIn = (frame: DataFrame) =>
  shares(frame, { field: "fees" }).filter(
    pl.col("complete").and(pl.col("shop").eq(pl.lit("north"))),
  )
    .height;

Deno.test("through is the last day that own data covers, else it is the day before retrievedAt", () => {
  const cases: [options: object, complete: number][] = [
    [{}, 6],
    [{ through: "2025-05-31" }, 5],
    [{ through: "2025-05-30" }, 4],
    // A month means its last day.
    [{ through: "2025-05" }, 5],
    [{ through: new Date("2025-04-30") }, 4],
    [{ retrievedAt: "2025-06-01" }, 5],
    [{ retrievedAt: "2025-06-01T23:59:00+02:00" }, 5],
    [{ retrievedAt: "2025-06-01T00:30:00+02:00" }, 4],
    [{ retrievedAt: new Date("2025-07-01").toISOString() }, 6],
    [{ retrievedAt: "2025-06-01", through: "2025-03-31" }, 3],
    [{ retrievedAt: "2025-06-01", through: "2025-06-30" }, 6],
  ];
  for (const [options, complete] of cases) {
    equal(wholeIn(months(options)), complete, JSON.stringify(options));
  }
});

Deno.test("through is the default of resample, and the growth of later months is null", () => {
  const frame = months({ through: "2025-04-30" });
  deepEqual(
    growthRates(frame, { field: "fees" }).filter(pl.col("shop").eq(pl.lit("south")))
      .getColumn("fees_growth").toArray().map((growth) => growth === null),
    [true, false, false, false, true, true],
  );
  const [quarters] = warned(() => resample(frame, { every: "quarter" }));
  deepEqual(quarters.getColumn("complete").toArray(), [true, true, false, false]);
  // Rows that end before through decide.
  const [late] = warned(() => resample(months({ through: "2026-01-01" }), { every: "year" }));
  deepEqual(late.getColumn("complete").toArray(), [false, false]);
});

Deno.test("provenance, captions, files and combinations have through", async () => {
  const frame = months({ through: "2025-04-30", retrievedAt: "2025-06-02" });
  equal(provenanceOf(frame).data_through!.toISOString(), "2025-04-30T00:00:00.000Z");
  equal(provenanceOf(months()).data_through, null);
  const svg = await plotTimeline(frame, { field: "fees" }).svg();
  match(svg, /Source: own books, data through 30 Apr 2025/);
  ok(!svg.includes("as given"));
  await inFolder(async (folder) => {
    const path = join(folder, "fees.csv");
    await save(frame, path);
    const opened = await openFrame(path);
    equal(wholeIn(opened), 4);
    deepEqual(provenanceOf(opened), provenanceOf(frame));
  });
  // Of two sources, the one that ends first decides.
  const other = withSource(pl.DataFrame({ shop: ["north", "south"], size: [1, 2] }), {
    citation: "a list",
    retrievedAt: "2025-03-01",
  });
  equal(wholeIn(frame.join(other, { on: "shop" })), 2);
});

Deno.test("openFrame states through of a file", () =>
  inFolder(async (folder) => {
    const path = join(folder, "fees.csv");
    await Deno.writeTextFile(
      path,
      "date,shop,fees\n2025-01-01,a,3\n2025-02-01,a,4\n2025-03-01,a,5\n",
    );
    const frame = await openFrame(path, { citation: "a file", through: "2025-02" });
    const complete = indexed(frame, { field: "fees" });
    equal(provenanceOf(complete).data_through!.toISOString().slice(0, 10), "2025-02-28");
    deepEqual(
      growthRates(frame, { field: "fees", per: "period" }).getColumn("fees_growth").toArray(),
      [
        null,
        1 / 3,
        null,
      ],
    );
  }));
