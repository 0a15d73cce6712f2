import { textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { escapeXml } from "./svg.ts";
import type { About, LegendItem } from "../chart.ts";

/** A part of a page, with its height. Its coordinates start at its top left corner. */
export interface Block {
  readonly svg: string;
  readonly height: number;
}

const KEY = 24;
const GAP = 18;
const LONGEST = 480;
/** The width of a ramp of colors. */
const RAMP = 90;

/** The distance from the left edge of a key to its label. */
function offsetOf({ key }: LegendItem): number {
  return key === "ramp"
    ? RAMP + 6
    : key === "square" || key === "diamond" || key === "dot"
    ? 17
    : KEY;
}

function keyOf({ key, color, marker, colors = [] }: LegendItem): string {
  const fill = `fill="${escapeXml(color)}"`;
  if (key === "ramp") {
    const width = RAMP / colors.length;
    return colors.map((color, index) =>
      `<rect x="${(index * width).toFixed(1)}" y="-9.5" width="${width.toFixed(1)}" height="11" ` +
      `fill="${escapeXml(color)}"/>`
    ).join("");
  }
  if (key === "square") return `<rect y="-9.5" width="11" height="11" ${fill}/>`;
  if (key === "dot") return `<circle cx="6" cy="-4" r="4" ${fill}/>`;
  if (key === "diamond") return `<path d="M6,-11L10,-4L6,3L2,-4Z" ${fill}/>`;
  if (key === "band") return `<rect y="-9.5" width="18" height="11" ${fill} fill-opacity="0.2"/>`;
  if (key === "whisker") {
    return `<path d="M9,-11V3" fill="none" stroke="${escapeXml(color)}" stroke-width="1.5"/>`;
  }
  const dashes = key === "dashed" ? ` stroke-dasharray="5 3"` : "";
  const line = `<path d="M0,-4H18" fill="none" stroke="${
    escapeXml(color)
  }" stroke-width="2"${dashes}/>`;
  const symbol = marker === undefined
    ? ""
    : `<path d="${escapeXml(marker)}" transform="translate(9,-4) scale(3)" ${fill}/>`;
  return line + symbol;
}

/** Draws a legend in rows that fit the width. Long labels are cut with an ellipsis. */
function legendBlock(items: readonly LegendItem[], width: number): Block {
  const { size, line } = theme.legend;
  let x = 0;
  let y = 0;
  const entries = items.map((item) => {
    const offset = offsetOf(item);
    const room = Math.min(LONGEST, width - offset);
    const [label = ""] = wrapText(item.label, { size, width: room, lines: 1 });
    const taken = offset + textWidth(label, { size });
    if (x > 0 && x + taken > width) {
      x = 0;
      y += line;
    }
    const entry = `<g transform="translate(${x.toFixed(1)},${y + 13})">${keyOf(item)}` +
      `<text x="${offset}" font-size="${size}">${escapeXml(label)}</text></g>`;
    x += taken + GAP;
    return entry;
  });
  return {
    svg: `<g aria-label="legend">${entries.join("")}</g>`,
    height: items.length === 0 ? 0 : y + line + 6,
  };
}

/** The style of a block of text. */
interface TextStyle {
  readonly size: number;
  readonly bold: boolean;
  /** The distance between lines. */
  readonly line: number;
  readonly color: string;
  readonly width: number;
  /** The maximum number of lines. @default {Infinity} */
  readonly lines?: number;
}

/** Draws paragraphs of text, each wrapped to the width. */
export function textBlock(paragraphs: readonly string[], style: TextStyle): Block {
  const { size, bold, line, color, width, lines = Infinity } = style;
  const wrapped = paragraphs.flatMap((text) => wrapText(text, { size, bold, width, lines }));
  const weight = bold ? ` font-weight="bold"` : "";
  const texts = wrapped.map((text, index) =>
    `<text y="${index * line + size}" font-size="${size}"${weight} fill="${color}">${
      escapeXml(text)
    }</text>`
  );
  return { svg: texts.join(""), height: wrapped.length * line };
}

/** Draws the name of the axis that all panels share. */
function axisBlock(name: string | undefined, width: number): Block {
  if (name === undefined || name === "") return { svg: "", height: 0 };
  const { svg, height } = textBlock([name], { ...theme.caption, color: theme.muted, width });
  return { svg: `<g aria-label="y-axis name">${svg}</g>`, height };
}

/** A drawn part of a figure. */
export interface Panel extends Block {
  readonly width: number;
}

/** The content of a page: text above and below, and panels in columns between. */
interface Page extends About {
  readonly width: number;
  readonly legend: readonly LegendItem[];
  /** The name of the vertical axis of all panels. */
  readonly axis?: string;
  readonly columns: number;
  readonly gap: number;
  readonly panels: readonly Panel[];
}

function panelGrid({ panels, columns, gap }: Page): Block {
  let top = 0;
  const rows: string[] = [];
  for (let start = 0; start < panels.length; start += columns) {
    let left = 0;
    const row = panels.slice(start, start + columns);
    for (const { svg, width } of row) {
      rows.push(`<g transform="translate(${left},${top})">${svg}</g>`);
      left += width + gap;
    }
    top += Math.max(...row.map(({ height }) => height)) +
      (columns > 1 || panels.length > 1 ? 8 : 0);
  }
  return { svg: rows.join(""), height: top };
}

/** A part of a figure: the letter, title and text above the panels, and the panels. */
interface Part {
  readonly above: Block;
  readonly panels: Block;
  /** The height above the frame of the first panel. */
  readonly top: number;
}

function stacked(blocks: readonly Block[]): Block {
  let top = 0;
  const svg = blocks.filter(({ height }) => height > 0).map(({ svg, height }) => {
    const part = `<g transform="translate(0,${top})">${svg}</g>`;
    top += height;
    return part;
  });
  return { svg: svg.join(""), height: top };
}

/** Draws the text above the panels of a part, and its panels. */
export function partOf(page: Page, top: number): Part {
  const { width } = page;
  const { ink, muted, panel, caption } = theme;
  const legend = legendBlock(page.legend, width);
  const above = stacked([
    textBlock([page.title], { ...panel, color: ink, width, lines: 2 }),
    textBlock([page.subtitle], { ...caption, color: muted, width, lines: 2 }),
    { svg: "", height: 6 },
    legend,
    axisBlock(page.axis, width),
  ]);
  return { above, panels: panelGrid(page), top };
}

/** Draws the parts of a figure in rows. The frames of a row are at the same height. */
export function partsPanel(
  parts: readonly Part[],
  { columns, gap, width }: { columns: number; gap: number; width: number },
): Panel {
  const body = (width - gap * (columns - 1)) / columns;
  let top = 0;
  const rows: string[] = [];
  for (let start = 0; start < parts.length; start += columns) {
    const row = parts.slice(start, start + columns);
    const frame = Math.max(...row.map(({ above, top }) => above.height + top));
    row.forEach(({ above, panels, top: own }, index) => {
      const left = index * (body + gap);
      rows.push(`<g transform="translate(${left},${top})">${above.svg}</g>`);
      rows.push(`<g transform="translate(${left},${top + frame - own})">${panels.svg}</g>`);
    });
    top += Math.max(...row.map(({ panels, top }) => frame - top + panels.height)) + gap;
  }
  return { svg: rows.join(""), width, height: top };
}

/** Draws a page as one self-contained SVG document. */
export function pageSvg(page: Page): string {
  const { padding, ink, muted, paper, fontFamily } = theme;
  const width = page.width - 2 * padding;
  const blocks: (Block & { after: number })[] = [
    { ...textBlock([page.title], { ...theme.title, color: ink, width }), after: 2 },
    { ...textBlock([page.subtitle], { ...theme.subtitle, color: muted, width }), after: 8 },
    { ...legendBlock(page.legend, width), after: 4 },
    { ...axisBlock(page.axis, width), after: 6 },
    { ...panelGrid(page), after: 10 },
    { ...textBlock(page.caption, { ...theme.caption, color: muted, width }), after: 0 },
  ];
  let top = padding - 4;
  const parts = blocks.filter(({ height }) => height > 0).map(({ svg, height, after }) => {
    const part = `<g transform="translate(${padding},${top})">${svg}</g>`;
    top += height + after;
    return part;
  });
  const height = Math.ceil(top + padding - 4);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${page.width}" height="${height}" ` +
    `viewBox="0 0 ${page.width} ${height}" role="img" aria-label="${
      escapeXml(`${page.title}. ${page.label}`)
    }" font-family="${fontFamily}" fill="${ink}">\n<title>${escapeXml(page.title)}</title>` +
    `<desc>${escapeXml(page.label)}</desc>\n` +
    `<rect width="${page.width}" height="${height}" fill="${paper}"/>\n${
      parts.join("\n")
    }\n</svg>\n`;
}
