import { resolve } from "node:path";

// The database takes the path of a file to read as a pattern where it holds one of these letters, and
// `~` at its beginning as the home folder, which no path from the root on begins with.
const PATTERN = /[[*?]/g;

/**
 * The path of a file to read, as the database takes it: as it is written, and not as a pattern.
 *
 * @throws {Error} for a path that it cannot be told.
 */
export function readPath(path: string): string {
  const whole = resolve(path);
  if (whole.search(PATTERN) >= 0 && whole.includes("\\")) {
    throw new Error(
      `Cannot read ${path}: the database takes a path that holds both a backslash and one of [ * ? ` +
        "for a pattern; rename it",
    );
  }
  return whole.replace(PATTERN, "[$&]");
}

/**
 * The path of a file of data or of a folder for what spills, as the database takes it.
 *
 * @throws {Error} for a path that it cannot be told.
 */
export function dataPath(path: string): string {
  const whole = resolve(path);
  if (!whole.includes("?")) return whole;
  throw new Error(
    `Cannot open ${path}: the database takes what stands behind a question mark for options; rename it`,
  );
}
