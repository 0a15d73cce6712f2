import { basename } from "node:path";
import { checkPath, type WriteOptions, writeWhole } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";
import { dtypeNames } from "./dtypes.ts";
import type { DataFrame } from "./polars.ts";
import { annotationOf } from "./provenance.ts";

/** The format, number of rows and dtypes of a frame. CSV and JSON files do not store them. */
interface FormNote {
  readonly format: string;
  readonly rows: number;
  /** Dtypes by column. */
  readonly columns: Readonly<Record<string, string>>;
}

/** Returns the format, number of rows and dtypes of a frame. */
export function formNote(frame: DataFrame, format: string): FormNote {
  const dtypes = dtypeNames(frame);
  const columns = Object.fromEntries(frame.columns.map((name, index) => [name, dtypes[index]!]));
  return { format, rows: frame.height, columns };
}

/** Options for writing a file with its side-car. */
interface SideCarOptions extends WriteOptions {
  /** The frame whose provenance is written. Undefined if unknown. */
  readonly source: DataFrame | undefined;
  /** The form of the frame. Null if the file is not a frame. */
  readonly form: FormNote | null;
}

function sideCar(
  path: string,
  bytes: Uint8Array,
  { source, form }: SideCarOptions,
): Uint8Array {
  const annotation = source === undefined ? undefined : annotationOf(source);
  const note = {
    file: basename(path),
    sha256: sha256(bytes),
    ...form,
    provenance: annotation?.provenance ?? null,
    entity_errors: annotation?.errors.toRecords() ?? null,
  };
  return new TextEncoder().encode(`${JSON.stringify(note, null, 2)}\n`);
}

/**
 * Writes a file and its side-car `NAME.provenance.json`, each completely or not at all.
 *
 * Checks both paths first. The side-car has the digest of its file.
 */
export async function writeWithSideCar(
  path: string,
  bytes: Uint8Array,
  options: SideCarOptions,
): Promise<void> {
  const beside = `${path}.provenance.json`;
  const { force = false } = options;
  await checkPath(path, { force });
  await checkPath(beside, { force });
  await writeWhole(path, bytes, { force });
  await writeWhole(beside, sideCar(path, bytes, options), { force });
}
