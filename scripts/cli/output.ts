import { dirname, extname } from "node:path";
import { FRAME_ENDINGS, FRAME_FORMATS, frameBytes } from "../../lib/output/encode.ts";
import { terminalTable } from "../../lib/output/terminal_table.ts";
import { statOf } from "../../lib/platform/file.ts";
import { listed, terminalWidth } from "../../lib/platform/terminal.ts";
import {
  type Chart,
  type ChartOptions,
  type DataFrame,
  errorsOf,
  NotFoundError,
  pl,
  save,
} from "../../mod.ts";
import { COLORS_OPTION, keepColors, readColors } from "./colors.ts";
import { declaredFlags } from "./declared_options.ts";
import { optionsFrom } from "./option_values.ts";
import {
  type Arguments,
  flag,
  type Io,
  type Option,
  option,
  type OptionGroup,
  print,
  several,
  tell,
  UsageError,
} from "./script.ts";

/** The endings of files of charts. */
export const DRAWINGS = [".svg", ".png", ".pdf", ".html"];
const MISSING = ["warn", "throw", "ignore"] as const;

/** The options for entities that were not found. */
export const ERROR_OPTIONS: readonly Option[] = [
  option(
    "on-missing",
    "WHAT",
    "For unknown entities: warn (default; a table on stderr), throw (exit code 1), ignore.",
  ),
  option("errors", "FILE", "Also writes the entity errors to this file: code, field, value."),
];

function outputOptions(out: string): Option[] {
  return [
    several("out", "FILE", out),
    option(
      "format",
      "FORMAT",
      `One of ${FRAME_FORMATS.join(", ")}. By default: by the ending of the file; on stdout csv, ` +
        "on a terminal a table.",
    ),
    flag("force", "Replaces existing files."),
    ...ERROR_OPTIONS,
  ];
}

/** The options of scripts that return one frame. */
export const FETCH_OUTPUT = outputOptions("Writes to this file, not to stdout.");

const CHART_NAMES = ["title", "theme", "width", "limit", "locale"] as const;

/** The options of scripts that draw. */
export const CHART_OPTIONS: OptionGroup = {
  title: "Charts",
  options: [...declaredFlags("plotTimeline", ...CHART_NAMES), COLORS_OPTION],
};

/** Returns the options of a chart that are given. */
export function chartOptions(given: Arguments): ChartOptions {
  return optionsFrom("plotTimeline", given, CHART_NAMES);
}

/** The options of scripts that return a frame and a chart. */
export const ANALYSIS_OUTPUT: OptionGroup = {
  title: "Output",
  options: outputOptions(
    "A chart (.svg, .png, .pdf, .html) or the frame (.csv, .ndjson, .json, .parquet, .arrow, .md).",
  ),
};

/**
 * Checks that the files of an option can be written. Scripts call it before the work begins.
 *
 * @throws {UsageError} for an unknown ending, a missing folder, or an existing file if `--force` is not given.
 */
export async function checkFile(
  name: string,
  given: Arguments,
  endings?: readonly string[],
): Promise<void> {
  for (const path of given.all(name)) {
    if (endings !== undefined && !endings.includes(extname(path).toLowerCase())) {
      throw new UsageError(`--${name}: must end in ${endings.join(", ")}; got "${path}"`);
    }
    for (const each of [path, `${path}.provenance.json`]) {
      if (!given.has("force") && await statOf(each) !== null) {
        throw new UsageError(
          `--${name}: the file exists; pass --force to replace it: ${each}`,
        );
      }
    }
    if (!(await statOf(dirname(path)))?.isDirectory()) {
      throw new UsageError(`--${name}: the folder ${dirname(path)} does not exist: ${path}`);
    }
  }
}

/** Checks the output options of a script. Scripts call this function before they send requests. */
export async function checkOutput(given: Arguments, kind: "frame" | "analysis"): Promise<void> {
  const frames = FRAME_ENDINGS;
  const endings = kind === "frame" ? frames : [...DRAWINGS, ...frames];
  const format = given.oneOf("format", FRAME_FORMATS);
  await checkFile("out", given, format === undefined ? endings : undefined);
  given.oneOf("on-missing", MISSING);
  await checkFile("errors", given, frames);
}

