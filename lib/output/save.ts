import { aFlag, checkOptions, oneOf } from "../platform/check_options.ts";
import type { WriteOptions } from "../platform/file.ts";
import { notify } from "../platform/terminal.ts";
import type { DataFrame } from "../table/polars.ts";
import { annotationOf } from "../table/provenance.ts";
import { aFrame } from "../table/require_columns.ts";
import { formNote, writeWithSideCar } from "../table/side_car.ts";
import {
  type CsvOptions,
  formatOf,
  FRAME_ENDINGS,
  FRAME_FORMATS,
  frameBytes,
  type FrameFormat,
} from "./frame_bytes.ts";

const RULES = { force: aFlag, from: aFrame };

/**
 * The options of {@linkcode saveBytes}.
 *
 * @category Output
 */
export interface SaveBytesOptions extends WriteOptions {
  /**
   * The frame that it was made from, whose provenance and entity errors go into the side-car.
   *
   * @default {none: the side-car says that the provenance is not known}
   */
  readonly from?: DataFrame;
}

/**
 * Saves what was made from a frame, such as a drawing, beside a side-car `NAME.provenance.json` that
 * says where it came from. The file is written whole or not at all, and one that exists is kept.
 *
 * @throws {RangeError} for an unknown option.
 * @throws {Deno.errors.AlreadyExists} when the file or its side-car exists, without `force`.
 * @throws {Deno.errors.NotFound} when there is no such folder.
 * @category Output
 */
export async function saveBytes(
  bytes: Uint8Array | string,
  path: string,
  options: SaveBytesOptions = {},
): Promise<void> {
  const { from, ...write } = checkOptions(options, RULES, "saveBytes");
  const content = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  await writeWithSideCar(path, content, { ...write, from, form: null });
}

/**
 * The options of {@linkcode saveFrame}.
 *
 * @category Output
 */
export interface SaveFrameOptions extends CsvOptions, SaveBytesOptions {
  /**
   * The form of the file: one of `FRAME_FORMATS`, or `"xlsx"`.
   *
   * @default {the one that the ending of the path names}
   */
  readonly format?: FrameFormat | "xlsx";
}

/** What makes workbooks, opened when one is saved. */
const excel = (): Promise<typeof import("./excel_bytes.ts")> =>
  import(new URL("./excel_bytes.ts", import.meta.url).href);

type SaveFormat = NonNullable<SaveFrameOptions["format"]>;

function formFor(path: string, format: SaveFormat | undefined): SaveFormat {
  const form = format ?? (/\.xlsx$/i.test(path) ? "xlsx" : formatOf(path));
  if (form === undefined) {
    const endings = [...FRAME_ENDINGS, ".xlsx"].join(", ");
    throw new RangeError(
      `saveFrame: path: must end in ${endings}, or format be given: ${path}`,
    );
  }
  return form;
}

/**
 * Saves a frame as CSV, NDJSON, JSON, Parquet, Arrow IPC, a Markdown table or an Excel workbook, by the ending
 * of the path (`.csv`, `.ndjson` `.jsonl`, `.json`, `.parquet`, `.arrow` `.ipc` `.feather`, `.md`, `.xlsx`) or by
 * `format`.
 *
 * Beside the file stands `NAME.provenance.json`: the digest of the file, the dtype of every column,
 * where the frame came from, and the entities that were not found. For a frame that was made from none of an
 * operation the provenance is null there, and a warning says so; `from` names the frame that it was made from.
 *
 * The file is written whole or not at all, and one that exists is kept, unless `force` says otherwise.
 *
 * In CSV, null is an empty cell, an empty text `""`, and numbers stand in their shortest exact form.
 * Few readers tell text from numbers by the quotes: give them the dtypes, so that an id `007` stays one.
 *
 * A workbook has a sheet `data` and a sheet `source`. Its numbers keep every digit, its dates are dates, no text
 * is a formula, and null and an empty text are both an empty cell.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, saveFrame } from "@chainframe/chainframe";
 *
 * const path = await Deno.makeTempDir();
 * const cohorts = await cohortAnalysis({ limit: 6 });
 * await saveFrame(cohorts, `${path}/cohorts.csv`);
 * await saveFrame(cohorts.select("cohort", "month_1"), `${path}/month_1.parquet`);
 * ```
 *
 * @throws {RangeError} for a path whose ending names no form, when no `format` is given, for a number that
 * is not finite in JSON, NDJSON or a workbook, and for more than a workbook holds.
 * @throws {Deno.errors.AlreadyExists} when the file or its side-car exists, without `force`.
 * @throws {Deno.errors.NotFound} when there is no such folder.
 * @category Output
 */
export async function saveFrame(
  frame: DataFrame,
  path: string,
  options: SaveFrameOptions = {},
): Promise<void> {
  const rules = { ...RULES, format: oneOf([...FRAME_FORMATS, "xlsx"]), excelSafe: aFlag };
  const checked = checkOptions(options, rules, "saveFrame");
  const { format, excelSafe = false, from = frame, ...write } = checked;
  const form = formFor(path, format);
  const bytes = form === "xlsx"
    ? await (await excel()).excelBytes(frame, from)
    : frameBytes(frame, form, { excelSafe });
  if (annotationOf(from) === undefined) {
    notify(
      `saveFrame: ${path}: nothing is known of where this frame came from, and the side-car says so; ` +
        "pass from, the frame that it was made from",
    );
  }
  await writeWithSideCar(path, bytes, { ...write, from, form: formNote(frame, form) });
}
