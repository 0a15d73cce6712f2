import { clipped, terminalText } from "../../platform/terminal.ts";
import { type ColumnSummary, histogramText } from "./column_summary.ts";
import type { Excerpt, ExcerptColumn } from "./excerpt.ts";
import { fittingColumns, rowList } from "./text_table.ts";

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

/** The space of a notebook's page of 900 px: characters of about 7 px, and the padding between two columns. */
const SPACE = { width: 128, gap: 2, lengths: [LONGEST] };

/** The size of a histogram in pixels. */
const [WIDTH, HEIGHT] = [60, 16];

/** One gray for light and dark pages. */
const GRAY = "%237b8794";

/** Returns a histogram as an image. JupyterLab removes inline SVG from notebooks that it does not trust. */
function histogram(summary: ColumnSummary): string {
  const { bins } = summary;
  if (bins === null) return "";
  const [most, wide] = [Math.max(...bins), WIDTH / bins.length];
  const bars = bins.map((count, at) => {
    const high = count === 0 ? 0 : Math.max(1, Math.round((HEIGHT * count) / most));
    return high === 0 ? "" : `M${at * wide} ${HEIGHT}v-${high}h${wide - 1}v${high}z`;
  });
  const svg = `%3Csvg xmlns='http://www.w3.org/2000/svg' width='${WIDTH}' height='${HEIGHT}'%3E` +
    `%3Cpath fill='${GRAY}' d='${bars.join("")}'/%3E%3C/svg%3E`;
  return `<img width="${WIDTH}" height="${HEIGHT}" alt="${escaped(histogramText(summary))}" ` +
    `src="data:image/svg+xml,${svg}"><br>`;
}

function tagged(tag: string, numeric: boolean, inside: string): string {
  return `<${tag} style="white-space:nowrap;text-align:${
    numeric ? "right" : "left"
  }">${inside}</${tag}>`;
}

function tableRows(columns: readonly (ExcerptColumn | null)[]): string[] {
  const count = columns.find((column) => column !== null)?.cells.length ?? 0;
  return Array.from({ length: count }, (_, row) =>
    columns.map((column) =>
      tagged(
        "td",
        column?.numeric === true,
        column === null ? "…" : escaped(clipped(column.cells[row]!, LONGEST)),
      )
    ).join(""));
}

/**
 * Returns an excerpt of a frame as an HTML table, with as many columns as fit a page of 900 px. The shape of the frame
 * and the note are below the table. `summaryOf` returns the summary of a column, which is written below its name.
 */
export function htmlTable(excerpt: Excerpt, { note, summaryOf }: {
  readonly note: string | null;
  readonly summaryOf?: ((name: string) => ColumnSummary) | undefined;
}): string {
  const columns = fittingColumns(excerpt, SPACE);
  const list = rowList(excerpt, columns);
  const heads = columns.map((column) => {
    if (column === null) return tagged("th", false, "…");
    const { name, unitLine, numeric } = column;
    const summary = summaryOf?.(name);
    const below = summary === undefined
      ? ""
      : `<br>${histogram(summary)}<small>${escaped(summary.words)}</small>`;
    const head = `${escaped(name)}<br><small>${escaped(unitLine)}</small>${below}`;
    return tagged("th", numeric, head);
  });
  const rows =
    list?.map(([{ name }, value]) =>
      tagged("th", false, escaped(name)) + tagged("td", false, escaped(clipped(value, LONGEST)))
    ) ?? tableRows(columns);
  const shown = list?.map(([column]) => column) ?? columns.filter((column) => column !== null);
  const facts = [excerpt.shape(shown.map(({ name }) => name)), note ?? []].flat();
  const head = list !== null ? "" : `<thead><tr>${heads.join("")}</tr></thead>`;
  // Without these classes, MathJax of notebooks reads the text between two US$ as a formula.
  return `<div class="tex2jax_ignore mathjax_ignore">` +
    `<div style="overflow-x:auto;white-space:nowrap"><table class="dataframe">${head}` +
    `<tbody>${rows.map((cells) => `<tr>${cells}</tr>`).join("")}` +
    `</tbody></table></div>${facts.map((fact) => `<div>${escaped(fact)}</div>`).join("")}</div>`;
}
