import { extname } from "node:path";
import { type Chart, type DataFrame, saveBytes } from "../../mod.ts";
import { checkFile, isDrawing } from "./check_file.ts";
import {
  formatOf,
  FRAME_OPTIONS,
  printFrame,
  printTable,
  tellWritten,
  writeFrame,
} from "./frame_output.ts";
import type { Option } from "./option.ts";
import type { Arguments } from "./read_arguments.ts";

/** A summary is shown whole, unless it is very long. */
const MOST_ROWS = 100;

/** What an analysis gives out. */
export interface Findings {
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

async function draw(chart: Chart, path: string, from: DataFrame, force: boolean): Promise<void> {
  const ending = extname(path).toLowerCase();
  const bytes = ending === ".png"
    ? await chart.png()
    : ending === ".html"
    ? await chart.html()
    : await chart.svg();
  await saveBytes(bytes, path, { from, force });
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
