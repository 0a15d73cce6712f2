import { basename } from "node:path";
import { checkPath, type WriteOptions, writeWhole } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";
import { dtypeNames } from "./excerpt.ts";
import type { DataFrame } from "./polars.ts";
import { annotationOf } from "./provenance.ts";

/** What a side-car says of a frame's form, which CSV and JSON cannot say themselves. */
interface FormNote {
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

/** How a file and its side-car are written. */
interface SideCarOptions extends WriteOptions {
  /** The frame whose provenance is written; undefined where none is known. */
  readonly source: DataFrame | undefined;
  /** What there is to say of a frame's form; null of what is no frame. */
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
 * Writes a file and its side-car `NAME.provenance.json`, each whole or not at all, after both paths
 * have been checked. The side-car holds the digest of the file that it belongs to.
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
