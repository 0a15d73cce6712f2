import { fieldNamed } from "../schema/dictionary.ts";
import { ENDPOINTS } from "../schema/endpoints.ts";
import type { Entries, NameEntry } from "./entries.ts";
import { tableCells } from "./page.ts";
import { ERROR_RECORD, type Field } from "../schema/records.ts";

/** A column in the dictionary. */
export interface FieldEntry {
  /**
   * Where the column occurs: the name of an operation; `errors` for the frame of `errorsOf`; `metric` for a metric; or
   * the function that returns the column.
   */
  readonly record: string;
  readonly name: string;
  /** The polars dtype. */
  readonly dtype: string | null;
  /** Null for text, and for columns of analyses, whose unit can be that of another column. */
  readonly unit: string | null;
  /** The trailing window, or `max` for all of the data. Null if the column has no window. */
  readonly window: string | null;
  readonly about: string;
  /** The meaning of null. Null for columns of analyses, whose description states it. */
  readonly null: string | null;
}

const DTYPES: Readonly<Record<string, string>> = { Json: "String", TextOrJson: "String" };

function dtypeOf({ dtype }: Field): string {
  if (typeof dtype === "object") return `List(Struct(${dtype.struct.join(", ")}))`;
  return DTYPES[dtype] ?? dtype;
}

/** Descriptions of columns that have a special meaning in one record. The keys are `record.column`. */
const IN_RECORD: Readonly<Record<string, Partial<FieldEntry>>> = {
  "errors.value": { about: "The unknown entity, as it was sent.", null: "never" },
  "metric_breakdown.project_id": {
    about: "Added by chainframe: the id in `data_id`, if rows are projects.",
  },
  "metric_breakdown.market_sector_id": {
    about: "Added by chainframe: the id in `data_id`, if rows are market sectors.",
  },
  "metric_aggregations.value": { about: "The value as text; `value_number` has it as a number." },
};

/** The columns that chainframe adds to a metric breakdown. */
const ADDED_TO_BREAKDOWN: readonly Field[] = [
  { name: "project_id", dtype: "String" },
  { name: "market_sector_id", dtype: "String" },
];

/** Returns the entry of a column, or undefined for an unknown column. */
function fieldEntry(
  record: string,
  name: string,
  dtype: string | null = null,
): FieldEntry | undefined {
  const column = fieldNamed(name);
  if (column === undefined) return undefined;
  const { unit, window, meaning, missing } = column;
  const entry = { record, name, dtype, unit, window, about: meaning, null: missing };
  return { ...entry, ...IN_RECORD[`${record}.${name}`] };
}

/** Returns the columns that the doc comment of a function lists. */
function documentedColumns({ name: record, about }: NameEntry): FieldEntry[] {
  return about.split(/\n{2,}/).filter((part) => part.startsWith("|")).flatMap(tableCells).flatMap(
    ([names = "", dtype = "", about = ""]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => (
        { record, name: name!, dtype, unit: null, window: null, about, null: null }
      )),
  );
}

/** Returns the entries of all columns: of the six operations, of `errorsOf`, of the metrics, and of the analyses. */
export function fieldEntries({ metrics, names }: Entries): FieldEntry[] {
  const records: [string, readonly Field[]][] = [
    ...Object.values(ENDPOINTS).map(({ operation, record }): [string, readonly Field[]] => [
      operation,
      record,
    ]),
    ["metric_breakdown", ADDED_TO_BREAKDOWN],
    ["errors", ERROR_RECORD],
  ];
  const served = records.flatMap(([record, fields]) =>
    fields.map((field) => fieldEntry(record, field.name, dtypeOf(field)))
  );
  return [
    ...served,
    ...metrics.map((name) => fieldEntry("metric", name, "Float64")),
    ...names.filter(({ record }) => record === null).flatMap(documentedColumns),
  ].filter((entry) => entry !== undefined);
}
