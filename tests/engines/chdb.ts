/** The used functions of the library, which has no types. */
interface Library {
  CreateConnection(path: string): object;
  QueryWithConnection(connection: object, sql: string, format: string): string;
}

// The library itself, without chdb's JavaScript: that names builds for four machines, and a registry
// that lacks one of them resolves none.
const LIBRARY = "npm:@chdb/lib-linux-x64-gnu@26.7.3-stable.1";

/** Whether there is a library for this machine. */
export const HAS_CHDB = Deno.build.target === "x86_64-unknown-linux-gnu";

/**
 * Opens a database of a current ClickHouse in this process, in a folder that is not there yet. Returns a function that
 * runs a statement, and returns its result as tab-separated text.
 */
export async function openChdb(folder: string): Promise<(sql: string) => string> {
  const { default: library } = await import(LIBRARY) as { default: Library };
  const connection = library.CreateConnection(folder);
  return (sql) => library.QueryWithConnection(connection, sql, "TSV");
}
