import { textWidth } from "../text/text_width.ts";
import { wrapText } from "../text/wrap_text.ts";
import { theme } from "../theme.ts";
import { escapeXml } from "./escape_xml.ts";

/** One entry of a legend. */
export interface LegendItem {
  /** The words beside the key. */
  readonly label: string;
  /** The colour of the key, as CSS writes it. */
  readonly color: string;
  /** `line` with the marker of its series, `dashed`, `band`, a filled `square`, or a `diamond`. */
  readonly key: "line" | "dashed" | "band" | "square" | "diamond";
  /** The marker on a line, as a path about the origin, of the area of a circle of radius 1. */
  readonly marker?: string;
}

/** A part of a page, with its height: it is drawn from its own top left corner. */
export interface Block {
  readonly svg: string;
  readonly height: number;
}

const KEY = 24;
const GAP = 18;
const LONGEST = 480;

function keyOf({ key, color, marker }: LegendItem): string {
  const fill = `fill="${escapeXml(color)}"`;
  if (key === "square") return `<rect y="-9.5" width="11" height="11" ${fill}/>`;
  if (key === "diamond") return `<path d="M6,-11L10,-4L6,3L2,-4Z" ${fill}/>`;
  if (key === "band") return `<rect y="-9.5" width="18" height="11" ${fill} fill-opacity="0.2"/>`;
  const dashes = key === "dashed" ? ` stroke-dasharray="5 3"` : "";
  const line = `<path d="M0,-4H18" fill="none" stroke="${
    escapeXml(color)
  }" stroke-width="2"${dashes}/>`;
  const symbol = marker === undefined
    ? ""
    : `<path d="${escapeXml(marker)}" transform="translate(9,-4) scale(3)" ${fill}/>`;
  return line + symbol;
}

/** A legend in rows that fit the width; a longer label than fits is cut off with an ellipsis. */
export function legendBlock(items: readonly LegendItem[], width: number): Block {
  const { size, line } = theme.legend;
  let x = 0;
  let y = 0;
  const entries = items.map((item) => {
    const offset = item.key === "square" || item.key === "diamond" ? 17 : KEY;
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
