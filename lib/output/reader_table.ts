import { excerptOf } from "../table/show/excerpt.ts";
import { displayedColumns } from "../table/show/display.ts";
import { escapeMarkup } from "../table/show/html_table.ts";
import type { DataFrame } from "../table/columns/polars.ts";
import { counted, terminalText } from "../platform/terminal.ts";
import { columnHead } from "./column_head.ts";
import { tableHtml } from "./page_table.ts";
import { frameBytes } from "./encode.ts";

/** Maximum number of rows of a table. */
const MOST_ROWS = 40;
/** Maximum number of columns of a table, unless `show` chose more. */
const MOST_COLUMNS = 12;

function tagged(tag: string, text: string, attributes = ""): string {
  return `<${tag}${attributes}>${escapeMarkup(terminalText(text))}</${tag}>`;
}

/** Returns a link to all rows as a CSV file, which is stored in the page. */
function restOf(frame: DataFrame, file: string): string {
  const more = frame.height - MOST_ROWS;
  if (more <= 0) return "";
  const csv = encodeURIComponent(new TextDecoder().decode(frameBytes(frame, "csv")));
  return `<p>${counted(more, "more row")} in ` +
    `<a download="${file}" href="data:text/csv;charset=utf-8,${csv}">${file}</a></p>`;
}

/**
 * Returns a frame as an HTML table for readers: columns have titles with units, and their names as tooltips. A long
 * frame ends with a link to all of its rows.
 */
export function readerTable(
  frame: DataFrame,
  { at, locale }: { readonly at: number; readonly locale: string | undefined },
): string {
  const wanted = displayedColumns(frame) ?? MOST_COLUMNS;
  const { columns } = excerptOf(frame.head(MOST_ROWS), {
    rows: MOST_ROWS,
    columns: wanted,
    locale,
  });
  const classOf = ({ numeric, dtype }: typeof columns[number]) =>
    numeric ? ` class="number"` : dtype.startsWith("Date") ? ` class="date"` : "";
  const heads = columns.map((column) => {
    const attributes = `${classOf(column)} scope="col" title="${escapeMarkup(column.name)}"`;
    return tagged("th", columnHead(frame, column), attributes);
  });
  const rows = Array.from(columns[0]?.cells ?? [], (_, row) =>
    columns.map((column) => {
      const text = column.cells[row]!;
      return tagged("td", text === "null" ? "–" : text, classOf(column));
    }));
  const hidden = frame.width - columns.length;
  const lines = rows.map((cells) => `<tr>${cells.join("")}</tr>`);
  return tableHtml(`Table ${at}`, heads, lines) +
    restOf(frame, `table_${at}.csv`) +
    (hidden > 0
      ? `<p class="soft">${hidden === 1 ? "1 column is" : `${hidden} columns are`} not shown.</p>`
      : "");
}
