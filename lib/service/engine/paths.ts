import { resolve } from "node:path";

// DuckDB reads a path with one of these characters as a pattern, and `~` at the start as the home folder.
const PATTERN = /[[*?]/g;

/**
 * Returns the path of a file to read, escaped so that DuckDB takes it literally.
 *
 * @throws {Error} when the path cannot be escaped.
 */
export function readPath(path: string): string {
  const whole = resolve(path);
  if (whole.search(PATTERN) >= 0 && whole.includes("\\")) {
    throw new Error(
      `Cannot read ${path}: the database reads a path with a backslash and one of [ * ? ` +
        "as a pattern; rename it",
    );
  }
  return whole.replace(PATTERN, "[$&]");
}

/**
 * Returns the path of a data file, or of a folder for spilled data, in the form that DuckDB needs.
 *
 * @throws {Error} when the path cannot be escaped.
 */
export function dataPath(path: string): string {
  const whole = resolve(path);
  if (!whole.includes("?")) return whole;
  throw new Error(
    `Cannot open ${path}: DuckDB reads the text after a question mark as options; rename the file`,
  );
}
