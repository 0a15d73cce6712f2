import fc from "fast-check";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Connection } from "../../lib/http/connect.ts";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { metricAggregations } from "../../lib/operations/metric_aggregations.ts";
import { metricBreakdown } from "../../lib/operations/metric_breakdown.ts";
import { project } from "../../lib/operations/project.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import {
  BLOCKCHAIN_COMPARISON_RECORD,
  COHORT_ANALYSIS_RECORD,
  type Field,
  METRIC_AGGREGATIONS_RECORD,
  METRIC_BREAKDOWN_RECORD,
  PROJECT_CONTRACTS_RECORD,
  PROJECT_RECORD,
} from "../../lib/schema/records.ts";
import { errorsOf } from "../../lib/table/track/provenance.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { answering } from "./answering.ts";

type Json = fc.JsonValue;
type Item = Readonly<Record<string, Json>>;

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const open = fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" });
const word = fc.stringMatching(/^[a-z]{1,3}$/);

/** A value that the interface allows for a field: of its type, or null. */
function valueOf({ dtype }: Field): fc.Arbitrary<Json> {
  const value = dtype === "Float64"
    ? number
    : dtype === "String"
    ? text
    : dtype === "List(String)"
    ? fc.array(text, { maxLength: 3 })
    : typeof dtype === "object"
    ? fc.array(structOf(dtype.struct), { maxLength: 3 })
    : open.filter((value) => value !== null);
  return fc.option(value as fc.Arbitrary<Json>, { nil: null, freq: 4 });
}

/** An object of texts with additional members. */
function structOf(members: readonly string[]): fc.Arbitrary<Json> {
  const named = fc.record(Object.fromEntries(members.map((member) => [member, text])));
  return fc.tuple(named, fc.dictionary(word.map((name) => `more ${name}`), open, { maxKeys: 2 }))
    .map(([one, more]) => ({ ...one, ...more }));
}

/** A record: some of its fields, at least one, and others that the interface does not name. */
function recordOf(fields: readonly Field[], rest: fc.Arbitrary<Item>): fc.Arbitrary<Item> {
  const named = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
  const some = fc.record(named, { requiredKeys: [fields[0]!.name] });
  const extra = fc.dictionary(text.map((name) => `x ${name}`), open, { maxKeys: 2 });
  return fc.tuple(some, extra, rest).map((parts) => Object.assign({}, ...parts));
}

/** `metrics`, open: of each metric a number, or an object of aggregations and of anything else. */
const metrics: fc.Arbitrary<Item> = fc.record({
  metrics: fc.dictionary(
    word,
    fc.oneof(
      fc.option(number, { nil: null }),
      fc.tuple(
        fc.record(
          Object.fromEntries(
            ["sum", "avg", "latest", "change", "trend"].map((name) => [
              name,
              fc.option(number, { nil: null }),
            ]),
          ),
          { requiredKeys: [] },
        ),
        fc.dictionary(word.map((name) => `z${name}`), open, { maxKeys: 2 }),
      ).map(([known, more]) => ({ ...known, ...more })),
    ),
    { maxKeys: 3 },
  ) as fc.Arbitrary<Json>,
}, { requiredKeys: [] });

const errors = fc.option(
  fc.array(fc.record({ code: text, field: text, value: text }), { maxLength: 2 }),
  { nil: undefined },
);

/** The cells that a record becomes, by the names of their columns. */
function cellsOf({ metrics = {}, ...item }: Item): [string, Json][] {
  const cells: [string, Json][] = Object.entries(item);
  for (const [metric, value] of Object.entries(metrics as Item)) {
    if (typeof value !== "object" || value === null) cells.push([metric, value]);
    else {
      for (const [name, member] of Object.entries(value)) {
        cells.push([`${metric}_${name}`, member ?? null]);
      }
    }
  }
  return cells;
}

/** Whether a cell holds a value: itself, or its JSON text. */
function holds(cell: unknown, value: Json): boolean {
  if (Object.is(cell, value)) return true;
  if (typeof cell !== "string") return false;
  deepStrictEqual(JSON.parse(cell), value);
  return true;
}

