import type { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { hasCode } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";
import { notify, shown } from "../platform/terminal.ts";
import { dateColumn, momentColumn, utf8 } from "../table/columns.ts";
import { isNested } from "../table/dtypes.ts";
import { nestedColumn } from "../table/list_columns.ts";
import { type DataFrame, pl, type Series } from "../table/polars.ts";
import { annotate, type Provenance } from "../table/provenance.ts";
import { track } from "../table/track.ts";
import { formatOf, FRAME_ENDINGS, type FrameFormat } from "./encode.ts";

/** The members of a side-car file from which a frame is restored. */
interface SideCar {
  readonly sha256: string;
  readonly columns?: Readonly<Record<string, string>>;
  readonly provenance: Provenance | null;
  readonly entity_errors: readonly Readonly<Record<string, string>>[] | null;
}

/** The cells of a column as texts. Numbers keep all their digits. Lists and structs are JSON texts. Null stays null. */
type Texts = readonly (string | null)[];

function csvColumns(bytes: Buffer): Map<string, Texts> {
  // Reads all columns as text. With inferred dtypes, an id such as `007` would become a number, and null could not be
  // distinguished from an empty text.
  const frame = pl.readCSV(bytes, { inferSchemaLength: 0 });
  return new Map(
    frame.columns.map((name) => [name, frame.getColumn(name).toArray() as (string | null)[]]),
  );
}

/** Converts whole numbers beyond 2^53 to BigInt, which keeps all their digits. */
function exactly(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const unsafe = Number.isInteger(value) && !Number.isSafeInteger(value);
  return unsafe && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context!.source!) : value;
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Object.is(value, -0)) return "-0";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function jsonColumns(bytes: Buffer, format: "json" | "ndjson"): Map<string, Texts> {
  const text = bytes.toString();
  const rows: readonly Readonly<Record<string, unknown>>[] = format === "json"
    ? JSON.parse(text, exactly)
    : text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line, exactly));
  const names = [...new Set(rows.flatMap(Object.keys))];
  return new Map(names.map((name) => [name, rows.map((row) => textOf(row[name]))]));
}

/** Returns an example value of a dtype, from which polars can infer the dtype. */
function example(dtype: string): unknown {
  const inner = /^(?:List|Array)\((.*)\)$/.exec(dtype)?.[1];
  if (inner !== undefined) return [example(inner)];
  const members = /^Struct\((.*)\)$/.exec(dtype)?.[1];
  if (members !== undefined) {
    return Object.fromEntries(members.split(", ").map((name) => [name, ""]));
  }
  return dtype.startsWith("Float") ? 0.5 : /^U?Int/.test(dtype) ? 1 : dtype === "Bool" ? true : "";
}

/** Makes a column of a dtype from the texts of its cells. */
function columnFrom(name: string, dtype: string, texts: Texts): Series {
  if (isNested(dtype)) {
    return nestedColumn(
      name,
      example(dtype),
      texts.map((text) => text ?? "null"),
    );
  }
  const values = <Value>(of: (text: string) => Value) =>
    texts.map((text) => text === null ? null : of(text));
  if (dtype === "Datetime") {
    return momentColumn(
      name,
      values((text) => new Date(`${text}Z`)) as Date[],
    );
  }
  if (dtype === "Date") return dateColumn(name, values((text) => new Date(text)));
  if (dtype === "Bool") {
    return pl.Series(name, values((text) => text === "true") as boolean[], pl.Bool);
  }
  const column = utf8(name, texts);
  const type = (pl as unknown as Readonly<Record<string, typeof pl.Utf8 | undefined>>)[dtype];
  return dtype === "String" || type === undefined ? column : column.cast(type);
}

