import { placesOf, terminalText } from "../../platform/terminal.ts";
import { type Excerpt, type ExcerptColumn, shapeText } from "./excerpt.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML or XML content and attributes. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

function escaped(text: string): string {
  return escapeMarkup(terminalText(text));
}

const LONGEST = 60;

function shortened(text: string): string {
  return text.length > LONGEST ? `${Array.from(text).slice(0, LONGEST - 1).join("")}…` : text;
}

/** Key columns that stay fixed during scrolling: their maximum number, and maximum total width in em. */
const FIXED_COLUMNS = 2;
const FIXED_WIDTH = 24;

/** Widths in em: of a letter in a cell, of a bold letter in a column name, and of the padding of a cell. */
const [LETTER, BOLD, SPACE] = [0.6, 0.68, 1.6];

/**
 * Returns the widths of the fixed key columns, in em. A table with few columns does not scroll, so it has no fixed
 * columns.
 */
function fixedWidths(columns: readonly ExcerptColumn[]): number[] {
  const widths: number[] = [];
  if (columns.length < 6) return widths;
  for (const { key, name, unit, cells } of columns.slice(0, FIXED_COLUMNS)) {
    const places = Math.max(...[unit, ...cells].map((text) => placesOf(shortened(text))));
    const width = Math.max(places * LETTER, placesOf(name) * BOLD) + SPACE;
    const taken = widths.reduce((sum, each) => sum + each, width);
    if (!key || taken > FIXED_WIDTH) break;
    widths.push(Math.round(width * 10) / 10);
  }
  return widths;
}

/** The background color of a notebook's cells, or `Canvas`, the background color of the browser. */
const BEHIND = "var(--jp-layout-color0,var(--vscode-editor-background,Canvas))";
const STRIPE = "rgba(128,128,128,.08)";

/** Returns the style of a fixed cell. Its background hides the cells that scroll behind the fixed cell. */
function fixedStyle(widths: readonly number[], column: number, striped: boolean): string {
  const width = widths[column];
  if (width === undefined) return "";
  const left = widths.slice(0, column).reduce((sum, each) => sum + each, 0);
  const stripe = striped ? `;background-image:linear-gradient(${STRIPE},${STRIPE})` : "";
  return `;position:sticky;z-index:1;left:${left}em;min-width:${width}em;max-width:${width}em;` +
    `box-sizing:border-box;overflow:hidden;text-overflow:ellipsis;background-color:${BEHIND}${stripe}`;
}

const CELL = "white-space:nowrap;padding:.2em .8em;border:0";

/**
 * Returns an excerpt of a frame as an HTML table. The shape of the frame and the note are below the table. Texts are
 * escaped. In a wide table, the first key columns stay fixed during scrolling.
 */
export function htmlTable(excerpt: Excerpt, note: string | null): string {
  const { columns } = excerpt;
  const widths = fixedWidths(columns);
  const align = (numeric: boolean) => `text-align:${numeric ? "right" : "left"}`;
  const heads = columns.map(({ name, unit, numeric }, index) =>
    `<th style="${CELL};${align(numeric)}${fixedStyle(widths, index, false)}">${escaped(name)}` +
    `<br><small style="font-weight:normal;opacity:.65">${escaped(unit)}</small></th>`
  );
  const rows = Array.from(columns[0]?.cells ?? [], (_, row) => {
    const striped = row % 2 === 1;
    const cells = columns.map(({ cells, numeric }, index) => {
      const text = cells[row]!;
      const figures = numeric ? ";font-variant-numeric:tabular-nums" : "";
      const faint = text === "null" ? `<span style="opacity:.5">null</span>` : null;
      return `<td style="${CELL};${align(numeric)}${figures}${
        fixedStyle(widths, index, striped)
      }">` +
        `${faint ?? escaped(shortened(text))}</td>`;
    });
    return `<tr style="background:${striped ? STRIPE : "none"}">${cells.join("")}</tr>`;
  });
  const facts = [shapeText(excerpt, columns.length), ...note === null ? [] : [note]];
  const small = facts.map((fact) =>
    `<div style="font-size:12px;opacity:.75">${escaped(fact)}</div>`
  );
  return `<div style="overflow-x:auto;max-width:100%">` +
    `<table class="dataframe" style="border-collapse:collapse;border:0;margin:0">` +
    `<thead><tr style="border-bottom:1px solid rgba(128,128,128,.5)">${
      heads.join("")
    }</tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table></div>${small.join("")}`;
}
