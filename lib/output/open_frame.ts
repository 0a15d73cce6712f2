import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Connection, defaultConnection } from "../http/connect.ts";
import { sha256 } from "../platform/machine.ts";
import { notify, shown, terminalText } from "../platform/terminal.ts";
import { utf8 } from "../table/columns/cell_values.ts";
import { columnsOf, servedColumns, setColumns } from "../table/track/descriptions.ts";
import { type Frame, pl } from "../table/columns/polars.ts";
import { annotate, annotateUnknown, noteOpened } from "../table/track/provenance.ts";
import { track } from "../table/track/track.ts";
import { sourced } from "../table/track/with_source.ts";
import { formatOf, FRAME_ENDINGS, type FrameFormat } from "./encode.ts";
import { notesOn, noticesOn } from "./findings.ts";
import { foreignTable, type FORMATS, inFrame } from "./foreign_table.ts";
import { openAddress } from "./open_address.ts";
import { restored } from "./restore_frame.ts";
import { sideCarOf } from "./side_car.ts";
import { type TableOptions, tableOptions } from "./table_options.ts";

function readable(path: unknown): typeof FORMATS[number] {
  if (typeof path !== "string") {
    throw new RangeError(`openFrame: path: must be a text or a URL; got ${shown(path)}`);
  }
  const format = formatOf(path);
  if (format === "xlsx" || format === "markdown") {
    throw new RangeError(
      `openFrame: ${format} files are written only; save as Parquet to read it back; got ${
        shown(path)
      }`,
    );
  }
  if (format !== undefined) return format;
  const endings = FRAME_ENDINGS.filter((each) => each !== ".md" && each !== ".xlsx");
  throw new RangeError(`openFrame: path: must end in ${endings.join(", ")}; got ${shown(path)}`);
}

/** Options that a file with a side-car can have. */
const WITH_SIDE_CAR: readonly string[] = ["entity", "date"];

/** Reads the table of a file without a side-car. Options state its source; without options, it is not known. */
function openTable(
  bytes: Uint8Array,
  { name, format, digest }: {
    readonly name: string;
    readonly format: typeof FORMATS[number];
    readonly digest: string;
  },
  options: TableOptions | undefined,
): Frame {
  const { table, source, fetching: { maxBytes = Infinity } } = tableOptions(options ?? {}, "file");
  if (bytes.length > maxBytes) {
    throw new RangeError(`openFrame: maxBytes: ${shown(name)} has ${bytes.length} bytes`);
  }
  const { frame, findings, names } = reading(
    { name, format },
    () => foreignTable([bytes], { format, ...table, name, isLast: false, isFile: true }),
  );
  for (const notice of noticesOn(findings)) notify(terminalText(`openFrame: ${notice}`));
  const notes = notesOn(findings);
  const made = annotateUnknown(track(frame), () => ({
    file: basename(name),
    file_sha256: digest,
    ...notes.length > 0 && { notes },
  }));
  const opened = { file: basename(name), sha256: digest, options };
  return noteOpened(
    options === undefined
      ? made
      : sourced(made, { citation: basename(name), ...inFrame(source, names) }, "openFrame"),
    opened,
  );
}

/** Calls a function that reads a file. An error names the file. */
function reading<Result>(
  { name, format }: { readonly name: string; readonly format: FrameFormat },
  work: () => Result,
): Result {
  try {
    return work();
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new RangeError(
      `openFrame: cannot read ${format}: ${terminalText(reason!.slice(0, 300))}; got ${
        shown(name)
      }`,
      { cause },
    );
  }
}