/** Checks a list, of whose elements only the members of the interface are kept. */
function checkList(row: Item, { name, dtype }: Field, value: Json): void {
  if (typeof dtype !== "object") return deepStrictEqual(row[name], value);
  const known = (value as Item[]).map((each) => {
    const { struct } = dtype;
    const last = struct.some((member) => member in each) ? null : JSON.stringify(each);
    return Object.fromEntries(
      struct.map((member, at) => [
        member,
        last !== null && at === struct.length - 1 ? last : each[member] ?? null,
      ]),
    );
  });
  deepStrictEqual(JSON.parse(JSON.stringify(row[name])), known);
}

function checkFrame(frame: DataFrame, items: readonly Item[], fields: readonly Field[]): void {
  const rows = frame.toRecords() as unknown as Item[];
  strictEqual(rows.length, items.length);
  items.forEach((item, index) => {
    const row = rows[index]!;
    for (const [name, value] of cellsOf(item)) {
      const field = fields.find((each) => each.name === name);
      const isList = field?.dtype === "List(String)" || typeof field?.dtype === "object";
      if (isList && value !== null) checkList(row, field!, value);
      else {ok(
          holds(row[name] ?? null, value),
          `${name}: ${Deno.inspect(row[name])} for ${Deno.inspect(value)}`,
        );}
    }
  });
}

interface Case {
  readonly ask: (connection: Connection) => Promise<DataFrame>;
  readonly fields: readonly Field[];
  /** Whether `data` is one record. */
  readonly single?: boolean;
  /** Additional members of records. */
  readonly rest?: fc.Arbitrary<Item>;
}

const query = { metric_ids: ["q"], interval: "30d", group_by: "chains" } as const;

const CASES: Readonly<Record<string, Case>> = {
  metricBreakdown: {
    ask: (connection) => metricBreakdown(query, connection),
    fields: METRIC_BREAKDOWN_RECORD,
    rest: metrics,
  },
  metricAggregations: {
    ask: (connection) => metricAggregations({}, connection),
    fields: METRIC_AGGREGATIONS_RECORD,
  },
  blockchainComparison: {
    ask: (connection) => blockchainComparison({}, connection),
    fields: BLOCKCHAIN_COMPARISON_RECORD,
  },
  projectContracts: {
    ask: (connection) => projectContracts({}, connection),
    fields: PROJECT_CONTRACTS_RECORD,
  },
  cohortAnalysis: {
    ask: (connection) => cohortAnalysis({}, connection),
    fields: COHORT_ANALYSIS_RECORD,
  },
  project: {
    ask: (connection) => project({ project_id: "a" }, connection),
    fields: PROJECT_RECORD,
    single: true,
  },
};

/** Declares a test for each operation. */
export function testRandomAnswers(runs: number): void {
  for (
    const [name, { ask, fields, single = false, rest = fc.constant({}) }] of Object.entries(CASES)
  ) {
    Deno.test(`${name} reads ${runs} random responses of the interface without losing a value`, async () => {
      const size = single ? { minLength: 1, maxLength: 1 } : { maxLength: 3 };
      await fc.assert(
        fc.asyncProperty(
          fc.array(recordOf(fields, rest), size),
          errors,
          async (records, errors) => {
            // Long texts are read in another way, and blanks at the end are ignored.
            const blanks = " ".repeat(records.length % 2 === 0 ? 0 : 40_000);
            const wire = JSON.stringify({ data: single ? records[0] : records, errors }) + blanks;
            const { connection } = answering(() => new Response(wire));
            const frame = await ask(connection);
            const sent = JSON.parse(wire);
            checkFrame(frame, single ? [sent.data] : sent.data, fields);
            const told = errorsOf(frame).toRecords().map((error) => JSON.stringify(error));
            for (const error of sent.errors ?? []) ok(told.includes(JSON.stringify(error)));
          },
        ),
        { seed: 13, numRuns: runs },
      );
    });
  }
}
