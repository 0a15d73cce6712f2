import { dirname, extname } from "node:path";
import { type Chart, type DataFrame, save } from "../../mod.ts";
import { FRAME_ENDINGS, FRAME_FORMATS, frameBytes } from "../../lib/output/encode.ts";
import { terminalTable } from "../../lib/output/terminal_table.ts";
import { type Arguments, onlyOneOf, type Option, UsageError } from "./arguments.ts";
import { hasColor, print, tell, terminalWidth } from "./terminal.ts";

const DRAWINGS = [".svg", ".png", ".html"];

/** What may be written to a file. */
type Content = "frame" | "frame or drawing" | "anything";

function endingsOf(content: Content): readonly string[] {
  return content === "frame" ? FRAME_ENDINGS : [...DRAWINGS, ...FRAME_ENDINGS];
}

/** Whether the ending of a path asks for a drawing. */
function isDrawing(path: string): boolean {
  return DRAWINGS.includes(extname(path).toLowerCase());
}

async function statOf(path: string): Promise<Deno.FileInfo | null> {
  return await Deno.stat(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  });
}

/**
 * Refuses a path that cannot be written to, before the work begins: it has an ending that says nothing,
 * exists and `--force` is missing, or there is no such folder.
 *
 * @throws {UsageError}
 */
export async function checkFile(
  option: string,
  path: string,
  force: boolean,
  content: Content,
): Promise<void> {
  const endings = endingsOf(content);
  if (content !== "anything" && !endings.includes(extname(path).toLowerCase())) {
    throw new UsageError(
      `--${option}: must end in ${endings.join(", ")}: ${path}`,
    );
  }
  for (const each of [path, `${path}.provenance.json`]) {
    if (!force && await statOf(each) !== null) {
      throw new UsageError(
        `--${option}: the file exists and is kept; --force replaces it: ${each}`,
      );
    }
  }
  if (!(await statOf(dirname(path)))?.isDirectory) {
    throw new UsageError(`--${option}: there is no folder ${dirname(path)}: ${path}`);
  }
}

/** What every script understands that gives out a frame. */
export const FRAME_OPTIONS: readonly Option[] = [
  {
    name: "format",
    value: "FORMAT",
    about:
      `One of ${
        FRAME_FORMATS.join(", ")
      }. If not given: by the ending of the file; on stdout csv, ` +
      "and a table where stdout is a terminal.",
  },
  { name: "force", about: "Replaces files that exist." },
  {
    name: "excel-safe",
    about: "In CSV, puts an apostrophe before texts that a spreadsheet would run as a formula.",
  },
];

/** The format that was asked for; undefined when none was. */
function formatOf(given: Arguments): typeof FRAME_FORMATS[number] | undefined {
  return onlyOneOf(given, "format", FRAME_FORMATS);
}

/** Shows a frame on the terminal as a table, with the provenance of the one that it was made from. */
async function printTable(frame: DataFrame, from: DataFrame, rows: number): Promise<void> {
  const color = hasColor(Deno.stdout);
  await print(`${terminalTable(frame, { width: terminalWidth(), color, rows, from })}\n`);
}

/** Writes a frame to stdout: in the format asked for, else as a table to a terminal, else as CSV. */
export async function printFrame(frame: DataFrame, given: Arguments): Promise<void> {
  const format = formatOf(given);
  const terminal = Deno.stdout.isTerminal();
  if (format === undefined && terminal) return await printTable(frame, frame, 20);
  if (terminal && (format === "parquet" || format === "arrow")) {
    throw new UsageError(`--format ${format}: is nothing for a terminal; give --out FILE`);
  }
  const excelSafe = given.has("excel-safe");
  await print(frameBytes(frame, format ?? "csv", { excelSafe }));
}

/** Checks the paths of `--out` before anything is asked. */
export async function checkFrameFiles(given: Arguments): Promise<void> {
  const content = formatOf(given) === undefined ? "frame" : "anything";
  for (const path of given.all("out")) await checkFile("out", path, given.has("force"), content);
}

/** Writes a frame to a file, and says so on a terminal. */
export async function writeFrame(
  frame: DataFrame,
  path: string,
  given: Arguments,
  from: DataFrame = frame,
): Promise<void> {
  const format = formatOf(given);
  const excelSafe = given.has("excel-safe");
  const force = given.has("force");
  await save(frame, path, {
    source: from,
    ...excelSafe ? { excelSafe } : {},
    force,
    ...(format === undefined ? {} : { format }),
  });
  tellWritten(path);
}

/** Says on a terminal that a file was written. */
export function tellWritten(path: string): void {
  if (Deno.stderr.isTerminal()) tell(`written: ${path}`);
}

/** A summary is shown whole, unless it is very long. */
const MOST_ROWS = 100;

/** What an analysis gives out. */
interface Findings {
  /** The frame of the files, and of stdout where it is no terminal. */
  readonly frame: DataFrame;
  /** The short frame that a terminal shows. */
  readonly summary: DataFrame;
  readonly chart: Chart;
  /** The frame of the operation, whose provenance stands beside the files. */
  readonly from: DataFrame;
}

/** What every analysis understands about its output. */
export const ANALYSIS_OPTIONS: readonly Option[] = [
  {
    name: "out",
    value: "FILE",
    several: true,
    about:
      "A drawing (.svg, .png, .html) or the frame (.csv, .ndjson, .json, .parquet, .arrow, .md).",
  },
  ...FRAME_OPTIONS,
];

/** Checks the paths of `--out` before anything is asked. */
export async function checkAnalysisFiles(given: Arguments): Promise<void> {
  const other = formatOf(given) === undefined ? "frame or drawing" : "anything";
  for (const path of given.all("out")) await checkFile("out", path, given.has("force"), other);
}

async function draw(chart: Chart, path: string, source: DataFrame, force: boolean): Promise<void> {
  await save(chart, path, { source, force });
  tellWritten(path);
}

/**
 * Writes the files that were asked for. A terminal shows the summary besides; where stdout is none, the
 * frame goes there if no file was asked for.
 */
export async function giveOut(findings: Findings, given: Arguments): Promise<void> {
  const { frame, summary, chart, from } = findings;
  for (const path of given.all("out")) {
    if (isDrawing(path)) await draw(chart, path, from, given.has("force"));
    else await writeFrame(frame, path, given, from);
  }
  const terminal = Deno.stdout.isTerminal() && formatOf(given) === undefined;
  if (terminal) await printTable(summary, from, MOST_ROWS);
  else if (!given.has("out")) await printFrame(frame, given);
}
