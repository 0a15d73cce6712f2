import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { pl } from "../../../lib/table/columns/polars.ts";
import { totalEntity, totalIn } from "../../../lib/table/read/totals.ts";

/** A table of entities and dates: `values[entity][date]`. */
function rowsOf(values: readonly (readonly (number | null)[])[]) {
  const cells = values.flatMap((each, entity) =>
    each.map((value, time) => ({ value, entity, time }))
  );
  return {
    values: Float64Array.from(cells, ({ value }) => value ?? NaN),
    entities: Uint32Array.from(cells, ({ entity }) => entity),
    times: Uint32Array.from(cells, ({ time }) => time),
  };
}

const found = (values: readonly (readonly (number | null)[])[], names: readonly string[] = []) =>
  totalEntity(rowsOf(values), (entity) => names[entity] ?? `e${entity}`);

/** Adds an entity with the sums of the others. */
function withTotal(
  values: readonly (readonly number[])[],
  round = (sum: number) => sum,
): number[][] {
  const sums = values[0]!.map((_, time) =>
    round(values.reduce((sum, each) => sum + each[time]!, 0))
  );
  return [...values.map((each) => [...each]), sums];
}

Deno.test("totalEntity: at one date, three others and a name or six digits", () => {
  strictEqual(found([[12], [18], [30], [60]], ["alpha", "beta", "gamma", "Total"]), 3);
  for (
    const name of ["TOTAL fees", "all chains", "World", "Overall", "sum", "Grand total", "Gesamt"]
  ) {
    strictEqual(found([[60], [12], [18], [30]], [name]), 0, name);
  }
  strictEqual(found([[12], [18], [30], [60]]), -1);
  strictEqual(found([[12], [18], [30], [60]], ["a", "b", "c", "Totality"]), -1);
  strictEqual(found([[12], [18], [30]], ["a", "b", "Total"]), -1);
  strictEqual(found([[10], [10]], ["a", "Total"]), -1);
  strictEqual(found([[111_111], [222_222], [333_333], [666_666]]), 3);
  strictEqual(found([[1_111.25], [2_222.5], [3_333], [6_666.75]]), 3);
  // Of numbers in hundred thousands, the sum has two digits.
  strictEqual(found([[1e5], [2e5], [8e5], [11e5]]), -1);
});

Deno.test("totalEntity: four different totals, at each date at which two others have a value", () => {
  const parts = [[1, 2, 3, 4], [5, 5, 5, 5]];
  strictEqual(found(withTotal(parts)), 2);
  strictEqual(found(withTotal([[1, 2, 3], [5, 5, 5]])), -1);
  strictEqual(found(withTotal([[1, 1, 1, 1], [5, 5, 5, 5]])), -1);
  // Of a name such as Total, three dates are enough.
  strictEqual(found(withTotal([[1, 1, 1], [5, 5, 5]]), ["a", "b", "Total"]), 2);
  strictEqual(found(withTotal([[1, 1], [5, 5]]), ["a", "b", "Total"]), -1);
  const [a, b, total] = withTotal([[1, 2, 3, 4, 5], [5, 5, 5, 5, 5]]);
  strictEqual(found([a!, b!, [...total!.slice(0, 4), 11]]), -1);
  strictEqual(found([a!, b!, [...total!.slice(0, 4), null]]), -1);
  // Where one of two others has a value, the total can be anything.
  strictEqual(found([a!, [5, 5, 5, 5, null], [...total!.slice(0, 4), 7]]), 2);
  strictEqual(found([[0, 0, ...a!], [0, 0, ...b!], [0, 0, ...total!]]), 2);
});

Deno.test("totalEntity: a rounded total, and the order of rows and entities do not matter", () => {
  const parts = fc.integer({ min: 3, max: 6 }).chain((count) =>
    fc.array(
      fc.array(fc.integer({ min: 1_000, max: 900_000 }).map((each) => each / 1_000), {
        minLength: 5,
        maxLength: 5,
      }),
      { minLength: count, maxLength: count },
    )
  );
  fc.assert(
    fc.property(parts, fc.nat(), fc.boolean(), (values, place, isRounded) => {
      const made = withTotal(
        isRounded ? values.map((each) => each.map((value) => Math.round(value * 10) / 10)) : values,
        (sum) => Math.round(sum * 10) / 10,
      );
      const [total] = made.splice(-1);
      const at = place % (made.length + 1);
      made.splice(at, 0, isRounded ? total! : withTotal(values).at(-1)!);
      strictEqual(found(made), at);
    }),
    { seed: 63 },
  );
});

Deno.test("totalEntity finds no total in random tables", () => {
  const value = fc.oneof(
    fc.integer({ min: 1, max: 10 }),
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: -5, max: 5 }),
    fc.integer({ min: 1, max: 99 }).map((each) => each * 1_000),
    fc.integer({ min: 0, max: 100 }).map((each) => each / 10),
    fc.constant(null),
  );
  const table = fc.tuple(fc.integer({ min: 3, max: 6 }), fc.integer({ min: 1, max: 8 })).chain((
    [entities, dates],
  ) =>
    fc.array(fc.array(value, { minLength: dates, maxLength: dates }), {
      minLength: entities,
      maxLength: entities,
    })
  );
  fc.assert(fc.property(table, (values) => strictEqual(found(values), -1)), {
    numRuns: 3_000,
    seed: 63,
  });
});

Deno.test("totalIn reads entities of several columns, and rows without a date", () => {
  const frame = pl.DataFrame({
    country: ["DE", "FR", "CH", "all"],
    funnel: ["ads", "ads", "ads", "all"],
    users: [10, 20, 30, 60],
  });
  const reading = { entity: ["country", "funnel"], times: [] };
  deepStrictEqual(totalIn(frame, "users", reading), { name: "all · all", row: 3 });
  strictEqual(totalIn(frame, "users", { entity: [], times: [] }), null);
  const twice = pl.concat([frame, frame]);
  strictEqual(totalIn(twice, "users", reading), null);
});
