import type { Placed } from "./merge_rows.ts";

type EntityError = Readonly<Record<string, unknown>>;

function memberOf(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? (error as EntityError)[name] : undefined;
}

/** The fields in the order in which one answer names them; the answer that names most of them decides. */
function fieldOrder(parts: readonly (readonly unknown[])[]): unknown[] {
  const named = parts.map((part) => [...new Set(part.map((error) => memberOf(error, "field")))]);
  return [...new Set(named.sort((a, b) => b.length - a.length).flat())];
}

/**
 * Makes one list of the entity errors of several answers: each once, and in the order of one answer, which
 * is field by field and in each field as the ids were asked for.
 */
export function mergeErrors(
  parts: readonly (readonly unknown[])[],
  query: object,
): readonly Placed[] {
  const once = new Set<string>();
  const placed: Placed[] = [];
  parts.forEach((errors, part) =>
    errors.forEach((value, index) => {
      const text = JSON.stringify(value);
      if (once.has(text)) return;
      once.add(text);
      placed.push({ value, part, index });
    })
  );
  if (parts.filter((part) => part.length > 0).length < 2) return placed;

  const fields = fieldOrder(parts);
  const asked = new Map<unknown, Map<unknown, number>>(
    Object.entries(query).map(([name, ids]) => [
      name,
      new Map(Array.isArray(ids) ? ids.map((id, index) => [id, index]) : []),
    ]),
  );
  const rank = ({ value: error }: Placed): readonly [number, number] => {
    const field = memberOf(error, "field");
    const position = asked.get(field)?.get(memberOf(error, "value"));
    return [fields.indexOf(field), position ?? Infinity];
  };
  return placed.map((each) => ({ each, rank: rank(each) }))
    .sort((a, b) => a.rank[0] - b.rank[0] || (a.rank[1] === b.rank[1] ? 0 : a.rank[1] - b.rank[1]))
    .map(({ each }) => each);
}
