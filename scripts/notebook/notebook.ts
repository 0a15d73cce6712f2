import { UsageError } from "../cli/arguments.ts";
import { withParameters } from "./parameter_cell.ts";

interface Cell {
  readonly cell_type: string;
  readonly metadata?: { readonly tags?: readonly string[] };
  readonly source: string | readonly string[];
}

interface Notebook {
  readonly cells: readonly Cell[];
}

function notebookIn(text: string, path: string): Notebook {
  try {
    const notebook = JSON.parse(text);
    if (Array.isArray(notebook.cells)) return notebook;
  } catch {
    // No JSON: no notebook either.
  }
  throw new UsageError(`NOTEBOOK: is no Jupyter notebook: ${path}`);
}

/**
 * The text of a notebook with other values in the cell that is tagged `parameters`.
 *
 * @throws {UsageError} when the file is no notebook, when values are given and no one cell has the tag,
 * and for a value that the cell does not take.
 */
export function withValues(
  text: string,
  path: string,
  values: ReadonlyMap<string, string>,
): string {
  const notebook = notebookIn(text, path);
  const tagged = notebook.cells.filter(({ cell_type, metadata }) =>
    cell_type === "code" && metadata?.tags?.includes("parameters")
  );
  if (values.size > 0 && tagged.length !== 1) {
    throw new UsageError(
      `--set: needs one code cell tagged parameters, and this notebook has ${tagged.length}: ${path}`,
    );
  }
  const cells = notebook.cells.map((cell) => {
    if (cell !== tagged[0]) return cell;
    const source = typeof cell.source === "string" ? cell.source : cell.source.join("");
    return { ...cell, source: withParameters(source, values) };
  });
  return JSON.stringify({ ...notebook, cells });
}
