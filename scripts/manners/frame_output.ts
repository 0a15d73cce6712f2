import {
  type DataFrame,
  FRAME_FORMATS,
  frameBytes,
  type FrameFormat,
  saveFrame,
  terminalTable,
} from "../../mod.ts";
import { checkFile } from "./check_file.ts";
import { onlyOneOf } from "./only_one_of.ts";
import type { Option } from "./option.ts";
import { print } from "./print.ts";
import type { Arguments } from "./read_arguments.ts";
import { hasColor, terminalWidth } from "./style.ts";
import { tell } from "./tell.ts";
import { UsageError } from "./usage_error.ts";

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
export function formatOf(given: Arguments): FrameFormat | undefined {
  return onlyOneOf(given, "format", FRAME_FORMATS);
}

/** Shows a frame on the terminal as a table, with the provenance of the one that it was made from. */
export async function printTable(frame: DataFrame, from: DataFrame, rows: number): Promise<void> {
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
  await saveFrame(frame, path, {
    from,
    excelSafe,
    force,
    ...(format === undefined ? {} : { format }),
  });
  tellWritten(path);
}

/** Says on a terminal that a file was written. */
export function tellWritten(path: string): void {
  if (Deno.stderr.isTerminal()) tell(`written: ${path}`);
}
