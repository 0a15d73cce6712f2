/**
 * The size of the texts that an expression can make, before it makes them.
 *
 * @module
 */
import type { DataFrame } from "../../mod.ts";

/** Characters of a text column: in all, and of the longest value. */
interface Size {
  readonly sum: number;
  readonly longest: number;
}

const NONE: Size = { sum: 0, longest: 0 };
/** The longest text of a number or a date. */
const NUMBER = 40;

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || value instanceof Date) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + lengthOf(each), 0);
}

/** Returns the largest number of characters that a step can make from these frames. */
export function mostText(step: unknown, frames: readonly DataFrame[]): number {
  const rows = Math.max(0, ...frames.map(({ height }) => height));
  const known = new Map<string, Size>();
  const repeated = (longest: number): Size => ({ sum: rows * longest, longest });
  const atLeast = (size: Size, least: number): Size => ({
    sum: Math.max(size.sum, rows * least),
    longest: Math.max(size.longest, least),
  });
  const either = (sizes: readonly Size[]): Size => ({
    sum: sizes.reduce((sum, size) => sum + size.sum, 0),
    longest: Math.max(0, ...sizes.map(({ longest }) => longest)),
  });
  const together = (sizes: readonly Size[]): Size => ({
    sum: sizes.reduce((sum, size) => sum + size.sum, 0),
    longest: sizes.reduce((sum, size) => sum + size.longest, 0),
  });
  const column = (name: string): Size => {
    const sizes = frames.flatMap((frame) => {
      if (!frame.columns.includes(name)) return [];
      let [sum, longest] = [0, 0];
      for (const value of frame.getColumn(name).toArray()) {
        const length = lengthOf(value);
        sum += length;
        longest = Math.max(longest, length);
      }
      return [{ sum, longest }];
    });
    const size = either(sizes);
    known.set(name, size);
    return size;
  };
  const columnOf = (name: string) => known.get(name) ?? column(name);
  // A selector, or a pattern of names, makes one result per column.
  let width = 1;
  const all = () => {
    width = Math.max(1, ...frames.map((frame) => frame.width));
    return either(frames.flatMap(({ columns }) => columns).map(columnOf));
  };
  let total = 0;
  const grown = (size: Size): Size => {
    total += size.sum;
    return size;
  };
  const called = ({ input, function: fn }: { input: unknown[]; function: unknown }): Size => {
    const sizes = input.map(sizeOf);
    const { StringExpr: text, TemporalExpr: time } = Object(fn);
    if (Object(text).ConcatHorizontal) {
      const { delimiter = "" } = text.ConcatHorizontal;
      const between = repeated(String(delimiter).length * input.length);
      return grown(together([...sizes.map((size) => atLeast(size, NUMBER)), between]));
    }
    if (Object(text).Replace) {
      const [of = NONE, , value = NONE] = sizes;
      if (text.Replace.n === 1) return grown(together([of, value]));
      // A pattern can match before each character and at the end.
      const times = value.longest + 1;
      return grown({ sum: times * of.sum + rows * times, longest: times * of.longest + times });
    }
    const format = Object(time).ToString;
    // A specifier of two characters makes at most 35.
    if (typeof format === "string") return grown(repeated(20 * format.length + NUMBER));
    return repeated(either(sizes).longest);
  };
  const sizeOf = (node: unknown): Size => {
    if (typeof node !== "object" || node === null) return NONE;
    if (Array.isArray(node)) return repeated(either(node.map(sizeOf)).longest);
    const [[kind, content] = ["", null]] = Object.entries(node);
    // Nodes have names in upper case, and their members names in lower case.
    if (!/^[A-Z]/.test(kind)) return repeated(either(Object.values(node).map(sizeOf)).longest);
    const parts = Object(content);
    switch (kind) {
      case "Column":
        return frames.some(({ columns }) => columns.includes(content)) ? columnOf(content) : all();
      case "Selector":
        return all();
      case "Literal":
        return repeated(
          Math.max(0, ...[Object(parts.Scalar).List?.values ?? parts].flat().map(lengthOf)),
        );
      case "BinaryExpr": {
        const sizes = [sizeOf(parts.left), sizeOf(parts.right)];
        if (parts.op !== "Plus" || either(sizes).longest === 0) {
          return repeated(either(sizes).longest);
        }
        return grown(together(sizes.map((size) => atLeast(size, size.longest === 0 ? NUMBER : 0))));
      }
      case "Cast":
        return /^(?:String|Utf8)$/.test(parts.dtype?.Literal)
          ? atLeast(sizeOf(parts.expr), NUMBER)
          : sizeOf(parts.expr);
      case "Alias":
        return sizeOf(parts[0]);
      case "Ternary":
        sizeOf(parts.predicate);
        return either([sizeOf(parts.truthy), sizeOf(parts.falsy)]);
      case "Function":
        return called(parts);
    }
    return repeated(sizeOf(content).longest);
  };
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("recipe" in value) return;
    if ("expr" in value) return void sizeOf(value.expr);
    Object.values(value).forEach(visit);
  };
  visit(step);
  return total * width;
}
