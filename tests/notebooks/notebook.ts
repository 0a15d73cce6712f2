/** One output of a cell, as nbformat 4 has it. */
export interface Output {
  readonly output_type: "execute_result" | "display_data" | "stream" | "error";
  readonly data?: Readonly<Record<string, unknown>>;
  readonly name?: string;
  readonly text?: string | readonly string[];
  readonly ename?: string;
  readonly evalue?: string;
}

/** A cell of a notebook. */
export interface Cell {
  readonly cell_type: "code" | "markdown";
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly source: string | readonly string[];
  readonly execution_count?: number | null;
  readonly outputs?: readonly Output[];
}

/** A notebook, as nbformat 4.5 has it. */
export interface Notebook {
  readonly cells: readonly Cell[];
  readonly metadata: {
    readonly kernelspec: Readonly<Record<string, unknown>>;
    readonly language_info: Readonly<Record<string, unknown>>;
  };
  readonly nbformat: number;
  readonly nbformat_minor: number;
}

/** The folder of the notebooks that are committed. */
export const NOTEBOOKS = new URL("../../notebooks/", import.meta.url);

/** The names of the notebooks that are committed. */
export const NOTEBOOK_NAMES: readonly string[] = [...Deno.readDirSync(NOTEBOOKS)]
  .map(({ name }) => name).filter((name) => name.endsWith(".ipynb")).sort();

/** Reads a notebook that is committed. */
export async function readNotebook(name: string): Promise<Notebook> {
  return JSON.parse(await Deno.readTextFile(new URL(name, NOTEBOOKS)));
}

/** nbformat stores a text as a list of its lines. */
export function joined(text: string | readonly string[]): string {
  return typeof text === "string" ? text : text.join("");
}

/** Writes the code of each notebook as one module. Returns their paths. */
export async function writeNotebooks(folder: string): Promise<string[]> {
  return await Promise.all(NOTEBOOK_NAMES.map(async (name) => {
    const { cells } = await readNotebook(name);
    const code = cells.filter(({ cell_type }) => cell_type === "code")
      .map(({ source }) => joined(source)).join("\n\n")
      .replaceAll('from "../', `from "${new URL("../", NOTEBOOKS).pathname}`);
    const path = `${folder}/${name.replace(/ipynb$/, "ts")}`;
    await Deno.writeTextFile(path, code);
    return path;
  }));
}

/** A notebook of code cells. */
export function notebookOf(sources: readonly string[]): Notebook {
  return {
    cells: sources.map((source, index) => ({
      cell_type: "code",
      id: `cell-${index}`,
      metadata: {},
      execution_count: null,
      outputs: [],
      source,
    })),
    metadata: {
      kernelspec: { display_name: "Deno", language: "typescript", name: "deno" },
      language_info: { name: "typescript", file_extension: ".ts", mimetype: "text/x.typescript" },
    },
    nbformat: 4,
    nbformat_minor: 5,
  };
}
