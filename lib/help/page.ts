import { placesOf } from "../platform/terminal.ts";
import type { MimeBundle } from "../table/show.ts";

/** A table or a text under a heading. */
export interface Section {
  readonly heading: string;
  /** The names of the columns, and the cells by row. */
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly string[][] };
  readonly code?: string;
}

/** What help shows about one thing. */
export interface Page {
  readonly title: string;
  /** Markdown, as doc comments are written. */
  readonly about: string;
  readonly sections: readonly Section[];
}

const WIDTH = 80;
const GAP = 2;

function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!;
    const next = line === "" ? word : `${line} ${word}`;
    if (line !== "" && placesOf(next) > width) lines.push(word);
    else lines[lines.length - 1] = next;
  }
  return lines;
}

const LEAST_LAST = 34;

/** Rows in columns; where the last would be too narrow to read, it goes below the others. */
function tableText(rows: readonly (readonly string[])[]): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from(
    { length: Math.max(0, count - 1) },
    (_, column) => Math.max(...rows.map((row) => placesOf(row[column] ?? ""))),
  );
  const taken = widths.reduce((sum, width) => sum + width + GAP, GAP);
  const below = WIDTH - taken < LEAST_LAST;
  return rows.flatMap((row) => {
    const front = widths.map((width, column) => {
      const cell = row[column] ?? "";
      return cell + " ".repeat(width - placesOf(cell) + GAP);
    }).join("");
    const last = row[count - 1] ?? "";
    if (below) return [front.trimEnd(), ...wrapped(last, WIDTH - 6).map((line) => `    ${line}`)];
    return wrapped(last, WIDTH - taken).map((line, index) =>
      ((index === 0 ? front : " ".repeat(taken - GAP)) + line).trimEnd()
    );
  });
}

/** Prose in lines of the terminal's width; lists and formulas stay as they are. */
function proseText(text: string): string {
  return text.trim().split(/\n{2,}/).map((part) =>
    /^(- |```)/.test(part) ? part : wrapped(part, WIDTH).join("\n")
  ).join("\n\n");
}

function indented(text: string): string {
  return text.trimEnd().split("\n").map((line) => `  ${line}`.trimEnd()).join("\n");
}

/** A page as plain text, at most 80 places wide where its words allow it. */
export function pageText({ title, about, sections }: Page): string {
  const parts = sections.map(({ heading, table, code }) => {
    const body = table === undefined ? code ?? "" : tableText(table.rows).join("\n");
    return `${heading}\n${indented(body)}`;
  });
  return [title, proseText(about), ...parts].filter((part) => part !== "").join("\n\n");
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function inline(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>");
}

function paragraphHtml(text: string): string {
  if (!/^- /.test(text)) return `<p>${inline(text.replace(/\n/g, " "))}</p>`;
  const items = text.split(/^- /m).filter((item) => item.trim() !== "");
  return `<ul>${items.map((item) => `<li>${inline(item.trim())}</li>`).join("")}</ul>`;
}

function tableHtml({ head, rows }: NonNullable<Section["table"]>): string {
  const style = ' style="text-align:left;vertical-align:top"';
  const cells = (tag: string, row: readonly string[]) =>
    row.map((cell) => `<${tag}${style}>${inline(cell)}</${tag}>`).join("");
  return `<div style="overflow-x:auto"><table><thead><tr>${cells("th", head)}</tr></thead><tbody>${
    rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("")
  }</tbody></table></div>`;
}

function pageHtml({ title, about, sections }: Page): string {
  const paragraphs = about.split(/\n{2,}/).filter((text) => text.trim() !== "");
  return [
    `<b style="font-size:110%">${escaped(title)}</b>`,
    ...paragraphs.map(paragraphHtml),
    ...sections.map(({ heading, table, code }) =>
      `<b>${escaped(heading)}</b>` +
      (table === undefined ? `<pre>${escaped(code ?? "")}</pre>` : tableHtml(table))
    ),
  ].join("");
}

/** A page in the forms that a notebook shows. */
export function pageBundle(page: Page): MimeBundle {
  return { "text/html": pageHtml(page), "text/plain": pageText(page) };
}
