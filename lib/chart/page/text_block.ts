import { wrapText } from "../text/wrap_text.ts";
import { escapeXml } from "./escape_xml.ts";
import type { Block } from "./legend.ts";

/** How a block of text is set. */
export interface TextStyle {
  readonly size: number;
  readonly bold: boolean;
  /** The distance between lines. */
  readonly line: number;
  readonly color: string;
  readonly width: number;
  /** The greatest number of lines. @default {Infinity} */
  readonly lines?: number;
}

/** Paragraphs of text, each wrapped to the width. */
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
