import { deepStrictEqual } from "node:assert/strict";
import { pl as bare } from "../../../lib/table/columns/polars.ts";
import { columnIn } from "../../../lib/table/track/descriptions.ts";
import { sql } from "../../../lib/table/track/sql.ts";
import { bareOf as plain } from "../../../lib/table/track/track.ts";
import { trackedPolars } from "../../../lib/table/track/tracked_polars.ts";
import { described } from "../described.ts";

// deno-lint-ignore no-explicit-any -- eager and lazy frames have the same steps
type Stage = any;
/** The unit of each column, by the rule of this file. */
type Units = Readonly<Record<string, string | null>>;

const NAMES = ["fees", "users", "gas", "x", "y"];

/** Returns numbers from 0 to below `below` that are the same in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Expressions of a column that keep its unit, and expressions whose result has another unit or none. */
const KEEP: ((column: Stage) => Stage)[] = [
  (column) => column,
  (column) => column.round(1),
  (column) => column.fillNull(trackedPolars.lit(0)),
  (column) => column.abs().round(2),
  (column) => column.sum().over("id"),
  (column) => column.shift(1).alias("between"),
];
const LOSE: ((column: Stage) => Stage)[] = [
  (column) => column.cast(trackedPolars.Int64),
  (column) => column.mul(trackedPolars.lit(2)),
  (column) => column.add(trackedPolars.col("id").isNull().cast(trackedPolars.Float64)),
  (column) => column.count().over("id"),
  (column) => column.mul(trackedPolars.lit(2)).alias("between").round(1),
  (column) => trackedPolars.when(column.gt(1)).then(column).otherwise(trackedPolars.lit(0)),
  (column) => column.fillNull(trackedPolars.col("id").isNull().cast(trackedPolars.Float64)),
];
const SUMS: [(column: Stage) => Stage, boolean][] = [
  ...["sum", "mean", "max", "first"].map((name) =>
    [(column: Stage) => column[name](), true] as [(column: Stage) => Stage, boolean]
  ),
  [(column) => column.count(), false],
  [(column) => column.nUnique(), false],
  [(column) => column.filter(column.gt(0)).sum(), true],
  [(column) => column.sum().div(column.count()), false],
];

function bareOf(frame: Stage): Stage {
  return plain(frame);
}