/** The width of tables, in columns, if there is no terminal. */
const WIDTH = 80;

/** Prints a frame as a table to a terminal, and then the provenance of the frame `source`. */
async function printTable(frame: DataFrame, source: DataFrame, io: Io): Promise<void> {
  const options = { width: terminalWidth() ?? WIDTH, rows: 100, source };
  await print(io, `${terminalTable(frame, options)}\n`);
}

/** Prints a frame to stdout in the format of `--format`. The default is CSV. */
async function printFrame(frame: DataFrame, given: Arguments, io: Io): Promise<void> {
  const format = given.oneOf("format", FRAME_FORMATS) ?? "csv";
  if (io.stdout.isTerminal() && (format === "parquet" || format === "arrow")) {
    throw new UsageError(`--format ${format}: cannot be shown in a terminal; give --out FILE`);
  }
  await print(io, frameBytes(frame, format));
}

function isDrawing(path: string): boolean {
  return DRAWINGS.includes(extname(path).toLowerCase());
}

async function write(
  thing: DataFrame | Chart,
  path: string,
  { given, source, io }: {
    readonly given: Arguments;
    readonly source: DataFrame;
    readonly io: Io;
  },
): Promise<void> {
  const force = given.has("force");
  const isChart = !pl.DataFrame.isDataFrame(thing);
  const format = isChart ? undefined : given.oneOf("format", FRAME_FORMATS);
  await save(thing, path, {
    force,
    source,
    ...format === undefined ? {} : { format },
  });
  if (io.stderr.isTerminal()) tell(io, `written: ${path}`);
}

/** Writes the files of `--out`. Prints the summary to a terminal. Without `--out`, prints the frame to a pipe. */
export async function giveOut(
  { frame, summary, chart, source }: {
    /** The frame to write to files and pipes. */
    readonly frame: DataFrame;
    /** The short frame to print to a terminal. If it is missing, `frame` is printed instead. */
    readonly summary?: DataFrame;
    /** Makes the chart for files of drawings. */
    readonly chart?: () => Chart | Promise<Chart>;
    /** The frame that the operation returned. Its provenance is written next to each file. */
    readonly source: DataFrame;
  },
  given: Arguments,
  io: Io,
): Promise<void> {
  const draws = chart !== undefined && given.all("out").some(isDrawing);
  if (draws) await readColors(given);
  const drawn = draws ? await chart() : undefined;
  for (const path of given.all("out")) {
    await write(isDrawing(path) ? drawn ?? frame : frame, path, { given, source, io });
  }
  if (draws) await keepColors(given);
  const shows = io.stdout.isTerminal() && !given.has("format");
  if (shows && (summary !== undefined || !given.has("out"))) {
    await printTable(summary ?? frame, source, io);
  } else if (!given.has("out")) await printFrame(frame, given, io);
}

/**
 * Reports unknown entities as the options `--on-missing` and `--errors` specify.
 *
 * @throws {NotFoundError} for unknown entities if `--on-missing` is `throw`, or if it is `warn` and the frame is empty.
 */
export async function reportMissing(frame: DataFrame, given: Arguments, io: Io): Promise<void> {
  const errors = errorsOf(frame);
  for (const path of given.all("errors")) {
    await save(errors, path, { source: frame, force: given.has("force") });
  }
  const what = given.oneOf("on-missing", MISSING) ?? "warn";
  if (errors.height === 0 || what === "ignore") return;
  // Copies only the columns, because the table of the main frame already shows the provenance.
  const bare = pl.DataFrame(errors.getColumns());
  const options = { width: terminalWidth() ?? WIDTH, rows: 100 };
  tell(io, `Not found:\n${terminalTable(bare, options)}`);
  if (what !== "throw" && frame.height > 0) return;
  const names = errors.toRecords().map(({ field, value }) => `${field} ${value}`);
  throw new NotFoundError(`not found: ${listed(names, 3)}`, { errors });
}
