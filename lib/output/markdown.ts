// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import type markdownIt from "npm:markdown-it@15.0.3";
import { loadPackage } from "../platform/package.ts";

/**
 * A text in Markdown, written with {@linkcode md}.
 *
 * @category Output
 */
export interface Markdown {
  /** The source of the text, in CommonMark. */
  readonly "~markdown": string;
}

export function isMarkdown(value: unknown): value is Markdown {
  return typeof (value as Markdown | null)?.["~markdown"] === "string";
}

/** Escapes all punctuation of a value, so that Markdown shows the value unchanged. Line breaks become spaces. */
function literal(value: unknown): string {
  return String(value).replace(/\s+/g, " ").replace(/[!-/:-@[-`{-~]/g, "\\$&");
}

/**
 * Makes a text for {@linkcode report} from Markdown. Use `md` as the tag of a template literal.
 *
 * Interpolated values are escaped, so they are shown unchanged. Interpolated results of `md` keep their Markdown. HTML
 * in the template is shown as text.
 *
 * @example
 * ```ts
 * import { md } from "@chainframe/chainframe";
 *
 * const text = md`Fees of **${"alder"}** fell by ${12} %.`;
 * ```
 *
 * @category Output
 */
export function md(texts: TemplateStringsArray, ...values: readonly unknown[]): Markdown {
  const parts = values.map((value, at) =>
    (isMarkdown(value) ? value["~markdown"] : literal(value)) + texts[at + 1]
  );
  return { "~markdown": texts[0] + parts.join("") };
}

/** Removes the common indent of a template literal, because Markdown would read indented lines as code. */
function dedented(text: string): string {
  const indents = [...text.matchAll(/\n([ \t]*)\S/g)].map(([, indent]) => indent!.length);
  const indent = Math.min(...indents);
  return indents.length === 0
    ? text
    : text.replaceAll(new RegExp(`\\n[ \\t]{${indent}}`, "g"), "\n");
}

/** Renders a text as HTML. HTML in the text is escaped. Images become links, so that the page loads no other files. */
export async function markdownHtml(text: Markdown): Promise<string> {
  const { default: make } = await loadPackage<{ default: typeof markdownIt }>(
    "npm:markdown-it@15.0.3",
  );
  return make({ html: false }).disable("image").render(dedented(text["~markdown"]).trim());
}
