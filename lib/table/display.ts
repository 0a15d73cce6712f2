import { type Excerpt, type ExcerptColumn, excerptOf, placesOf, shapeText } from "./excerpt.ts";
import { annotationOf } from "./provenance.ts";
import { terminalText } from "../host/terminal_text.ts";
import { sourceLine } from "./source_line.ts";
import type { DataFrame } from "./polars.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

function headOf({ name, dtype, numeric }: ExcerptColumn): string {
  const align = numeric ? "right" : "left";
  return `<th style="text-align:${align};white-space:nowrap">${escaped(name)}` +
    `<br><small style="font-weight:normal;opacity:.65">${escaped(dtype)}</small></th>`;
}

function cellOf({ cells, numeric }: ExcerptColumn, row: number): string {
  const text = cells[row]!;
  const style = `text-align:${numeric ? "right" : "left"};white-space:nowrap`;
  return `<td style="${style}${text === "null" ? ";opacity:.5" : ""}">${escaped(text)}</td>`;
}

/** An excerpt as an HTML table, with its shape above and a note below; every text is escaped. */
function htmlTable(excerpt: Excerpt, note: string | null): string {
  const rows = Array.from(
    excerpt.columns[0]?.cells ?? [],
    (_, row) => `<tr>${excerpt.columns.map((column) => cellOf(column, row)).join("")}</tr>`,
  );
  const small = (text: string) => `<small style="opacity:.75">${escaped(text)}</small>`;
  return `<div style="overflow-x:auto">${small(shapeText(excerpt))}` +
    `<table class="dataframe"><thead><tr>${excerpt.columns.map(headOf).join("")}</tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table>${note === null ? "" : small(note)}</div>`;
}

const WIDEST = 100;
const GAP = "  ";

function lines({ name, dtype, numeric, cells }: ExcerptColumn): string[] {
  const texts = [name, dtype, ...cells];
  const width = Math.max(...texts.map(placesOf));
  return texts.map((text) => {
    const space = " ".repeat(width - placesOf(text));
    return numeric ? space + text : text + space;
  });
}

/** The columns that fit the width, from both ends, with `…` for those between. */
function fitting(blocks: readonly string[][]): readonly string[][] {
  const size = (block: readonly string[]) => placesOf(block[0]!) + GAP.length;
  if (blocks.reduce((sum, block) => sum + size(block), 0) <= WIDEST + GAP.length) return blocks;
  const front: string[][] = [];
  const back: string[][] = [];
  let room = WIDEST - 3;
  for (let taken = 0; taken < blocks.length; taken++) {
    const fromFront = taken % 3 !== 2;
    const block = fromFront ? blocks[front.length]! : blocks[blocks.length - 1 - back.length]!;
    room -= size(block);
    if (room < 0 && taken > 0) break;
    if (fromFront) front.push(block);
    else back.unshift(block);
  }
  return [...front, blocks[0]!.map(() => "…"), ...back];
}

/** An excerpt as plain text, at most 100 places wide, with its shape above and a note below. */
function plainTable(excerpt: Excerpt, note: string | null): string {
  const blocks = fitting(excerpt.columns.map(lines));
  const table = Array.from(
    blocks[0] ?? [],
    (_, line) => blocks.map((block) => block[line]).join(GAP).trimEnd(),
  );
  return [shapeText(excerpt), ...table, ...(note === null ? [] : [note])].join("\n");
}

/** The forms of a display, by mime type. */
export interface MimeBundle {
  /** The content of one mime type. */
  readonly [type: string]: unknown;
}

function noteOf(frame: DataFrame): string | null {
  const annotation = annotationOf(frame);
  return annotation === undefined ? null : terminalText(sourceLine(annotation));
}

/** What a notebook shows of a frame. */
export function bundleOf(frame: DataFrame): MimeBundle {
  const excerpt = excerptOf(frame);
  const note = noteOf(frame);
  return { "text/html": htmlTable(excerpt, note), "text/plain": plainTable(excerpt, note) };
}

/** What `console.log` shows of a frame. */
export function plainOf(frame: DataFrame): string {
  return plainTable(excerptOf(frame), noteOf(frame));
}
