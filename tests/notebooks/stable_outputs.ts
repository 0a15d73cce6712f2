import { joined, type Notebook, type Output } from "./notebook.ts";

/** Outputs by their place: cell, number of the output, mime type or stream. */
export type StableOutputs = ReadonlyMap<string, string>;

/** Leaves out of a text when the response came, which differs from run to run. Pictures have this day in them. */
function stable(text: string): string {
  return text
    .replace(/^iVBORw0KGgo[^]*/, "PNG")
    .replace(/data:image\/svg\+xml;base64,([\w+/=]+)/, (_, data) => atob(data))
    // A service on loopback takes whichever port is free.
    .replace(/\b127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replace(/((?:SAMPLE DATA|from the cache) · (?:[\w.-]+ · )?)\d{4}-\d\d-\d\dT[\d:]+Z/g, "$1TIME")
    .replace(/(retrieved_at["']?: ["']?)\d{4}-\d\d-\d\dT[\d:.]+Z/g, "$1TIME")
    .replace(/(Source: [a-z ,]+, )\d{4}-\d\d-\d\d/g, "$1DAY");
}

function* textsOf({ output_type, data, name, text, ename, evalue }: Output) {
  if (text !== undefined) yield [`${output_type} ${name}`, joined(text)] as const;
  if (ename !== undefined) yield [`${output_type} ${ename}`, evalue ?? ""] as const;
  for (const [type, value] of Object.entries(data ?? {}).toSorted()) {
    const lines = typeof value === "string" || Array.isArray(value);
    yield [`${output_type} ${type}`, lines ? joined(value) : JSON.stringify(value)] as const;
  }
}

/** The outputs of a notebook's cells, without parts that differ from run to run. */
export function stableOutputs({ cells }: Notebook): StableOutputs {
  const found = new Map<string, string>();
  for (const { id, outputs = [] } of cells) {
    for (const [index, output] of outputs.entries()) {
      for (const [kind, text] of textsOf(output)) found.set(`${id} ${index} ${kind}`, stable(text));
    }
  }
  return found;
}

function excerpt(text: string, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - 30), at + 60));
}

/** Returns the differences of two runs, one line per place. */
export function differences(kept: StableOutputs, now: StableOutputs): string[] {
  return [...new Set([...kept.keys(), ...now.keys()])].flatMap((place) => {
    const [before, after] = [kept.get(place), now.get(place)];
    if (before === after) return [];
    if (before === undefined) return [`${place}: is new: ${excerpt(after!, 0)}`];
    if (after === undefined) return [`${place}: is gone: ${excerpt(before, 0)}`];
    const at = [...before].findIndex((character, index) => character !== after[index]);
    const where = at < 0 ? before.length : at;
    return [`${place}: kept ${excerpt(before, where)}, now ${excerpt(after, where)}`];
  });
}
