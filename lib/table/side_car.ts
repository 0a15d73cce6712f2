import { basename } from "node:path";
import { checkPath, type WriteOptions, writeWhole } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";
import { dtypeNames } from "./dtypes.ts";
import type { DataFrame } from "./polars.ts";
import { annotationOf } from "./provenance.ts";

/** Returns the format, number of rows and dtypes of a frame. CSV and JSON files do not store dtypes. */
export function formNote(frame: DataFrame, format: string) {
  const dtypes = dtypeNames(frame);
  const columns = Object.fromEntries(frame.columns.map((name, index) => [name, dtypes[index]!]));
  return { format, rows: frame.height, columns };
}

/**
 * Writes a file and its side-car `NAME.provenance.json`. Each of the two is written completely or not at all.
 *
 * Checks both paths before writing. The side-car contains the digest of the file.
 */
export async function writeWithSideCar(
  path: string,
  bytes: Uint8Array,
  { source, form, force = false }: WriteOptions & {
    /** The frame whose provenance is written. Undefined if there is no such frame. */
    readonly source: DataFrame | undefined;
    /** The form of the frame. Null if the file does not contain a frame. */
    readonly form: ReturnType<typeof formNote> | null;
  },
): Promise<void> {
  const beside = `${path}.provenance.json`;
  await checkPath(path, { force });
  await checkPath(beside, { force });
  const annotation = source === undefined ? undefined : annotationOf(source);
  const note = {
    file: basename(path),
    sha256: sha256(bytes),
    ...form,
    provenance: annotation?.provenance ?? null,
    entity_errors: annotation?.errors.toRecords() ?? null,
  };
  await writeWhole(path, bytes, { force });
  const text = `${JSON.stringify(note, null, 2)}\n`;
  await writeWhole(beside, new TextEncoder().encode(text), { force });
}
