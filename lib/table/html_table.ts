import type { Excerpt, ExcerptColumn } from "./excerpt.ts";
import { shapeText } from "./shape_text.ts";

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
export function htmlTable(excerpt: Excerpt, note: string | null): string {
  const rows = Array.from(
    excerpt.columns[0]?.cells ?? [],
    (_, row) => `<tr>${excerpt.columns.map((column) => cellOf(column, row)).join("")}</tr>`,
  );
  const small = (text: string) => `<small style="opacity:.75">${escaped(text)}</small>`;
  return `<div style="overflow-x:auto">${small(shapeText(excerpt))}` +
    `<table class="dataframe"><thead><tr>${excerpt.columns.map(headOf).join("")}</tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table>${note === null ? "" : small(note)}</div>`;
}
