import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import type { Connection } from "../../lib/http/connect.ts";
import { ResponseError } from "../../lib/http/errors.ts";
import { dtypeNames } from "../../lib/table/columns/dtypes.ts";
import { errorsOf, provenanceOf } from "../../lib/table/track/provenance.ts";
import type { DataFrame } from "../../lib/table/columns/polars.ts";
import { answering } from "./answering.ts";

/** The laws of every operation with a record type. */
export interface RecordCase {
  readonly name: string;
  /** Asks the operation, with a query that sends one request. */
  readonly ask: (connection: Connection) => Promise<DataFrame>;
  /** The columns in order, with their dtypes. */
  readonly columns: Readonly<Record<string, string>>;
  /** A record with every field. */
  readonly full: Readonly<Record<string, unknown>>;
  /** The row that the full record becomes, where it differs: undefined for what is no column. */
  readonly becomes?: Readonly<Record<string, unknown>>;
  /** The name of a number field, where there is one. */
  readonly number?: string;
  /** The name of a text field. */
  readonly text: string;
  /** Whether `data` is one record and not a list. */
  readonly single?: boolean;
}

function nullsOf(columns: Readonly<Record<string, string>>): Record<string, null> {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, null]));
}

/** The cases of one record type: full, empty, missing keys, nulls and zeros, unknown and wrong. */
export function recordCases(record: RecordCase): void {
  const { name, ask, columns, full, becomes = {}, number, text, single = false } = record;
  const frameOf = (row: unknown, ...others: unknown[]) =>
    ask(answering({ data: single ? row : [row, ...others] }).connection);
  const typesOf = (frame: DataFrame) =>
    Object.fromEntries(dtypeNames(frame).map((dtype, index) => [frame.columns[index], dtype]));

  Deno.test(`${name} returns the columns of a full record, in order`, async () => {
    const frame = await frameOf(full);
    deepStrictEqual(Object.entries(typesOf(frame)), Object.entries(columns));
    const row = Object.entries({ ...full, ...becomes }).filter(([, value]) => value !== undefined);
    deepStrictEqual(frame.toRecords(), [Object.fromEntries(row)]);
  });

  if (!single) {
    Deno.test(`${name} returns zero rows with every column for an empty response`, async () => {
      const frame = await ask(answering({ data: [] }).connection);
      strictEqual(frame.height, 0);
      deepStrictEqual(Object.entries(typesOf(frame)), Object.entries(columns));
    });
  }

  Deno.test(`${name} reads missing keys as null, with every column`, async () => {
    const frame = await frameOf({ [text]: null });
    deepStrictEqual(Object.entries(typesOf(frame)), Object.entries(columns));
    deepStrictEqual(frame.toRecords(), [nullsOf(columns)]);
  });

  if (number !== undefined) {
    Deno.test(`${name} distinguishes null from 0`, async () => {
      const frame = await frameOf({ [number]: 0 }, { [number]: null }, { [number]: "2.5" }, {
        [text]: "a",
      });
      deepStrictEqual(frame.getColumn(number).toArray(), [0, null, 2.5, null]);
    });
  }

  Deno.test(`${name} keeps an unknown field as the last column`, async () => {
    const frame = await frameOf({ ...full, brand_new: 7 });
    deepStrictEqual(frame.columns, [...Object.keys(columns), "brand_new"]);
    deepStrictEqual(frame.getColumn("brand_new").toArray(), [7]);
  });

  Deno.test(`${name} refuses a wrong type, names the place and keeps the body`, async () => {
    for (const field of number === undefined ? [text] : [text, number]) {
      const expected = field === text ? "a text" : "a number";
      const rows = single ? { [field]: true } : [{ [text]: null }, { [field]: true }];
      const row = single ? 0 : 1;
      await rejects(ask(answering({ data: rows }).connection), (error: ResponseError) => {
        strictEqual(error instanceof ResponseError, true);
        deepStrictEqual([error.row, error.field, error.expected, error.got], [
          row,
          field,
          expected,
          true,
        ]);
        strictEqual(
          error.message.includes(
            `row ${row}, ${field}: expected ${expected}, got true; run chainframe probe`,
          ),
          true,
        );
        strictEqual(error.body, JSON.stringify({ data: rows }));
        return true;
      });
    }
  });

  Deno.test(`${name} refuses a record without any known field`, async () => {
    const wrong = [{}, { data: full }, { alder: full }, { alder: [full] }, { brand_new: 7 }];
    for (const row of wrong) {
      await rejects(frameOf(row), (error: ResponseError) => {
        deepStrictEqual([error.name, error.field, error.row], ["ResponseError", "data", 0]);
        return true;
      });
    }
  });

  Deno.test(`${name} reads a number in a text field as its text`, async () => {
    const frame = await frameOf({ [text]: 12.5 });
    deepStrictEqual(frame.getColumn(text).toArray(), ["12.5"]);
  });

  if (number !== undefined) {
    Deno.test(`${name} reads a text such as NaN in a number field as null, and notes it`, async () => {
      const rows = ["NaN", 1, "-", "NaN"].map((value) => ({ [number]: value }));
      const frame = await ask(answering({ data: rows }).connection);
      deepStrictEqual(frame.getColumn(number).toArray(), [null, 1, null, null]);
      deepStrictEqual(provenanceOf(frame).notes, [`${number}: 3 read as null: "NaN", "-"`]);
    });
  }

  Deno.test(`${name} returns no rows if the response has entity errors and no data`, async () => {
    const errors = [{ code: "NOT_FOUND", field: "chain_ids", value: "ghost" }];
    const frame = await ask(answering({ data: null, errors }).connection);
    deepStrictEqual(Object.entries(typesOf(frame)), Object.entries(columns));
    deepStrictEqual([frame.height, errorsOf(frame).toRecords()], [0, errors]);
  });

  Deno.test(`${name} notes other members of a response`, async () => {
    const data = single ? full : [full];
    const answer = { data, pagination: { next: "abc" }, message: "ok", errors: "half" };
    const frame = await ask(answering(answer).connection);
    strictEqual(frame.height, 1);
    deepStrictEqual(provenanceOf(frame).notes, ['pagination: {"next":"abc"}', 'message: "ok"']);
    deepStrictEqual(errorsOf(frame).toRecords(), [{ code: null, field: null, value: "half" }]);
  });

  Deno.test(`${name} refuses data that is no ${single ? "object" : "list"}`, async () => {
    for (const data of [null, 5, "none", ...(single ? [[]] : [])]) {
      await rejects(
        ask(answering({ data }).connection),
        (error: ResponseError) =>
          error instanceof ResponseError && error.field === "data" && error.row === null,
      );
    }
  });
}
