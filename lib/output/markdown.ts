// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type markdownIt from "npm:markdown-it@15.0.3";
import { type Cell, isCell } from "./cell.ts";
import { displayedAs, withoutMath } from "../platform/jupyter.ts";
import { loadPackage } from "../platform/package.ts";
import { shown, terminalLines } from "../platform/terminal.ts";

/**
 * A text in Markdown, written with {@linkcode md}. As a string, it is the source of the text, with the formatted values
 * of its cells.
 *
 * @category Output
 */
export interface Markdown {
  /** The source of the text, in CommonMark. A private character and a number mark the place of each cell. */
  readonly "~markdown": string;
  /** The values that the text takes from frames. */
  readonly cells: readonly Cell[];
  /** The numbers that were typed in the text. */
  readonly typed: readonly string[];
  /** Returns the text in Markdown. */
  toString(): string;
}

export function isMarkdown(value: unknown): value is Markdown {
  return typeof (value as Markdown | null)?.["~markdown"] === "string";
}

/** Marks the place of a cell, with its index. Texts of users lose this character. */
const PLACE = /\uE000(\d+)\uE000/g;
const placeOf = (index: number) => `\uE000${index}\uE000`;

/** Escapes all punctuation of a value, so that Markdown shows the value unchanged. Line breaks become spaces. */
function literal(value: unknown): string {
  return String(value).replace(/\s+/g, " ").replace(/[!-/:-@[-`{-~]/g, "\\$&")
    .replaceAll("\uE000", "\ufffd");
}

/** Returns the numbers in a text, such as `1,200`, `13.4%` and `46.6K`. */
export function numberTexts(text: string): string[] {
  return text.match(/(?<![\w.,])\d+(?:[.,]\d+)*(?:%|[KMBT](?!\w))?(?!\w)/g) ?? [];
}

/**
 * Makes a text for {@linkcode report} from Markdown. Use `md` as the tag of a template literal.
 *
 * Interpolated values are escaped, so they are shown unchanged. Interpolated results of `md` keep their Markdown, and
 * results of {@linkcode cell} their origin. HTML in the template is shown as text.
 *
 * @example
 * ```ts
 * import { blockchainComparison, cell, md } from "@chainframe/chainframe";
 *
 * const chains = await blockchainComparison({ limit: 1 });
 * const text = md`Fees of **${"alder"}**: ${cell(chains, "ecosystem_fees_30d_sum")}.`;
 * ```
 *
 * @throws {TypeError} for a number: bind it with `cell`, or write it as a text.
 * @category Output
 */
export function md(texts: TemplateStringsArray, ...values: readonly unknown[]): Markdown {
  if (!Array.isArray((texts as TemplateStringsArray | null)?.raw)) {
    throw new RangeError(
      `md: must be the tag of a template, as in md\`text\`; got ${shown(texts)}`,
    );
  }
  const cells: Cell[] = [];
  const typed = numberTexts(texts[0]!);
  const partOf = (value: unknown): string => {
    if (isCell(value)) return placeOf(cells.push(value) - 1);
    if (isMarkdown(value)) {
      const first = cells.length;
      cells.push(...value.cells);
      typed.push(...value.typed);
      return value["~markdown"].replace(PLACE, (_, index) => placeOf(first + Number(index)));
    }
    if (typeof value === "number" || typeof value === "bigint") {
      throw new TypeError(
        `md: a number must be bound to a frame, as in cell(frame, field), or written as a text; got ${value}`,
      );
    }
    typed.push(...numberTexts(String(value)));
    return literal(value);
  };
  const parts = values.map((value, at) => {
    const part = partOf(value);
    typed.push(...numberTexts(texts[at + 1]!));
    return part;
  });
  const fixed = (text: string) => text.replaceAll("\uE000", "\ufffd");
  const source = fixed(texts[0]!) + parts.map((part, at) => part + fixed(texts[at + 1]!)).join("");
  const toString = () =>
    terminalLines(source.replace(PLACE, (_, index) => {
      const { text, value } = cells[index]!;
      return typeof value === "string" ? literal(text) : text;
    }));
  return displayedAs({ "~markdown": source, cells, typed, toString }, toString, () => ({
    "text/markdown": withoutMath(toString()),
  }));
}

/** Removes the common indent of a template literal, because Markdown would read indented lines as code. */
function dedented(text: string): string {
  const indents = [...text.matchAll(/\n([ \t]*)\S/g)].map(([, indent]) => indent!.length);
  const indent = Math.min(...indents);
  return indents.length === 0
    ? text
    : text.replaceAll(new RegExp(`\\n[ \\t]{${indent}}`, "g"), "\n");
}

/**
 * Renders a text as HTML. HTML in the text is escaped. Images become links, so that the page loads no other files.
 * `cellHtml` renders a cell.
 *
 * @throws {RangeError} when the page would not show a cell, such as one in the address of a link.
 */
export async function markdownHtml(
  text: Markdown,
  cellHtml: (cell: Cell) => string,
): Promise<string> {
  const { default: make } = await loadPackage<{ default: typeof markdownIt }>(
    "npm:markdown-it@15.0.3",
  );
  const source = text["~markdown"];
  const html = make({ html: false }).disable("image").render(dedented(source).trim());
  const placesIn = (some: string) => [...some.matchAll(PLACE)].map(([place]) => place).sort();
  // Addresses of links are encoded. An automatic link has its address as its text, too.
  const tags = html.match(/<[^>]*>/g)?.join("").replaceAll("%EE%80%80", "\uE000") ?? "";
  const found = tags.includes("\uE000") ? [] : placesIn(html.replace(/<[^>]*>/g, ""));
  const lost = placesIn(source).find((place, index) => place !== found[index]);
  if (lost !== undefined) {
    const { field, text: value } = text.cells[Number(lost.slice(1, -1))]!;
    throw new RangeError(
      `md: a cell must be in the text, not in the address or title of a link; got ${value}, ${field}`,
    );
  }
  return html.replace(PLACE, (_, index) => cellHtml(text.cells[index]!));
}
