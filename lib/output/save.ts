import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { boolean, checkOptions, number, oneOf, pixels } from "../platform/check_options.ts";
import { checkPath, readFile, writeWhole } from "../platform/file.ts";
import { sha256 } from "../platform/machine.ts";
import { notify, shown } from "../platform/terminal.ts";
import { zonedDtypeNames } from "../table/columns/dtypes.ts";
import { ownDescriptions } from "../table/track/descriptions.ts";
import { type DataFrame, pl } from "../table/columns/polars.ts";
import { annotationOf } from "../table/track/provenance.ts";
import { noteOutput } from "../table/track/own_data.ts";
import { aFrame } from "../table/read/requirements.ts";
import { excelBytes } from "./excel.ts";
import type { Report } from "./report.ts";
import { formatOf, FRAME_ENDINGS, FRAME_FORMATS, frameBytes } from "./encode.ts";

const DRAWINGS = [".svg", ".png", ".pdf", ".html", ".json"] as const;
const SVG_TEXTS = ["plain", "outlines"] as const;

/**
 * A drawing that {@linkcode save} can write to a file. Every `Chart` is a `Drawable`.
 *
 * @category Output
 */
export interface Drawable {
  /** The spec of the chart. */
  readonly spec: Promise<unknown>;
  /** The frame that was drawn. */
  readonly source: DataFrame | undefined;
  /** Returns the chart as SVG. */
  svg(options?: { readonly text?: "plain" | "outlines" }): Promise<string>;
  /** Returns the chart as PNG. */
  png(options?: { readonly dpi?: number }): Promise<Uint8Array>;
  /** Returns the chart as PDF. */
  pdf(options?: { readonly width?: number }): Promise<Uint8Array>;
  /** Returns the chart as an HTML page. */
  html(): Promise<string>;
}

const RULES = {
  force: boolean,
  source: aFrame,
  format: oneOf([...FRAME_FORMATS, "xlsx"] as const),
  text: oneOf(SVG_TEXTS),
  dpi: number(1, 960),
  width: pixels(100, 4000),
};

/** Options that apply to only one file type. The values are the format or the file ending of this type. */
const ONLY: Readonly<Record<string, string>> = {
  text: ".svg",
  dpi: ".png",
  width: ".pdf",
};

type SaveOptions = NonNullable<Parameters<typeof save>[2]>;

function checkEffect(kind: string, options: SaveOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (ONLY[name] === undefined || ONLY[name] === kind || value === false) continue;
    const hint = name === "width" && kind.startsWith(".")
      ? "; pass width to the function that draws, or to figure"
      : "";
    throw new RangeError(
      `save: ${name}: belongs to ${ONLY[name]} files; got ${shown(value)}${hint}`,
    );
  }
}

function isDrawable(thing: unknown): thing is Drawable {
  return typeof (thing as Drawable | null)?.svg === "function" &&
    typeof (thing as Drawable).png === "function";
}

function isReport(thing: unknown): thing is Report {
  return typeof (thing as Report | null)?.html === "function";
}

/** Returns the spec of a chart as JSON. The panels of figures are left out, because they contain functions. */
async function specText(chart: Drawable): Promise<string> {
  const { panels: _, ...spec } = await chart.spec as Record<string, unknown>;
  return `${JSON.stringify(spec, null, 2)}\n`;
}

/** Returns a chart or a report as the bytes of a file. */
async function pageBytes(
  thing: Drawable | Report,
  path: string,
  options: SaveOptions,
): Promise<Uint8Array> {
  const [kind, endings] = isDrawable(thing) ? ["chart", DRAWINGS] : ["report", [".html"]];
  const ending = endings.find((each) => path.toLowerCase().endsWith(each));
  if (ending === undefined) {
    throw new RangeError(
      `save: path: must end in ${endings.join(", ")} for a ${kind}; got ${shown(path)}`,
    );
  }
  if (options.format !== undefined) {
    throw new RangeError(`save: format: belongs to frames; got ${shown(options.format)}`);
  }
  checkEffect(ending, options);
  const { text = "outlines", dpi, width } = options;
  if (isDrawable(thing) && ending !== ".html") {
    if (ending === ".png") return await thing.png(dpi === undefined ? {} : { dpi });
    if (ending === ".pdf") return await thing.pdf(width === undefined ? {} : { width });
    const content = ending === ".svg" ? await thing.svg({ text }) : await specText(thing);
    return new TextEncoder().encode(content);
  }
  return new TextEncoder().encode(await thing.html());
}

