/** Random frames, and sums of what the series analyses return for them. Run with a path of mod.ts to print a CSV. */
import { createHash } from "node:crypto";
import type { DataFrame } from "../../../mod.ts";

type Library = typeof import("../../../mod.ts");

const STEPS = { day: 1, week: 7, month: 0 } as const;

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Makes a frame of entities over time: gaps, zeros, late entries, exits, a giant and an unfinished last period. */
function randomFrame({ pl, withSource }: Library, seed: number): DataFrame {
  const random = randomOf(seed);
  const every = (["day", "week", "month"] as const)[seed % 3]!;
  const entities = 2 + Math.floor(random() * 5);
  const periods = 6 + Math.floor(random() * 12);
  const startOf = (at: number) =>
    every === "month" ? Date.UTC(2024, at) : Date.UTC(2024, 0, 1 + at * STEPS[every]);
  const rows: Record<string, unknown>[] = [];
  const from = Array.from(
    { length: entities },
    () => random() < 0.3 ? Math.floor(random() * 4) : 0,
  );
  const to = from.map(() => random() < 0.3 ? periods - 1 - Math.floor(random() * 3) : periods);
  for (let at = 0; at < periods; at++) {
    for (let entity = 0; entity < entities; entity++) {
      if (at < from[entity]! || at >= to[entity]! || random() < 0.05) continue;
      const size = entity === 0 ? 1e6 : 100 * (entity + 1);
      const users = Math.floor(1 + random() * 50);
      const price = random() < 0.05 ? 0 : size * (0.5 + random());
      rows.push({
        protocol: `p${entity}`,
        date: new Date(startOf(at)),
        until: new Date(startOf(at + 1) - 86_400_000),
        fees: random() < 0.05 ? null : users * price,
        users,
        price,
        complete: at < periods - 1,
      });
    }
  }
  const made = pl.DataFrame(rows);
  const frame = made.withColumns(
    pl.col("date").cast(pl.Date).alias("date"),
    pl.col("until").cast(pl.Date).alias("until"),
  );
  const adds = seed % 2 === 0 ? "both" as const : "groups" as const;
  const columns = { fees: { unit: "usd", adds }, price: { unit: "usd" } };
  return withSource(frame, { citation: "random", columns });
}

/** The number of random frames. */
export const FRAMES = 40;

/** The number of random frames of the fast tests. The slow tests have the others. */
export const FAST_FRAMES = 10;

/**
 * Returns lines `seed,function,column,nulls,sum` for the seeds from `first` to before `end`. The sum weighs each value by
 * its entity and date.
 */
export function keptLines(library: Library, first = 0, end = FRAMES): string[] {
  const { contributions, decompose, growthRates, indexed, rollingMean, rowsOf, shares, pl } =
    library;
  const functions: Record<string, (frame: DataFrame) => DataFrame> = {
    growthRates: (frame) => growthRates(frame, { field: "fees" }),
    growthRates2: (frame) => growthRates(frame, { field: "fees", periods: 2, per: "period" }),
    indexed: (frame) => indexed(frame, { field: "fees" }),
    rollingMean: (frame) => rollingMean(frame, { field: "fees", periods: 3 }),
    contributions: (frame) => contributions(frame, { field: "fees" }),
    shares: (frame) => shares(frame, { field: "fees" }),
    decompose: (frame) =>
      decompose(
        frame.withColumn(pl.col("users").mul(pl.col("price")).alias("fees")),
        { product: "fees", factors: ["users", "price"], per: "period" },
      ),
  };
  const weight = (text: string) => createHash("sha256").update(text).digest()[0]! / 256 + 0.5;
  return Array.from(
    { length: end - first },
    (_, at) => first + at,
  ).flatMap((seed) =>
    Object.entries(functions).flatMap(([name, analyze]) => {
      const result = analyze(randomFrame(library, seed));
      const rows = rowsOf(result) as Record<string, unknown>[];
      const given = new Set(["protocol", "date", "until", "fees", "users", "price", "complete"]);
      return result.columns.filter((column) => !given.has(column)).map((column) => {
        const nulls = rows.filter((row) => row[column] === null).length;
        const sum = rows.reduce((all, row) => {
          const value = row[column];
          const key = weight(`${row.protocol} ${row.date} ${row.factor ?? ""}`);
          return all + key * (typeof value === "number" ? value : weight(String(value)));
        }, 0);
        return [seed, name, column, nulls, sum.toPrecision(15)].join(",");
      });
    })
  );
}

if (import.meta.main) {
  const lines = keptLines(await import(Deno.args[0]!));
  console.log(["seed,function,column,nulls,sum", ...lines].join("\n"));
}
