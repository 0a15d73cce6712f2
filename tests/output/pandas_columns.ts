/** Reads a saved CSV with pandas as in the documentation. */
const PROGRAM = `
import json, sys
import pandas as pd
path = sys.argv[1]
columns = json.load(open(path + ".provenance.json"))["columns"]
text = {name: str for name, dtype in columns.items() if dtype != "Float64"}
frame = pd.read_csv(path, dtype=text, keep_default_na=False, na_values=[""], float_precision="round_trip")
cells = {name: [None if pd.isna(cell) else cell for cell in frame[name].tolist()] for name in frame.columns}
print(json.dumps(cells))
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

/** The columns that pandas reads from a CSV file, missing ones as null. */
export async function pandasColumns(path: string): Promise<Record<string, unknown[]>> {
  const { stdout, stderr, success } = await new Deno.Command(PANDAS!, {
    args: ["-c", PROGRAM, path],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
