// deno-lint-ignore-file no-import-prefix -- the tests read drawings with the DOM that drew them
import { DOMParser } from "npm:linkedom@0.18.15";
import type { Chart } from "../../lib/chart/chart.ts";

/** What the tests read of an element. */
export interface SvgElement {
  readonly localName: string;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<SvgElement>;
  querySelector(selector: string): SvgElement | null;
}

/** The elements of an SVG file. */
export function parsedSvg(svg: string): SvgElement {
  const document = new DOMParser().parseFromString(svg, "image/svg+xml");
  return document.documentElement as unknown as SvgElement;
}

/** The SVG of a chart, parsed. */
export async function drawnSvg(chart: Chart): Promise<SvgElement> {
  return parsedSvg(await chart.svg());
}

/** The elements of a mark, found by the description or label that Plot gives its group. */
export function marksOf(svg: SvgElement, group: string, element: string): SvgElement[] {
  const groups = new Set([
    ...svg.querySelectorAll(`g[aria-description="${group}"]`),
    ...svg.querySelectorAll(`g[aria-label="${group}"]`),
  ]);
  return [...groups].flatMap((group) => [...group.querySelectorAll(element)]);
}

/** The position of an element in its panel: its center, or the sum of its translations and those of its groups. */
export function placeOf(element: SvgElement): { x: number; y: number } {
  let [x, y] = ["cx", "cy"].map((name) => Number(element.getAttribute(name) ?? 0)) as [
    number,
    number,
  ];
  type Parent = SvgElement & { readonly parentNode?: Parent };
  for (let at: Parent | undefined = element as Parent; at !== undefined; at = at.parentNode) {
    if (at.getAttribute === undefined || at.getAttribute("font-size") !== null && at !== element) {
      break;
    }
    const move = /translate\(([-\d.]+),\s*([-\d.]+)\)/.exec(at.getAttribute("transform") ?? "");
    if (move !== null) [x, y] = [x + Number(move[1]), y + Number(move[2])];
  }
  return { x, y };
}

/** The texts of a mark, in order. */
export function textsOf(svg: SvgElement, group: string): string[] {
  return marksOf(svg, group, "text").map(({ textContent }) => textContent);
}
