import { clipped, terminalText } from "../../platform/terminal.ts";
import type { Excerpt, ExcerptColumn } from "./excerpt.ts";

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

/** Returns an excerpt of a frame as an HTML table. The shape of the frame and the note are below the table. */
export function htmlTable(excerpt: Excerpt, note: string | null): string {
  const { columns } = excerpt;
  const tagged = (tag: string, { numeric }: ExcerptColumn, inside: string) =>
    `<${tag} style="white-space:nowrap;text-align:${
      numeric ? "right" : "left"
    }">${inside}</${tag}>`;
  const heads = columns.map((column) =>
    tagged("th", column, `${escaped(column.name)}<br><small>${escaped(column.unit)}</small>`)
  );
  const rows = Array.from(
    columns[0]?.cells ?? [],
    (_, row) =>
      columns.map((column) => tagged("td", column, escaped(clipped(column.cells[row]!, LONGEST)))),
  );
  const facts = [excerpt.shape(columns.length), note ?? []].flat();
  return `<div style="overflow-x:auto;white-space:nowrap"><table class="dataframe"><thead><tr>${
    heads.join("")
  }` +
    `</tr></thead><tbody>${rows.map((cells) => `<tr>${cells.join("")}</tr>`).join("")}` +
    `</tbody></table></div>${facts.map((fact) => `<div>${escaped(fact)}</div>`).join("")}`;
}
