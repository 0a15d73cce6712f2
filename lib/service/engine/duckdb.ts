// deno-lint-ignore-file no-import-prefix
// Import maps apply only to the root config. Projects that import this file by path have another root config.
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBListValue,
  type DuckDBResult,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  quotedString as quoteText,
  VARCHAR,
  version,
} from "npm:@duckdb/node-api@1.5.5-r.5";
import { dataPath } from "./paths.ts";

/** Quotes text from the operator, such as a path, as an SQL literal. Pass text from a client as a binding instead. */
export { quoteText };

/** A value in a row of the database. */
export type Cell = string | number | bigint | boolean | null | Uint8Array | Cell[];

/** The values of a row of the database, by column name. */
export type Row = Record<string, Cell>;

/** A value that replaces a `$name` in a statement. */
export type Binding = string | number | bigint | boolean | null | Uint8Array | readonly string[];

/** An open database. */
export interface Database {
  /** Runs statements and ignores their results. `sql` can have several statements if it has no bindings. */
  run(sql: string, bindings?: Record<string, Binding>): Promise<void>;
  /** Runs one statement and returns its rows. Dates become text (`YYYY-MM-DD`), and integers become numbers. */
  rows(sql: string, bindings?: Record<string, Binding>): Promise<Row[]>;
  /** Runs one statement as `rows` does, but yields batches of about 20 000 values. Each batch is read on demand. */
  batches(sql: string, bindings?: Record<string, Binding>): AsyncGenerator<Row[], void>;
  /** Closes the database. Call it only while no statement is running. */
  close(): void;
}

/** A database whose statements can end early. */
export interface ServedDatabase extends Database {
  /** Returns the same database. When the signal fires, its statements end, and reject with the signal's reason. */
  until(signal: AbortSignal): Database;
}

/** About how many values a batch has. They are converted without a pause. */
const VALUES_AT_ONCE = 20_000;

/** Options of {@linkcode openDuckdb}. */
interface DatabaseOptions {
  /**
   * A file to open read-only. If omitted, the database is in memory.
   * @default none
   */
  file?: string;
  /**
   * A file to create. The file contains the schema `data`. All other schemas are in memory.
   * @default none
   */
  built?: string;
  /**
   * Folder for data that does not fit into memory. If it is empty, DuckDB writes no such data.
   * @default ""
   */
  temporaryFolder?: string;
  /**
   * Memory limit, such as `2GB`.
   * @default four fifths of the machine's memory
   */
  memory?: string | undefined;
}

// All extensions that the service uses are part of the library, so DuckDB downloads nothing.
const OFFLINE = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
} as const;

// With this setting, DuckDB returns freed memory to the system. Otherwise, it keeps the memory for the next query.
const RELEASE_MEMORY = { allocator_background_threads: "true" } as const;

function bind(value: Binding): DuckDBValue {
  if (value instanceof Uint8Array) return new DuckDBBlobValue(value);
  return typeof value === "object" && value !== null ? new DuckDBListValue([...value]) : value;
}

// Declares the type of every list, because DuckDB cannot infer the type of an empty list.
function bindAll(
  bindings: Record<string, Binding>,
): [Record<string, DuckDBValue>, Record<string, DuckDBType>] {
  const names = Object.keys(bindings);
  const lists = names.filter((name) => Array.isArray(bindings[name]));
  return [
    Object.fromEntries(names.map((name) => [name, bind(bindings[name]!)])),
    Object.fromEntries(lists.map((name) => [name, LIST(VARCHAR)])),
  ];
}

function plain(value: DuckDBValue): Cell {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof DuckDBListValue) return value.items.map(plain);
  if (value instanceof DuckDBBlobValue) return value.bytes;
  if (value === null || typeof value !== "object") return value ?? null;
  return value.toString();
}

/** Returns the version of the database library, such as `v1.5.5`. */
export function duckdbVersion(): string {
  return version();
}

// With a fixed time zone, timestamps fall on the same day on every machine.
const TIME_ZONE = "SET GLOBAL TimeZone = 'UTC'";

// Settings that are used only for serving. With the first of them, building the sample would take 17% longer.
const SERVING = [
  "SET GLOBAL allocator_bulk_deallocation_flush_threshold = '1MB'",
  "SET GLOBAL enable_external_access = false",
  "SET GLOBAL lock_configuration = true",
];

