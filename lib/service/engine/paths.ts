import { resolve } from "node:path";

// DuckDB reads a path that contains `[`, `*` or `?` as a pattern. It also expands `~` at the start of a path, but the
// result of `resolve` never starts with `~`.
const PATTERN = /[[*?]/g;

/**
 * Returns the absolute path of a file, escaped so that DuckDB does not read it as a pattern.
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
 * Returns the absolute path of a data file or of a folder for temporary data.
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
