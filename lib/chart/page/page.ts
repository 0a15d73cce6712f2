import { balancedText, textWidth, wrapText } from "../text/layout.ts";
import { theme } from "../theme.ts";
import { joined } from "../words.ts";
import { escapeXml } from "./svg.ts";
import type { About, LegendItem } from "../chart.ts";

/** A part of a page, as SVG, with its height. The origin of its coordinates is its top left corner. */
export interface Block {
  readonly svg: string;
  readonly height: number;
}

const GAP = 18;
const LONGEST = 480;
/** The width of a ramp of colors, in pixels. */
const RAMP = 90;

function strokeOf({ color }: LegendItem, d: string, style: string): string {
  return `<path d="${d}" fill="none" stroke="${escapeXml(color)}" ${style}/>`;
}

function fillOf(color: string): string {
  return `fill="${escapeXml(color)}"`;
}

/** Draws a symbol or a dot. */
function dotOf({ color, marker, hollow = false }: LegendItem): string {
  if (marker === undefined) return `<circle cx="6" cy="-4" r="4" ${fillOf(color)}/>`;
  return `<path d="${escapeXml(marker)}" transform="translate(6,-4) scale(4)" ` +
    `${fillOf(hollow ? "none" : color)} stroke="${escapeXml(color)}" stroke-width="0.4"/>`;
}

function barOf(color: string, width: number, more = ""): string {
  const size = `y="-9.5" width="${Number(width.toFixed(1))}" height="11"`;
  return `<rect ${size} ${fillOf(color)}${more}/>`;
}

/** For each kind of key: the distance from the left edge of the key to its label, and a function that draws the key. */
const KEYS: Readonly<
  Record<LegendItem["key"], readonly [offset: number, draw: (item: LegendItem) => string]>
> = {
  line: [24, (item) => strokeOf(item, "M0,-4L18,-4", `stroke-width="2"`)],
  dashed: [
    24,
    (item) => strokeOf(item, "M0,-4L18,-4", `stroke-width="2" stroke-dasharray="5 3"`),
  ],
  band: [24, ({ color }) => barOf(color, 18, ` fill-opacity="0.2"`)],
  whisker: [24, (item) => strokeOf(item, "M9,-11L9,3", `stroke-width="1.5"`)],
  square: [17, ({ color }) => barOf(color, 11)],
  dot: [17, dotOf],
  ramp: [RAMP + 6, ({ colors = [] }) => {
    const width = RAMP / colors.length;
    // Neighbors overlap, so that no gap shows.
    return colors.map((color, at) => barOf(color, width + 0.4, ` x="${(at * width).toFixed(1)}"`))
      .join("");
  }],
};