/**
 * Opens a frame that {@linkcode save} wrote as `.csv`, `.ndjson`, `.json`, `.parquet` or `.arrow`, a file of another
 * program, or a table at an address.
 *
 * An address is https, or http to loopback. The table is JSON, NDJSON, CSV, Parquet or Arrow. It is fetched from the network
 * with the cache, the lock file, the retries, the limit of requests per minute and origin, the signal and `fetch` of the
 * connection, also if the connection is that of sample data. No token is sent. The provenance has the kind `"given"`, with the
 * citation, the address, the day, and in `file_sha256` the digest of the bytes. Values of parameters such as `key`, `token`,
 * `sig` and `X-Amz-…`, and of those in `secret`, are hidden; a key in the path is not. A response enters the cache when a
 * frame was made of it. Read the license of the data before you publish.
 *
 * A column has the first of these dtypes that all its cells have, but missing words: Float64 for numbers (in CSV, also in
 * texts), Bool, Date or Datetime for ISO texts, in UTC if no offset is written; else String with all characters. Lists and
 * objects in rows become JSON texts. Missing words, such as `N/A`, `-` and `null`, are read as null and counted in a notice
 * and in the notes of the provenance. A notice names columns of texts that look like values, with the option that reads them.
 *
 * For files, dtypes, units, provenance and entity errors are restored from the side-car file `NAME.provenance.json`. So `provenanceOf`
 * and `errorsOf` work as before saving, and sample data is still labeled as such. A file without a side-car takes the options
 * of an address; its source is by default its name. Without options, its provenance is unknown, and a notice is shown. Excel
 * and Markdown files cannot be opened.
 * A damaged Parquet file without a side-car can end the process, because polars reserves the memory that the file states.
 *
 * @example
 * ```ts
 * import { cohortAnalysis, openFrame, provenanceOf, save } from "@chainframe/chainframe";
 *
 * const path = `${await Deno.makeTempDir()}/cohorts.csv`;
 * await save(await cohortAnalysis({ limit: 6 }), path);
 * const cohorts = await openFrame(path);
 * console.log(provenanceOf(cohorts).operation); // "cohort_analysis"
 * ```
 *
 * @example A table at an address
 * ```ts ignore
 * import { openFrame } from "@chainframe/chainframe";
 *
 * const protocols = await openFrame("https://api.llama.fi/overview/fees", {
 *   rows: "protocols",
 *   citation: "DefiLlama, fees",
 *   columns: { total24h: { unit: "usd", title: "Fees", adds: "both" } },
 * });
 * ```
 *
 * @example A file of another program
 * ```ts
 * import { openFrame } from "@chainframe/chainframe";
 *
 * const path = `${await Deno.makeTempDir()}/ledger.csv`;
 * await Deno.writeTextFile(path, "day;fees\n31.01.2026;1.234,50\n");
 * const fees = await openFrame(path, { dates: { day: "%d.%m.%Y" }, numbers: "1.234,5" });
 * console.log(fees.row(0)); // 31 January 2026, 1234.5
 * ```
 *
 * @throws {RangeError} when the file does not match the digest in its side-car file, when the file or its side-car
 * cannot be read, and for an unknown ending. For an address that is not https, or that has a password; for an option that
 * does not fit the table. Lists and objects in JSON must have at most 64 levels.
 * @throws {ChainframeError} when a table at an address cannot be fetched.
 * @throws {Error} with the code `ENOENT` when the file does not exist.
 * @category Output
 */
export async function openFrame(
  path: string | URL,
  options?: TableOptions,
  connection?: Connection,
): Promise<Frame> {
  const address = path instanceof URL ? path.href : path;
  if (typeof address === "string" && /^https?:/i.test(address)) {
    return await openAddress(address, options ?? {}, {
      connection: connection ?? defaultConnection(),
    });
  }
  return await openFile(path instanceof URL ? fileURLToPath(path) : path, options);
}

/** Opens a file. `hasRecipe`: whether a recipe states what the frame is, so that a missing side-car gives no notice. */
export async function openFile(
  name: string,
  options: TableOptions | undefined,
  { hasRecipe = false }: { readonly hasRecipe?: boolean } = {},
): Promise<Frame> {
  const format = readable(name);
  // A device such as /dev/zero has no end, and a link can lead to it.
  if (!(await stat(name)).isFile()) {
    throw new RangeError(`openFrame: path: must be a file; got ${shown(name)}`);
  }
  const bytes = await readFile(name);
  const digest = sha256(bytes);
  const sideCar = await sideCarOf(name, digest);
  if (sideCar === null) {
    if (options === undefined && !hasRecipe) {
      notify(
        `openFrame: ${name} has no side-car: its provenance is unknown, and its dtypes are inferred; withSource states the source`,
      );
    }
    return openTable(bytes, { name, format, digest }, options);
  }
  const other = Object.keys(options ?? {}).find((each) => !WITH_SIDE_CAR.includes(each));
  if (other !== undefined) {
    throw new RangeError(
      `openFrame: ${other}: is stated by the side-car of ${
        shown(name)
      }; remove the side-car to state it again`,
    );
  }
  if (sideCar.sha256 !== digest) {
    throw new RangeError(
      `openFrame: the file was changed after it was saved; remove its side-car to open it; got ${
        shown(name)
      }`,
    );
  }
  const frame = track(reading({ name, format }, () => {
    if (sideCar.columns !== undefined) {
      return restored(bytes, format, { ...sideCar, columns: sideCar.columns });
    }
    const { frame, findings } = foreignTable([bytes], { name, format, isLast: true });
    for (const notice of noticesOn(findings)) notify(terminalText(`openFrame: ${notice}`));
    return frame;
  }));
  const described = new Map([...servedColumns(frame.columns), ...sideCar.described]);
  const isStated = Object.keys(options ?? {}).length > 0;
  // The recipe of the frame has the options, so that `withSource` is no step of it.
  const columns = isStated
    ? columnsOf(sourced(setColumns(track(frame.clone()), described), options!, "openFrame"))
    : described;
  if (sideCar.provenance === null) return setColumns(frame, columns);
  const { provenance, entity_errors: rows } = sideCar;
  const errors = track(pl.DataFrame(
    (["code", "field", "value"] as const).map((column) =>
      utf8(column, rows.map((row) => row[column] ?? null))
    ),
  ));
  annotate(errors, { provenance, errors });
  const made = annotate(frame, { provenance, errors }, columns);
  return noteOpened(made, { file: basename(name), sha256: digest, options });
}
