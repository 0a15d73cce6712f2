import { dictionary, rowsOf } from "../../mod.ts";
import type { ColumnNote } from "./results.ts";

const known = new Map<string, ColumnNote>();
for (const { name, unit, about } of rowsOf(await dictionary())) {
  known.set(String(name), { name: String(name), unit: unit as string, meaning: about as string });
}

/** Returns the unit and the meaning of each column; null if unknown. */
export function columnNotes(names: readonly string[]): ColumnNote[] {
  return names.map((name) => known.get(name) ?? { name, unit: null, meaning: null });
}