/** Applies one random step to a frame and, by a rule of its own, to its units. */
function step(frame: Stage, units: Units, random: (below: number) => number): [Stage, Units] {
  const one = <Value>(values: readonly Value[]) => values[random(values.length)]!;
  const names = Object.keys(units);
  const numbers = names.filter((name) => name !== "id");
  const lazy = frame[Symbol.toStringTag] === "LazyDataFrame";
  const made = (to: string, from: string): [Stage, string | null] => {
    const keeps = random(2) === 0;
    const expression = one(keeps ? KEEP : LOSE)(trackedPolars.col(from)).alias(to);
    return [expression, keeps ? units[from]! : null];
  };
  const other = (unit: string) =>
    described(bare.DataFrame({ id: ["a", "b"], fees: [1, 2], z: [3, 4] }), [
      unit as "usd",
      "fees",
      "z",
    ]);
  switch (random(lazy ? 9 : 14)) {
    case 0: {
      // Each column gets the name of another one.
      const shifted = numbers.map((name, at) =>
        [name, numbers[(at + 1) % numbers.length]!] as const
      );
      return [
        frame.select("id", ...shifted.map(([from, to]) => trackedPolars.col(from).alias(to))),
        { id: null, ...Object.fromEntries(shifted.map(([from, to]) => [to, units[from]!])) },
      ];
    }
    case 1: {
      const to = one(NAMES);
      const [expression, unit] = made(to, one(numbers));
      return [frame.withColumns(expression), { ...units, [to]: unit }];
    }
    case 2: {
      const to = one(NAMES);
      const [expression, unit] = made(to, one(numbers));
      return [frame.select("id", expression), { id: null, [to]: unit }];
    }
    case 3: {
      const [sum, keeps] = one(SUMS);
      const [from, to] = [one(numbers), one(NAMES)];
      return [
        frame.groupBy("id").agg(sum(trackedPolars.col(from)).alias(to)),
        { id: null, [to]: keeps ? units[from]! : null },
      ];
    }
    case 4: {
      const unit = one(["usd", "gas"]);
      const right = lazy ? other(unit).lazy() : other(unit);
      const again = lazy ? "feesright" : "fees_right";
      if (names.includes("z") || names.includes(again)) return [frame.head(2), units];
      return [
        frame.join(right, { on: "id", how: "left" }),
        { ...units, ...names.includes("fees") ? { [again]: null } : { fees: unit }, z: unit },
      ];
    }
    case 5: {
      const [from, to] = [one(numbers), "renamed"];
      if (names.includes(to)) return [frame.drop(to), omit(units, to)];
      return [frame.rename({ [from]: to }), { ...omit(units, from), [to]: units[from]! }];
    }
    case 6: {
      const gone = one(numbers);
      if (numbers.length < 2) return [frame.select(trackedPolars.all()), units];
      return [frame.select(trackedPolars.all().exclude(gone)), omit(units, gone)];
    }
    case 7:
      return [frame.sort(one(numbers)).filter(trackedPolars.col("id").isNotNull()), units];
    case 8:
      return lazy ? [frame.collectSync(), units] : [frame.lazy(), units];
    case 9: {
      const [from, to] = [one(numbers), one(NAMES)];
      const text = one([`${from} AS ${to}`, `t.${from} as ${to}`, `"${from}" as ${to}`]);
      return [sql(`select id, ${text} from t`, { t: frame }), {
        id: null,
        [to]: text.startsWith('"') ? null : units[from]!,
      }];
    }
    case 10: {
      const [from, to] = [one(numbers), one(NAMES)];
      const text = one([
        `sum(${from})`,
        `count(${from})`,
        `max(coalesce(${from}, 1, 2))`,
        "sum(length(' from '))",
      ]);
      return [sql(`select id, ${text} as ${to} from t group by id`, { t: frame }), {
        id: null,
        [to]: null,
      }];
    }
    case 11: {
      const [from, to] = [one(numbers), one(numbers)];
      const query = `select id, ${from} as x from t union all select id, ${to} from t`;
      return [sql(query, { t: frame }), { id: null, x: null }];
    }
    case 12: {
      const [from, to] = [one(numbers), one(NAMES)];
      const wide = frame.unique({ subset: ["id"] }).pivot({
        index: "id",
        on: "id",
        values: from,
        aggregateFunc: "first",
      });
      const [, column] = wide.columns as string[];
      return [wide.rename({ [column!]: to }).select("id", to), { id: null, [to]: null }];
    }
    default: {
      const from = one(numbers);
      const upper = frame.select("id", trackedPolars.col(from).alias("fees"));
      const types = { fees: trackedPolars.Float64 } as const;
      const lower = bare.DataFrame({ id: ["c"], fees: [1] }, {
        schema: { id: trackedPolars.Utf8, ...types },
      });
      const stacked = trackedPolars.concat([
        described(
          bareOf(upper).withColumns(trackedPolars.col("fees").cast(trackedPolars.Float64)),
          [
            units[from] as "usd" ?? "number",
            "fees",
          ],
        ),
        described(lower, ["usd", "fees"]),
      ]);
      return [stacked, { id: null, fees: units[from] === "usd" ? "usd" : null }];
    }
  }
}

function omit(units: Units, name: string): Units {
  return Object.fromEntries(Object.entries(units).filter(([each]) => each !== name));
}

Deno.test("300 random chains of steps have the units of a rule written by hand", () => {
  let kept = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const random = seeded(seed);
    const begin = bare.DataFrame({
      id: ["a", "b", "b"],
      fees: [1, 2, 3],
      users: [4, 5, 6],
      gas: [7, 8, null],
      x: [10.5, 11, 12],
    });
    let frame: Stage = described(begin, ["usd", "fees"], ["users", "users"], ["gas", "gas"]);
    let units: Units = { id: null, fees: "usd", users: "users", gas: "gas", x: null };
    const trail: string[] = [];
    for (let count = 0; count < 6; count++) {
      [frame, units] = step(frame, units, random);
      const got = Object.fromEntries(
        (frame.columns as string[]).map((name) => [name, columnIn(frame, name)?.unit ?? null]),
      );
      trail.push(JSON.stringify(got));
      deepStrictEqual(got, { ...units }, `chain ${seed}: ${trail.join(" -> ")}`);
      kept += Object.values(got).filter((unit) => unit !== null).length;
    }
  }
  // Without units, the comparison would prove nothing.
  deepStrictEqual(kept > 1_300, true, `${kept} units`);
});