/**
 * Returns the format, number of rows, dtypes and units of a frame for the side-car file. CSV and JSON files themselves do not
 * contain dtypes.
 */
function formNote(frame: DataFrame, format: string) {
  const dtypes = zonedDtypeNames(frame);
  const columns = Object.fromEntries(frame.columns.map((name, index) => [name, dtypes[index]!]));
  return { format, rows: frame.height, columns, descriptions: ownDescriptions(frame) };
}

/** Returns the bytes of a file for a frame, and the result of `formNote` for the side-car file. */
async function frameContent(
  frame: DataFrame,
  path: string,
  options: SaveOptions,
) {
  const { source = frame } = options;
  const format = options.format ?? formatOf(path);
  if (format === undefined) {
    throw new RangeError(
      `save: path: must end in ${FRAME_ENDINGS.join(", ")}, or pass format; got ${shown(path)}`,
    );
  }
  checkEffect(format, options);
  const bytes = format === "xlsx" ? await excelBytes(frame, source) : frameBytes(frame, format);
  if (annotationOf(source) === undefined) {
    notify(
      `save: ${path}: origin unknown; pass source, the frame from which it was made`,
    );
  }
  return { bytes, form: formNote(frame, format), source };
}

/**
 * Returns the record of a file that will be replaced: that of its side-car, or only its digest. Null if there is no file.
 * If the process ends between the two files, the new side-car has the record of the old file.
 */
async function recordOf(name: string, beside: string): Promise<object | null> {
  const bytes = await readFile(name);
  if (bytes === null) return null;
  const digest = sha256(bytes);
  const text = new TextDecoder().decode(await readFile(beside) ?? new Uint8Array());
  let known: { readonly sha256?: unknown; readonly before?: { readonly sha256?: unknown } } = {};
  try {
    known = Object(JSON.parse(text));
  } catch {
    // The side-car is missing or damaged, and is replaced.
  }
  const { before, ...record } = known;
  return [record, before].find((each) => each?.sha256 === digest) ??
    { file: basename(name), sha256: digest };
}

/**
 * Throws an error for a value that cannot be saved. The message has a hint if the arguments are swapped, or if the
 * value is a promise.
 */
function refuse(thing: unknown, path: unknown): never {
  const hint = typeof thing === "string" && typeof path !== "string"
    ? "; the path comes second: save(frame, path)"
    : "";
  throw new RangeError(
    `save: takes a frame, a chart, a report or bytes${hint}; got ${shown(thing)}`,
  );
}

/**
 * Saves a frame, a chart, a report or bytes to a file.
 *
 * | thing | endings of the path |
 * |---|---|
 * | frame | `.csv`, `.ndjson` `.jsonl`, `.json`, `.parquet`, `.arrow` `.ipc` `.feather`, `.md`, `.xlsx` |
 * | chart | `.svg`, `.png`, `.pdf`, `.html`, `.json` (the Vega-Lite spec, or the texts and rows of a Plot chart) |
 * | report | `.html` |
 * | bytes | any |
 *
 * A side-car file `NAME.provenance.json` is also written. It contains the digest of the file, the dtype of every
 * column, the provenance of the frame and its entity errors. If the origin of the frame is unknown, the provenance is
 * null and a warning is shown. To avoid this, pass the original frame as `source`. `openFrame` reads the file and its
 * side-car.
 *
 * Each of the two files is written completely or not at all. The side-car is written first and also has the record of a
 * file that is replaced, as `before`, so that a file always has its record. Existing files are not replaced unless `force` is true.
 * Symbolic links are followed.
 *
 * Parquet and Arrow files store all dtypes, JSON those of JSON, workbooks numbers, dates and texts, and Markdown none.
 * In CSV, null is an empty cell, an empty text is `""`, and numbers have their shortest exact form. Lists and structs
 * are JSON texts. An Excel workbook has the sheets `data` and `source`. In a workbook, null and empty texts are empty
 * cells, and texts are never read as formulas.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, plotRetention, pooledRetention, retentionCurves, save } from "@chainframe/chainframe";
 *
 * const folder = await Deno.makeTempDir();
 * const cohorts = await cohortAnalysis({ limit: 6 });
 * await save(cohorts, `${folder}/cohorts.csv`);
 * await save(plotRetention(pooledRetention(retentionCurves(cohorts))), `${folder}/retention.svg`);
 * ```
 *
 * @param path a path, or several: the endings select the formats
 * @throws {RangeError} for an unsupported value or ending; for NaN and Infinity in CSV, JSON, NDJSON and workbooks; for
 * more rows than a workbook can contain; for an option that does not apply to the format.
 * @throws {Error} with the code `EEXIST` when the file or its side-car exists and `force` is not set; with the code
 * `ENOENT` when the folder does not exist.
 * @category Output
 */
