import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type Connection, defaultConnection, settingsOf } from "../http/connect.ts";
import { fetchFile } from "../http/fetch_file.ts";
import { MAX_BYTES } from "../http/send.ts";
import {
  checkOptions,
  integer,
  isObject,
  oneOf,
  required,
  type Rule,
  string,
} from "../platform/check_options.ts";
import { sha256 } from "../platform/machine.ts";
import { notify, shown, terminalText } from "../platform/terminal.ts";
import { utf8 } from "../table/columns/cell_values.ts";
import { servedColumns, setColumns } from "../table/track/descriptions.ts";
import { type Frame, pl } from "../table/columns/polars.ts";
import { annotate, annotateUnknown, noteOpened } from "../table/track/provenance.ts";
import { noteOutput } from "../table/track/own_data.ts";
import { track } from "../table/track/track.ts";
import { withSource } from "../table/track/with_source.ts";
import { formatOf, FRAME_ENDINGS, type FrameFormat } from "./encode.ts";
import { EPOCHS, foreignTable, FORMATS } from "./foreign_table.ts";
import { restored } from "./restore_frame.ts";
import { sideCarOf } from "./side_car.ts";

function readable(path: unknown): FrameFormat {
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

/** A dtype that `columns` can ask for. */
const DTYPE =
  /^(?:String|Bool|Date|Datetime|Categorical|U?Int(?:8|16|32|64)|Float(?:32|64)|(?:List|Struct)\(.+\))$/;

const isText = (value: unknown) => typeof value === "string" && value.trim() !== "";
const text: Rule<string> = (value, refuse) =>
  isText(value) ? value as string : refuse("must be a text");
const names: Rule<string[]> = (value, refuse) =>
  Array.isArray(value) && value.length > 0 && value.every(isText) &&
    new Set(value).size === value.length
    ? value
    : refuse("must be a list of different names");
const epochs: Rule<Record<string, keyof typeof EPOCHS>> = (value, refuse) => {
  const units = Object.keys(EPOCHS);
  return isObject(value) && Object.values(value).every((unit) => units.includes(unit as string))
    ? value as Record<string, keyof typeof EPOCHS>
    : refuse(`must be an object with ${units.join(", ")}, such as { time: "seconds" }`);
};
const columns: Rule<Record<string, { readonly dtype?: string }>> = (value, refuse) => {
  if (!isObject(value) || !Object.values(value).every(isObject)) {
    return refuse('must be an object, such as { tvl: { unit: "usd", adds: "groups" } }');
  }
  const made = value as Record<string, { readonly dtype?: string }>;
  for (const { dtype } of Object.values(made)) {
    if (dtype !== undefined && !(isText(dtype) && DTYPE.test(dtype))) {
      return refuse(
        `dtype must be one such as String, Float64, Date or List(String); got ${shown(dtype)}`,
      );
    }
  }
  return made;
};

const OPTIONS = {
  citation: required(text),
  license: text,
  rows: string,
  format: oneOf(FORMATS),
  keys: names,
  names,
  dates: epochs,
  columns,
  maxBytes: integer(1),
  secret: names,
};

/**
 * The options of {@linkcode openFrame} for an address.
 *
 * @category Output
 */
export interface AddressOptions {
  /** The name of the source, as in a list of references. */
  readonly citation: string;
  /**
   * The license of the data.
   *
   * @default {not stated}
   */
  readonly license?: string;
  /**
   * The path of the list of rows in JSON, such as `"data.prices"`. One name can be `*`, which stands for all members. Then
   * `keys` names the column of their names.
   *
   * @default {the whole response}
   */
  readonly rows?: string;
  /**
   * The format of the table.
   *
   * @default {by the first bytes, or the ending of the address}
   */
  readonly format?: "json" | "ndjson" | "csv" | "parquet" | "arrow";
  /** The name of the column for the `*` in `rows`, in a list. */
  readonly keys?: readonly string[];
  /** The names of the columns, if each row is a list. */
  readonly names?: readonly string[];
  /** The units of columns that count the time since 1970, such as `{ time: "seconds" }`. Texts of digits are accepted. */
  readonly dates?: Readonly<Record<string, "seconds" | "milliseconds" | "days">>;
  /**
   * Columns by name: `unit`, `title` and `adds` as in `withSource`, and `dtype`, such as `"String"` for ids of digits, or
   * `"List(String)"`.
   *
   * @default {no units; values cannot be added}
   */
  readonly columns?: Readonly<
    Record<string, {
      readonly dtype?: string;
      readonly unit?: string;
      readonly title?: string;
      readonly adds?: "both" | "groups" | "none";
    }>
  >;
  /**
   * Maximum size of the table in bytes, after it is unpacked.
   *
   * @default {268435456}
   */
  readonly maxBytes?: number;
  /**
   * Further parameters of the address whose values are secret, besides those that look like keys and tokens. Provenance,
   * files and messages have these names, and never their values.
   *
   * @default {none}
   */
  readonly secret?: readonly string[];
}

/** Returns the frame of a table at an address, with its source. */
async function openAddress(
  address: string,
  options: AddressOptions | undefined,
  connection: Connection,
): Promise<Frame> {
  const fn = "openFrame";
  const { citation, license, maxBytes = MAX_BYTES, secret, columns = {}, ...table } = checkOptions(
    options ?? {},
    OPTIONS,
    fn,
  );
  const file = await fetchFile(address, { maxBytes, secret }, connection);
  let frame: Frame;
  try {
    const name = new URL(address).pathname;
    frame = track(foreignTable(file.bytes, { ...table, name, columns }));
  } catch (cause) {
    if (!(cause instanceof RangeError)) await file.forget();
    const [reason] = (cause as Error).message.split("\n");
    const told = terminalText(file.redact(reason!).slice(0, 300));
    throw new RangeError(`${fn}: ${told}; read from ${file.url}`);
  }
  annotateUnknown(frame, () => ({ file: null, file_sha256: file.sha256 }));
  const described = Object.entries(columns).map(([name, { dtype: _, ...rest }]) =>
    [name, rest] as const
  );
  const made = withSource(frame, {
    citation,
    ...license === undefined ? {} : { license },
    url: file.url,
    retrievedAt: file.retrieved_at,
    sample: file.sample,
    columns: Object.fromEntries(described),
  });
  noteOutput(made, settingsOf(connection).lock);
  return noteOpened(made, { address: file.url, sha256: file.sha256, options });
}

/**
 * Opens a frame that {@linkcode save} wrote as `.csv`, `.ndjson`, `.json`, `.parquet` or `.arrow`, or a table at an
 * address.
 *
 * An address is https, or http to loopback. The table is JSON, NDJSON, CSV, Parquet or Arrow. It is fetched from the network
 * with the cache, the lock file, the retries, the limit of requests per minute and origin, the signal and `fetch` of the
 * connection, also if the connection is that of sample data. No token is sent. The provenance has the kind `"given"`, with the
 * citation, the address, the day, and in `file_sha256` the digest of the bytes. Values of parameters such as `key`, `token`,
 * `sig` and `X-Amz-…`, and of those in `secret`, are hidden; a key in the path is not. Numbers become Float64, ISO dates and times Date or
 * Datetime, lists and objects in rows JSON texts. Read the license of the data before you publish.
 *
 * For files, dtypes, units, provenance and entity errors are restored from the side-car file `NAME.provenance.json`. So `provenanceOf`
 * and `errorsOf` work as before saving, and sample data is still labeled as such. If there is no side-car, the
 * dtypes are inferred as for an address, the provenance is unknown, and a notice is shown. Excel and Markdown
 * files cannot be opened.
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
 * @throws {RangeError} when the file does not match the digest in its side-car file, when the file or its side-car
 * cannot be read, and for an unknown ending. For an address that is not https, or that has a password; for an option that
 * does not fit the table. Lists and objects in JSON must have at most 64 levels.
 * @throws {ChainframeError} when a table at an address cannot be fetched.
 * @throws {Error} with the code `ENOENT` when the file does not exist.
 * @category Output
 */
export async function openFrame(
  path: string | URL,
  options?: AddressOptions,
  connection?: Connection,
): Promise<Frame> {
  const address = path instanceof URL ? path.href : path;
  if (typeof address === "string" && /^https?:/i.test(address)) {
    return await openAddress(address, options, connection ?? defaultConnection());
  }
  if (options !== undefined) {
    throw new RangeError(`openFrame: options: are for an address; got ${shown(address)}`);
  }
  const name = path instanceof URL ? fileURLToPath(path) : path;
  const format = readable(name);
  // A device such as /dev/zero has no end, and a link can lead to it.
  if (!(await stat(name)).isFile()) {
    throw new RangeError(`openFrame: path: must be a file; got ${shown(name)}`);
  }
  const bytes = await readFile(name);
  const digest = sha256(bytes);
  const sideCar = await sideCarOf(name, digest);
  if (sideCar === null) {
    notify(
      `openFrame: ${name} has no side-car: its provenance is unknown, and its dtypes are inferred; withSource states the source`,
    );
  } else if (sideCar.sha256 !== digest) {
    throw new RangeError(
      `openFrame: the file was changed after it was saved; remove its side-car to open it; got ${
        shown(name)
      }`,
    );
  }
  let frame: Frame;
  try {
    frame = track(
      sideCar?.columns === undefined
        ? foreignTable(bytes, { name, format: format as typeof FORMATS[number] })
        : restored(bytes, format, { ...sideCar, columns: sideCar.columns, name }),
    );
  } catch (cause) {
    const [reason] = (cause as Error).message.split("\n");
    throw new RangeError(
      `openFrame: cannot read ${format}: ${terminalText(reason!.slice(0, 300))}; got ${
        shown(name)
      }`,
      { cause },
    );
  }
  if (sideCar === null) {
    const unknown = annotateUnknown(frame, () => ({ file: basename(name), file_sha256: digest }));
    return noteOpened(unknown, { file: basename(name), sha256: digest });
  }
  const columns = new Map([...servedColumns(frame.columns), ...sideCar.described]);
  if (sideCar.provenance === null) return setColumns(frame, columns);
  const { provenance, entity_errors: rows } = sideCar;
  const errors = track(pl.DataFrame(
    (["code", "field", "value"] as const).map((column) =>
      utf8(column, rows.map((row) => row[column] ?? null))
    ),
  ));
  annotate(errors, { provenance, errors });
  const made = annotate(frame, { provenance, errors }, columns);
  return noteOpened(made, { file: basename(name), sha256: digest });
}
