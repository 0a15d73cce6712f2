/** A current ClickHouse in this process, with a folder of its own. */
export interface Chdb extends Disposable {
  /** Runs a statement, and returns its result as tab-separated text. */
  readonly ask: (sql: string) => string;
}

/** The used functions of the library, which has no types. */
interface Library {
  CreateConnection(path: string): object;
  QueryWithConnection(connection: object, sql: string, format: string): string;
  CloseConnection(connection: object): void;
}

// The library itself, without chdb's JavaScript: that names builds for four machines, and a registry
// that lacks one of them resolves none.
const LIBRARY = "npm:@chdb/lib-linux-x64-gnu@26.7.3-stable.1";

/** Whether there is a library for this machine. */
export const HAS_CHDB = Deno.build.target === "x86_64-unknown-linux-gnu";

/** Opens a database of a current ClickHouse in a folder that is not there yet. */
export async function openChdb(folder: string): Promise<Chdb> {
  const { default: library } = await import(LIBRARY) as { default: Library };
  const connection = library.CreateConnection(folder);
  return {
    ask: (sql) => library.QueryWithConnection(connection, sql, "TSV"),
    [Symbol.dispose]: () => library.CloseConnection(connection),
  };
}
