import type { About } from "../about.ts";
import { theme } from "../theme.ts";
import { escapeXml } from "./escape_xml.ts";
import { type Block, legendBlock, type LegendItem } from "./legend.ts";
import { textBlock } from "./text_block.ts";

/** A drawn part of a figure. */
export interface Panel extends Block {
  readonly width: number;
}

/** What stands on a page: words above and below, panels in columns between. */
export interface Page extends About {
  readonly width: number;
  readonly legend: readonly LegendItem[];
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

/** One SVG document that needs nothing outside itself. */
export function pageSvg(page: Page): string {
  const { padding, ink, muted, paper, fontFamily } = theme;
  const width = page.width - 2 * padding;
  const blocks: (Block & { after: number })[] = [
    { ...textBlock([page.title], { ...theme.title, color: ink, width }), after: 2 },
    { ...textBlock([page.subtitle], { ...theme.subtitle, color: muted, width }), after: 8 },
    { ...legendBlock(page.legend, width), after: 4 },
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
