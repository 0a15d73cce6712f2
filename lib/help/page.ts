import { withoutMath } from "../platform/jupyter.ts";
import { placesOf, wrapped } from "../platform/terminal.ts";

/** A table or a text under a heading. */
export interface Section {
  readonly heading: string;
  /** A table: the names of its columns, and its rows of cells. */
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly string[][] };
  readonly code?: string;
}

/** The content of a help page. */
export interface Page {
  readonly title: string;
  /** The description in Markdown, as in doc comments. */
  readonly about: string;
  readonly sections: readonly Section[];
}

const WIDTH = 80;
const GAP = 2;

const LEAST_LAST = 34;

/**
 * Writes rows as aligned columns. If the last column would be too narrow, each of its cells is written below the other
 * cells of its row.
 */
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
    if (below) {
      const lines = last === "" ? [] : wrapped(last, WIDTH - 6).map((line) => `    ${line}`);
      return [row.slice(0, -1).join("  "), ...lines];
    }
    return wrapped(last, WIDTH - taken).map((line, index) =>
      ((index === 0 ? front : " ".repeat(taken - GAP)) + line).trimEnd()
    );
  });
}

/** Returns the cells of a Markdown table by row, without the line of dashes. */
export function tableCells(markdown: string): string[][] {
  return markdown.split("\n").filter((line) => !/^\|[-:| ]+\|$/.test(line))
    .map((line) => line.trim().slice(1, -1).split(/(?<!\\)\|/).map((text) => text.trim()));
}

/** Wraps prose and converts tables to aligned columns. Lists and formulas are unchanged. */
function proseText(text: string): string {
  return text.trim().split(/\n{2,}/).map((part) =>
    part.startsWith("|")
      ? indented(tableText(tableCells(part)).join("\n"))
      : /^(- |```)/.test(part)
      ? part
      : wrapped(part, WIDTH).join("\n")
  ).join("\n\n");
}

function indented(text: string): string {
  return text.trimEnd().split("\n").map((line) => `  ${line}`.trimEnd()).join("\n");
}

/** Returns a page as plain text. It is at most 80 columns wide, unless a word is longer. */
export function pageText({ title, about, sections }: Page): string {
  const parts = sections.map(({ heading, table, code }) => {
    const body = table === undefined ? code ?? "" : tableText(table.rows).join("\n");
    return `${heading}\n${indented(body)}`;
  });
  return [title, proseText(about), ...parts].filter((part) => part !== "").join("\n\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/\s+/g, " ");
}

function tableMarkdown({ head, rows }: NonNullable<Section["table"]>): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Returns a page as Markdown, which notebooks render. */
function pageMarkdown({ title, about, sections }: Page): string {
  const parts = sections.map(({ heading, table, code }) => {
    const body = table === undefined ? `\`\`\`ts\n${code ?? ""}\n\`\`\`` : tableMarkdown(table);
    return `**${heading}**\n\n${body}`;
  });
  return [`### \`${title}\``, about, ...parts].filter((part) => part !== "").join("\n\n");
}

/** Returns a page in the formats of a notebook. */
export function pageBundle(page: Page): Record<string, string> {
  return { "text/markdown": withoutMath(pageMarkdown(page)), "text/plain": pageText(page) };
}