function parsed(bytes: Buffer, format: FrameFormat, sideCar: SideCar | null): DataFrame {
  if (format === "parquet") return pl.readParquet(bytes);
  if (format === "arrow") return pl.readIPC(bytes);
  const dtypes = sideCar?.columns;
  if (dtypes === undefined) {
    return format === "csv"
      ? pl.readCSV(bytes)
      : pl.readJSON(bytes, { format: format === "json" ? "json" : "lines" });
  }
  const columns = format === "csv" ? csvColumns(bytes) : jsonColumns(bytes, format as "json");
  const height = [...columns.values()][0]?.length ?? 0;
  const none: Texts = Array.from({ length: height }, () => null);
  return pl.DataFrame(
    Object.entries(dtypes).map(([name, dtype]) =>
      columnFrom(name, dtype, columns.get(name) ?? none)
    ),
  );
}

function dateOf(value: unknown): Date | null {
  return value === null || value === undefined ? null : new Date(String(value));
}

/** Converts the dates of a provenance and of its inputs from JSON text to Date. */
function revived(provenance: Provenance): Provenance {
  return {
    ...provenance,
    // Side-cars of version 0.2.0 do not have this member.
    sample: provenance.sample ?? provenance.source === "sample",
    retrieved_at: new Date(provenance.retrieved_at),
    data_through: dateOf(provenance.data_through),
    data_since: dateOf(provenance.data_since),
    inputs: provenance.inputs.map(revived),
  };
}

async function sideCarOf(path: string): Promise<SideCar | null> {
  const beside = `${path}.provenance.json`;
  const text = await readFile(beside, "utf8").catch((error) => {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  });
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    throw new RangeError(`openFrame: the side-car is not JSON; got ${shown(beside)}`);
  }
}

function readable(path: string): FrameFormat {
  const format = formatOf(path);
  if (format === "xlsx" || format === "markdown") {
    throw new RangeError(
      `openFrame: ${format} files are written only; save as Parquet to read it back; got ${
        shown(path)
      }`,
    );
  }
  if (format !== undefined) return format;
  const endings = FRAME_ENDINGS.filter((each) => each !== ".md" && each !== ".xlsx");
  throw new RangeError(`openFrame: path: must end in ${endings.join(", ")}; got ${shown(path)}`);
}

/**
 * Opens a frame that {@linkcode save} wrote as `.csv`, `.ndjson`, `.json`, `.parquet` or `.arrow`.
 *
 * Dtypes, provenance and entity errors are restored from the side-car file `NAME.provenance.json`. So `provenanceOf`
 * and `errorsOf` work as before saving, and sample data is still labeled as such. If there is no side-car, polars
 * infers the dtypes of text formats, the provenance is unknown, and a notice is shown. Excel and Markdown files cannot
 * be opened.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, openFrame, provenanceOf, save } from "@chainframe/chainframe";
 *
 * const path = `${await Deno.makeTempDir()}/cohorts.csv`;
 * await save(await cohortAnalysis({ limit: 6 }), path);
 * const cohorts = await openFrame(path);
 * console.log(provenanceOf(cohorts).operation); // "cohort_analysis"
 * ```
 *
 * @throws {RangeError} when the file does not match the digest in its side-car file, and for an unknown ending.
 * @throws {Error} with the code `ENOENT` when the file does not exist.
 * @category Output
 */
export async function openFrame(path: string | URL): Promise<DataFrame> {
  const name = path instanceof URL ? fileURLToPath(path) : path;
  const format = readable(name);
  const bytes = await readFile(name);
  const sideCar = await sideCarOf(name);
  if (sideCar === null) {
    notify(
      `openFrame: ${name} has no side-car: its provenance is unknown, its dtypes are inferred`,
    );
  } else if (sideCar.sha256 !== sha256(bytes)) {
    throw new RangeError(
      `openFrame: the file was changed after it was saved; remove its side-car to open it; got ${
        shown(name)
      }`,
    );
  }
  const frame = track(parsed(bytes, format, sideCar));
  if (sideCar?.provenance == null) return frame;
  const provenance = revived(sideCar.provenance);
  const rows = sideCar.entity_errors ?? [];
  const errors = track(pl.DataFrame(
    ["code", "field", "value"].map((column) =>
      utf8(column, rows.map((row) => row[column] ?? null))
    ),
  ));
  annotate(errors, { provenance, errors });
  return annotate(frame, { provenance, errors });
}