// Attaches each file under a fixed name. Otherwise, a file such as data.duckdb would get the name `data`, which would
// hide the schema `data`.
async function prepare(
  instance: DuckDBInstance,
  { file, built }: DatabaseOptions,
): Promise<void> {
  const connection = await instance.connect();
  try {
    await connection.run(TIME_ZONE);
    if (built !== undefined) {
      await connection.run(
        `ATTACH ${quoteText(dataPath(built))} AS built; CREATE SCHEMA built.data`,
      );
    }
    if (file === undefined) return;
    await connection.run(`ATTACH ${quoteText(dataPath(file))} AS served (READ_ONLY)`);
    for (const setting of SERVING) await connection.run(setting);
  } finally {
    connection.closeSync();
  }
}

/** How often a statement is interrupted until it ends. */
const INTERRUPT_MS = 5;

/**
 * Lets a signal interrupt the statement of a connection. Returns a function that ends this and closes the connection.
 * DuckDB forgets an interrupt that comes before its thread has begun the statement, so it is repeated.
 */
function interruptedBy(connection: DuckDBConnection, signal: AbortSignal | null): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer ??= setInterval(interrupt, INTERRUPT_MS);
  };
  signal?.addEventListener("abort", interrupt);
  return () => {
    signal?.removeEventListener("abort", interrupt);
    clearInterval(timer);
    connection.closeSync();
  };
}

/** Runs a statement on a connection of its own. A signal interrupts it. */
async function interruptible<T>(
  connect: () => Promise<DuckDBConnection>,
  signal: AbortSignal | null,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect();
  const close = interruptedBy(connection, signal);
  try {
    signal?.throwIfAborted();
    return await use(connection);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    close();
  }
}

/** Yields the rows of a result. A chunk of DuckDB has 2 048 rows, and converting all of them would take long. */
async function* batchesOf(result: DuckDBResult): AsyncGenerator<Row[], void> {
  const names = result.deduplicatedColumnNames();
  const size = Math.ceil(VALUES_AT_ONCE / names.length);
  for await (const chunk of result) {
    const { rowCount } = chunk;
    for (let first = 0; first < rowCount; first += size) {
      yield Array.from({ length: Math.min(size, rowCount - first) }, (_, index) => {
        const values = chunk.convertRowValues(first + index, plain);
        return Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])) as Row;
      });
    }
  }
}

/** Opens a DuckDB database. Every statement has its own connection, so statements can run concurrently. */
export async function openDuckdb(options: DatabaseOptions = {}): Promise<ServedDatabase> {
  const { file, built, temporaryFolder = "", memory } = options;
  const instance = await DuckDBInstance.create(":memory:", {
    ...OFFLINE,
    ...RELEASE_MEMORY,
    ...memory && { memory_limit: memory },
    temp_directory: temporaryFolder === "" ? "" : dataPath(temporaryFolder),
  });
  try {
    await prepare(instance, options);
  } catch (error) {
    instance.closeSync();
    throw error;
  }
  const connected = async () => {
    const connection = await instance.connect();
    if (file !== undefined) await connection.run("USE served");
    if (built !== undefined) await connection.run("SET search_path = 'memory.main,built.data'");
    return connection;
  };
  const statements = (signal: AbortSignal | null): Database => ({
    run: (sql, bindings) =>
      interruptible(connected, signal, async (connection) => {
        if (bindings === undefined) await connection.run(sql);
        else await connection.run(sql, ...bindAll(bindings));
      }),
    rows: (sql, bindings = {}) =>
      interruptible(connected, signal, async (connection) => {
        const result = await connection.run(sql, ...bindAll(bindings));
        return await result.convertRowObjects(plain) as Row[];
      }),
    async *batches(sql, bindings = {}) {
      const connection = await connected();
      const close = interruptedBy(connection, signal);
      try {
        signal?.throwIfAborted();
        yield* batchesOf(await connection.stream(sql, ...bindAll(bindings)));
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      } finally {
        close();
      }
    },
    close: () => instance.closeSync(),
  });
  return { ...statements(null), until: statements };
}
