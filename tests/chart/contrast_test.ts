import assert from "node:assert/strict";
import { drawPlot, drawVega } from "../../lib/chart/own_spec.ts";
import type { Chart, PlotSpec, VegaSpec } from "../../lib/chart/chart.ts";
import { edgeCharts } from "./edge_charts.ts";
import { drawnSvg, parsedSvg, type SvgElement } from "./drawn_svg.ts";

/** Relative luminance and contrast, as WCAG 2.2 has them. */
function luminance(color: string): number {
  const [r, g, b] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].toSorted((p, q) => q - p);
  return (light! + 0.05) / (dark! + 0.05);
}

interface Placed extends SvgElement {
  readonly parentNode: Placed | null;
}

/** An attribute of an element, or of the nearest element around it that has it. */
function inherited(element: Placed, name: string): string | null {
  for (
    let at: Placed | null = element;
    at !== null && at.getAttribute !== undefined;
    at = at.parentNode
  ) {
    const value = at.getAttribute(name);
    if (value !== null) return value;
  }
  return null;
}

/** The place of an element in the drawing: the sum of the translations around it. */
function placeOf(element: Placed): readonly [x: number, y: number] {
  let place = [0, 0] as const as readonly [number, number];
  for (let at: Placed | null = element; at?.getAttribute !== undefined; at = at.parentNode) {
    const move = /translate\(([-\d.]+),([-\d.]+)\)/.exec(at.getAttribute("transform") ?? "");
    place = [place[0] + Number(move?.[1] ?? 0), place[1] + Number(move?.[2] ?? 0)];
  }
  return place;
}

interface Cell {
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
  readonly fill: string;
}

/** The colored cells behind texts: rectangles of Plot, paths of Vega; everything else is background. */
function cellsOf(svg: SvgElement): Cell[] {
  const plot = [...svg.querySelectorAll('g[aria-label="cell"] rect')] as Placed[];
  const vega = [...svg.querySelectorAll(".mark-rect path")] as Placed[];
  return [
    ...plot.map((cell): Cell => {
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) =>
        Number(cell.getAttribute(name))
      );
      const [left, top] = placeOf(cell);
      return {
        box: [left + x!, top + y!, left + x! + width!, top + y! + height!],
        fill: cell.getAttribute("fill") ?? "none",
      };
    }),
    ...vega.flatMap((cell): Cell[] => {
      const found = /M([-\d.]+),([-\d.]+)h([-\d.]+)v([-\d.]+)/.exec(cell.getAttribute("d")!);
      if (found === null) return [];
      const [x, y, width, height] = found.slice(1).map(Number);
      const fill = cell.getAttribute("fill") ?? "none";
      const [left, top] = placeOf(cell);
      return [{ box: [left + x!, top + y!, left + x! + width!, top + y! + height!], fill }];
    }),
  ].filter(({ fill }) => fill.startsWith("#"));
}

function faultsOf(svg: SvgElement): string[] {
  const [page] = svg.querySelectorAll("rect, path");
  const paper = svg.querySelector("rect[fill]")?.getAttribute("fill") ??
    page!.getAttribute("fill")!;
  const cells = cellsOf(svg);
  return ([...svg.querySelectorAll("text")] as Placed[]).flatMap((text) => {
    const fill = inherited(text, "fill");
    if (text.textContent === "" || fill === null || !fill.startsWith("#")) {
      return text.textContent === "" ? [] : [`${text.textContent}: has the fill ${fill}`];
    }
    const says = inherited(text, "aria-description");
    const inCell = says === "share" || says === "change" || says === null;
    const [x, y] = placeOf(text);
    const under = cells.find(({ box: [left, top, right, bottom] }) =>
      left <= x && x <= right && top <= y && y <= bottom
    );
    const halo = inherited(text, "stroke");
    const ground = halo?.startsWith("#")
      ? halo
      : inCell && (cells.length > 4 || says === null) && under !== undefined
      ? under.fill
      : paper;
    const ratio = contrast(fill, ground);
    return ratio >= 4.5 ? [] : [`${text.textContent}: ${fill} on ${ground}: ${ratio.toFixed(2)}`];
  });
}

async function inTheme(chart: Chart, theme: "light" | "dark"): Promise<Chart> {
  const spec = await chart.spec;
  return Array.isArray((spec as PlotSpec).panels)
    ? drawPlot({ ...spec as PlotSpec, theme })
    : drawVega({ ...spec as VegaSpec, usermeta: { theme } });
}

const GALLERY = new URL("../../docs/gallery/", import.meta.url);

/** The pictures of the gallery, which equal the drawn charts by another test. */
function galleryPictures(theme: "light" | "dark"): (readonly [name: string, svg: SvgElement])[] {
  return [...Deno.readDirSync(GALLERY)].map(({ name }) => name).sort()
    .filter((name) => name.endsWith("_dark.svg") === (theme === "dark"))
    .map((name) => [name, parsedSvg(Deno.readTextFileSync(new URL(name, GALLERY)))] as const);
}

for (const theme of ["light", "dark"] as const) {
  Deno.test(`texts of the ${theme} theme have a contrast of 4.5 to their background`, async () => {
    const edges = edgeCharts.filter(({ edge }) => /one group|200|negative|all null/.test(edge));
    const pictures = galleryPictures(theme);
    for (const { name, edge, draw } of edges) {
      pictures.push([`${name}, ${edge}`, await drawnSvg(await inTheme(draw(), theme))]);
    }
    const faults = pictures.flatMap(([name, svg]) =>
      faultsOf(svg).map((fault) => `${name}: ${fault}`)
    );
    assert.deepEqual(faults, []);
    assert.ok(pictures.length > 50);
  });
}
