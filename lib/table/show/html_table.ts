import { terminalText } from "../../platform/terminal.ts";
import { type Excerpt, shapeText } from "./excerpt.ts";

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

/** The background color of a notebook's cells, or `Canvas`, the background color of the browser. */
const BEHIND = "var(--jp-layout-color0,var(--vscode-editor-background,Canvas))";
const STRIPE = "rgba(128,128,128,.08)";
/** Up to this number of columns, a table does not scroll. */
const FEW = 5;

const CELL = "white-space:nowrap;padding:.2em .8em;border:0";

/**
 * Returns an excerpt of a frame as an HTML table. The shape of the frame and the note are below the table. Texts are
 * escaped. In a wide table, the first column stays fixed during scrolling if it is a key.
 */
export function htmlTable(excerpt: Excerpt, note: string | null): string {
  const { columns } = excerpt;
  const fixed = columns.length > FEW && columns[0]!.key;
  const styleOf = (column: number, striped: boolean) => {
    const { numeric } = columns[column]!;
    const own = `${CELL};text-align:${
      numeric ? "right;font-variant-numeric:tabular-nums" : "left"
    }`;
    // The background hides the cells that scroll behind a fixed cell.
    const stripe = striped ? `;background-image:linear-gradient(${STRIPE},${STRIPE})` : "";
    return column > 0 || !fixed ? own : `${own};position:sticky;z-index:1;left:0;max-width:24em;` +
      `overflow:hidden;text-overflow:ellipsis;background-color:${BEHIND}${stripe}`;
  };
  const heads = columns.map(({ name, unit }, index) =>
    `<th style="${styleOf(index, false)}">${escaped(name)}` +
    `<br><small style="font-weight:normal;opacity:.65">${escaped(unit)}</small></th>`
  );
  const rows = Array.from(columns[0]?.cells ?? [], (_, row) => {
    const striped = row % 2 === 1;
    const cells = columns.map(({ cells }, index) => {
      const text = cells[row]!;
      const inside = text === "null"
        ? `<span style="opacity:.5">null</span>`
        : escaped(shortened(text));
      return `<td style="${styleOf(index, striped)}">${inside}</td>`;
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
