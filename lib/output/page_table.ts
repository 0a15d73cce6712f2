import { escapeMarkup } from "../table/show/html_table.ts";

/** Returns a header cell with a text of this package. */
export function headHtml(text: string): string {
  return `<th scope="col">${text}</th>`;
}

/** Returns a row of texts. */
export function rowHtml(texts: readonly string[], attributes = ""): string {
  return `<tr${attributes}>${texts.map((text) => `<td>${escapeMarkup(text)}</td>`).join("")}</tr>`;
}

/**
 * Returns a table that scrolls in its own box, from the HTML of its header cells and rows. Programs find the table by its
 * id.
 */
export function tableHtml(
  label: string,
  heads: readonly string[],
  rows: readonly string[],
): string {
  const id = label.toLowerCase().replaceAll(" ", "-");
  return `<div class="table" tabindex="0" role="region" aria-label="${label}"><table id="${id}">` +
    `<thead><tr>${heads.join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
