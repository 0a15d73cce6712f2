/** The program of docs/scripts.md that reads a saved CSV with pandas. */
const SNIPPET = /```python\n([^]*?)```/.exec(
  await Deno.readTextFile(new URL("../../docs/scripts.md", import.meta.url)),
)![1]!;

/** Prints the dtypes and the cells of the columns. */
const PROGRAM = `${SNIPPET.replace(/path = .*/, "import sys\npath = sys.argv[1]")}
plain = lambda cell: cell.item() if hasattr(cell, "item") else cell.isoformat()
cells = {name: [None if pd.isna(cell) else cell for cell in chains[name].tolist()] for name in chains.columns}
print(json.dumps([{name: str(dtype) for name, dtype in chains.dtypes.items()}, cells], default=plain))
`;

async function pythonWithPandas(): Promise<string | null> {
  for (const python of ["/usr/bin/python3", "python3"]) {
    try {
      const { success } = await new Deno.Command(python, {
        args: ["-c", "import pandas"],
        stderr: "null",
      }).output();
      if (success) return python;
    } catch {
      // There is no such Python.
    }
  }
  return null;
}

/** A Python with pandas, or null. */
export const PANDAS: string | null = await pythonWithPandas();

/** The dtypes and the cells of the columns that pandas reads from a CSV file, missing ones as null. */
export async function pandasColumns(
  path: string,
): Promise<[Record<string, string>, Record<string, unknown[]>]> {
  const { stdout, stderr, success } = await new Deno.Command(PANDAS!, {
    args: ["-c", PROGRAM, path],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
