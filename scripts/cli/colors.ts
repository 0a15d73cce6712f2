import { readFile, writeWhole } from "../../lib/platform/file.ts";
import { colors, setColors } from "../../mod.ts";
import { type Arguments, option, UsageError } from "./script.ts";

/** The option for a file that keeps the colors of ids from run to run. */
export const COLORS_OPTION = option(
  "colors",
  "FILE",
  "Charts: reads the colors of ids from this JSON file, and adds the colors of new ids.",
);

/**
 * Reads the file of `--colors` before charts are made. A missing file is created by {@linkcode keepColors}.
 *
 * @throws {UsageError} when the file does not hold colors.
 */
export async function readColors(given: Arguments): Promise<void> {
  const path = given.one("colors");
  const bytes = path === undefined ? null : await readFile(path);
  try {
    if (bytes !== null) setColors(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    throw new UsageError(`--colors: ${path}: ${(error as Error).message}`);
  }
}

/** Writes the colors of all ids to the file of `--colors`. */
export async function keepColors(given: Arguments): Promise<void> {
  const path = given.one("colors");
  if (path === undefined) return;
  const text = `${JSON.stringify(colors(), null, 2)}\n`;
  await writeWhole(path, new TextEncoder().encode(text), { force: true });
}