export async function save(
  thing: DataFrame | Drawable | Report | Uint8Array,
  path: string | URL | readonly (string | URL)[],
  options: {
    /**
     * Whether existing files are replaced.
     *
     * @default {false}
     */
    readonly force?: boolean;
    /**
     * The frame whose provenance and entity errors go into the side-car.
     *
     * @default {the frame that is saved, or that was drawn}
     */
    readonly source?: DataFrame;
    /**
     * Frames only: `"csv"`, `"ndjson"`, `"json"`, `"parquet"`, `"arrow"`, `"markdown"` or `"xlsx"`.
     *
     * @default {determined by the ending of the path}
     */
    readonly format?: "csv" | "ndjson" | "json" | "parquet" | "arrow" | "markdown" | "xlsx";
    /**
     * SVG only: how text is stored. `"outlines"` converts text to shapes, which look the same in every program. `"plain"`
     * keeps text, which is shown in a font of the reader's machine.
     *
     * @default {"outlines"}
     */
    readonly text?: "plain" | "outlines";
    /**
     * PNG only: the resolution in pixels per inch. There are 96 CSS pixels per inch, so a resolution of 192 gives two
     * pixels per CSS pixel.
     *
     * @default {192: two pixels per CSS pixel}
     */
    readonly dpi?: number;
    /**
     * PDF only: the width in CSS pixels, such as 336 for 89 mm or 692 for 183 mm. The chart is laid out again at this
     * width.
     *
     * @default {the width of the chart}
     */
    readonly width?: number;
  } = {},
): Promise<void> {
  if (Array.isArray(path)) {
    for (const each of path) await save(thing, each, options);
    return;
  }
  const given = checkOptions(options, RULES, "save") as SaveOptions;
  const { source, force = false } = given;
  const name = path instanceof URL ? fileURLToPath(path) : path;
  if (typeof thing === "string") refuse(thing, path);
  if (typeof name !== "string" || name === "") {
    throw new RangeError(`save: path: must be a text or a URL; got ${shown(path)}`);
  }
  const content = thing instanceof Uint8Array
    ? { bytes: thing, form: null, source }
    : pl.DataFrame.isDataFrame(thing)
    ? await frameContent(thing, name, given)
    : isDrawable(thing) || isReport(thing)
    ? { bytes: await pageBytes(thing, name, given), form: null, source: source ?? thing.source }
    : refuse(thing, path);
  const beside = `${name}.provenance.json`;
  await checkPath(name, { force });
  await checkPath(beside, { force });
  if (content.source !== undefined) noteOutput(content.source);
  const annotation = content.source === undefined ? undefined : annotationOf(content.source);
  const sideCar = {
    file: basename(name),
    sha256: sha256(content.bytes),
    ...content.form,
    provenance: annotation?.provenance ?? null,
    entity_errors: annotation?.errors.toRecords() ?? null,
    before: await recordOf(name, beside) ?? undefined,
  };
  const text = `${JSON.stringify(sideCar, null, 2)}\n`;
  await writeWhole(beside, new TextEncoder().encode(text), { force });
  await writeWhole(name, content.bytes, { force });
}
