import assert from "node:assert/strict";
import { assertShows, bare } from "./awkward_values.ts";
import type { SvgElement } from "./drawn_svg.ts";

export type Row = Readonly<Record<string, string | number | Date | boolean | null>>;

/** The place of a mark or text in the plot. */
export function placeOf(element: SvgElement): { x: number; y: number } {
  const [, x, y] = /translate\(([-\d.]+),([-\d.]+)\)/.exec(element.getAttribute("transform")!)!;
  return { x: Number(x), y: Number(y) };
}

/** A mark with the row that its label names, and the number that its label shows. */
export interface Said {
  readonly row: Row;
  readonly text: string;
  readonly mark: SvgElement;
}

/** Reads the labels of marks. Each row with a value has one mark, which shows the value. */
export function saidOf(
  marks: readonly SvgElement[],
  rows: readonly Row[],
  { nameOf, valueOf }: {
    /** The beginning of the label of a row's mark. */
    readonly nameOf: (row: Row) => string;
    readonly valueOf: (row: Row) => number | null;
  },
): Said[] {
  const known = rows.filter((row) => valueOf(row) !== null);
  assert.equal(marks.length, known.length);
  const byName = new Map(known.map((row) => [bare(nameOf(row)), row]));
  assert.equal(byName.size, known.length);
  return marks.map((mark) => {
    const label = bare(
      mark.getAttribute("aria-label")!.replaceAll("&lt;", "<").replaceAll("&gt;", ">"),
    );
    const [, name, text] = /^(.*?): (.*)$/.exec(label)!;
    const row = byName.get(name!);
    assert.ok(row !== undefined, name);
    byName.delete(name!);
    assertShows(text!, valueOf(row)!, name!);
    return { row, text: text!, mark };
  });
}

/** The labeled marks of a chart drawn by Vega. */
export function marksIn(svg: SvgElement, selector: string): SvgElement[] {
  return [...svg.querySelectorAll(`${selector} path[aria-label]`)];
}