/** Draws a legend in rows that fit the width. Long labels are cut with an ellipsis. */
export function legendBlock(items: readonly LegendItem[], width: number): Block {
  const { size, line } = theme.legend;
  let x = 0;
  let y = 0;
  const entries = items.map((item) => {
    const [wide, draw] = KEYS[item.key];
    const { from = "" } = item;
    const before = from === "" ? 0 : textWidth(from, { size }) + 6;
    const offset = before + wide;
    const room = Math.min(LONGEST, width - offset);
    const [label = ""] = wrapText(item.label, { size, width: room, lines: 1 });
    const taken = offset + textWidth(label, { size });
    if (x > 0 && x + taken > width) {
      x = 0;
      y += line;
    }
    const entry = `<g transform="translate(${x.toFixed(1)},${y + 13})">` +
      (from === ""
        ? draw(item)
        : `<text font-size="${size}">${escapeXml(from)}</text>${moved(draw(item), before, 0)}`) +
      `<text x="${offset}" font-size="${size}">${escapeXml(label)}</text></g>`;
    x += taken + GAP;
    return entry;
  });
  return {
    svg: `<g aria-label="legend">${entries.join("")}</g>`,
    height: items.length === 0 ? 0 : y + line,
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
}

/** Draws paragraphs of text, each wrapped to the width. */
export function textBlock(paragraphs: readonly string[], style: TextStyle): Block {
  const { size, bold, line, color, width } = style;
  // Titles are bold. Their lines have about equal lengths, so that no date is cut before its last word.
  const wrap = bold ? balancedText : wrapText;
  const wrapped = paragraphs.flatMap((text) => wrap(text, { size, bold, width }));
  const weight = bold ? ` font-weight="bold"` : "";
  const texts = wrapped.map((text, index) =>
    `<text y="${index * line + size}" font-size="${size}"${weight} fill="${color}">${
      escapeXml(text)
    }</text>`
  );
  return { svg: texts.join(""), height: wrapped.length * line };
}

/** The space between the title of a panel and the value after it, in pixels. */
const BESIDE = 5;

/**
 * Draws the title of a panel, in at most two lines, and its subtitle after it, such as the last value of a line. If a
 * word of the title would be broken, the subtitle has a line of its own.
 */
export function headingBlock(
  { title, subtitle }: { readonly title?: unknown; readonly subtitle?: unknown },
  width: number,
): Block {
  if (typeof title !== "string") return { svg: "", height: 0 };
  const value = typeof subtitle === "string" ? subtitle : "";
  const { size, line } = theme.panel;
  const face = { size: theme.label.size };
  const room = width - (value === "" ? 0 : textWidth(value, face) + BESIDE);
  const isBeside = title.split(/\s+/).every((word) => textWidth(word, theme.panel) <= room);
  const style = { ...theme.panel, color: theme.ink, width };
  const lines = wrapText(title, { ...theme.panel, width: isBeside ? room : width, lines: 2 });
  const { svg, height } = textBlock(lines, style);
  if (value === "") return { svg, height };
  const [x, y] = isBeside
    ? [textWidth(lines.at(-1) ?? "", theme.panel) + BESIDE, height - line + size]
    : [0, height + size];
  return {
    height: height + (isBeside ? 0 : line),
    svg:
      `${svg}<text x="${x.toFixed(1)}" y="${y}" font-size="${face.size}" fill="${theme.muted}" ` +
      `aria-label="last value">${escapeXml(value)}</text>`,
  };
}

/** A drawn panel, or a chart of a combined figure. */
export interface PagePanel extends Block {
  readonly width: number;
  /** The letter, title and text above a chart. */
  readonly above?: Block;
  /**
   * The distance from the top of a chart's first panel to its plot area. In a row of charts, all plot areas start at
   * the same height.
   */
  readonly top?: number;
}

/** The content of a page: text at the top, panels in columns, and text at the bottom. */
interface Page extends About {
  readonly width: number;
  readonly legend: readonly LegendItem[];
  readonly columns: number;
  readonly gap: number;
  /** The space below each row of panels. */
  readonly below: number;
  readonly panels: readonly PagePanel[];
}

/** Moves a drawing to a position. */
function moved(svg: string, left: number, top: number): string {
  return `<g transform="translate(${left},${top})">${svg}</g>`;
}

function panelGrid({ panels, columns, gap, below }: Page): Block {
  let height = 0;
  const svg: string[] = [];
  for (let start = 0; start < panels.length; start += columns) {
    const row = panels.slice(start, start + columns);
    const frame = Math.max(...row.map(({ above, top = 0 }) => (above?.height ?? 0) + top));
    let left = 0;
    for (const { above, width, top = 0, ...panel } of row) {
      if (above !== undefined) svg.push(moved(above.svg, left, height));
      svg.push(moved(panel.svg, left, height + frame - top));
      left += width + gap;
    }
    height += Math.max(...row.map(({ top = 0, height }) => frame - top + height)) + below;
  }
  return { svg: svg.join(""), height };
}

/** Draws blocks below each other. `after` is the space below a block. */
function stacked(
  blocks: readonly (Block & { readonly after?: number })[],
  left = 0,
  top = 0,
): Block {
  let height = 0;
  const svg = blocks.filter(({ height }) => height > 0).map((block) => {
    const part = moved(block.svg, left, top + height);
    height += block.height + (block.after ?? 0);
    return part;
  });
  return { svg: svg.join("\n"), height };
}

/**
 * Draws a chart of a combined figure: its text and its panels. `top` is the distance from the top of the first panel to
 * its plot area.
 */
export function partOf(page: Page, top: number): PagePanel {
  const { width } = page;
  const { ink, muted, panel, caption } = theme;
  const above = stacked([
    textBlock([page.title], { ...panel, color: ink, width }),
    textBlock([page.subtitle], { ...caption, color: muted, width }),
    { svg: "", height: 6 },
    legendBlock(page.legend, width),
  ]);
  return { ...panelGrid(page), above, top, width };
}

/** Draws a page as one self-contained SVG document. */
export function pageSvg(page: Page): string {
  const { padding, ink, muted, paper, fontFamily } = theme;
  const width = page.width - 2 * padding;
  const { svg, height: inside } = stacked(
    [
      { ...textBlock([page.title], { ...theme.title, color: ink, width }), after: 2 },
      { ...textBlock([page.subtitle], { ...theme.subtitle, color: muted, width }), after: 8 },
      { ...legendBlock(page.legend, width), after: 8 },
      { ...panelGrid(page), after: 10 },
      textBlock(page.caption, { ...theme.caption, color: muted, width }),
    ],
    padding,
    padding - 4,
  );
  const height = Math.ceil(inside + 2 * (padding - 4));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${page.width}" height="${height}" ` +
    `viewBox="0 0 ${page.width} ${height}" role="img" aria-label="${
      escapeXml(joined([page.title, page.label], ". "))
    }" font-family="${fontFamily}" fill="${ink}">\n<title>${escapeXml(page.title)}</title>` +
    `<desc>${escapeXml(page.label)}</desc>\n` +
    `<rect width="${page.width}" height="${height}" fill="${paper}"/>\n${svg}\n</svg>\n`;
}
