import { basename } from "node:path";
import { annotationOf } from "../table/annotation.ts";
import { dtypeNames } from "../table/dtype_name.ts";
import type { DataFrame } from "../table/polars.ts";
import { checkPath, type WriteOptions, writeWhole } from "./write_whole.ts";

/** What a side-car says of a frame's form, which CSV and JSON cannot say themselves. */
export interface FormNote {
  readonly format: string;
  readonly rows: number;
  /** The dtype of every column, by its name. */
  readonly columns: Readonly<Record<string, string>>;
}

/** What a side-car says of a frame's form. */
export function formNote(frame: DataFrame, format: string): FormNote {
  const dtypes = dtypeNames(frame);
  const columns = Object.fromEntries(frame.columns.map((name, index) => [name, dtypes[index]!]));
  return { format, rows: frame.height, columns };
}

async function sideCar(
  path: string,
  bytes: Uint8Array,
  from: DataFrame | undefined,
  form: FormNote | null,
): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  const annotation = from === undefined ? undefined : annotationOf(from);
  const note = {
    file: basename(path),
    sha256: new Uint8Array(digest).toHex(),
    ...form,
    provenance: annotation?.provenance ?? null,
    entity_errors: annotation?.errors.toRecords() ?? null,
  };
  return new TextEncoder().encode(`${JSON.stringify(note, null, 2)}\n`);
}

/**
 * Writes a file and its side-car `NAME.provenance.json`, each whole or not at all, after both paths
 * have been checked. The side-car holds the digest of the file that it belongs to.
 */
export async function writeWithSideCar(
  path: string,
  bytes: Uint8Array,
  from: DataFrame | undefined,
  form: FormNote | null,
  options: WriteOptions,
): Promise<void> {
  const beside = `${path}.provenance.json`;
  await checkPath(path, options);
  await checkPath(beside, options);
  await writeWhole(path, bytes, options);
  await writeWhole(beside, await sideCar(path, bytes, from, form), options);
}
