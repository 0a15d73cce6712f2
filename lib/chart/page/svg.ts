import { escapeMarkup } from "../../table/show/html_table.ts";
import type { FigureRow, Theme } from "../chart.ts";
import { theme } from "../theme.ts";
import { darkColor } from "./dark.ts";

// deno-lint-ignore no-control-regex -- these are the characters that XML 1.0 does not allow
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Replaces characters that XML forbids with U+FFFD. */
export function xmlCharacters(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN, "\ufffd");
}

/** Escapes a text for XML content and attributes. */
export function escapeXml(text: string): string {
  return escapeMarkup(xmlCharacters(text));
}

/** The members of a DOM node that `serializeSvg` reads. The nodes of linkedom and of browsers have these members. */
export interface SvgNode {
  readonly nodeType: number;
  /** The name of an element as written. The member `nodeName` is not used, because linkedom writes it in capitals. */
  readonly localName?: string | null;
  readonly textContent: string | null;
  readonly attributes?: Iterable<{ readonly name: string; readonly value: string }>;
  readonly childNodes: Iterable<SvgNode>;
}

const ELEMENT = 1;
const TEXT = 3;
const GEOMETRY = /^(d|transform|points|[xy][12]?|[cr][xy]?|d[xy]|width|height)$/;

/**
 * Rounds the numbers in geometric attributes. In other attributes, replaces CSS variables and `currentColor`, which
 * Inkscape and LaTeX do not support.
 */
function plainValue(name: string, value: string): string {
  if (GEOMETRY.test(name)) {
    return value.replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toFixed(2))));
  }
  return value.replaceAll("currentColor", theme.ink).replaceAll(
    "var(--plot-background)",
    theme.paper,
  );
}

function attributesOf(node: SvgNode): string {
  return [...node.attributes ?? []]
    .filter(({ name }) => name !== "class")
    .map(({ name, value }) => ` ${name}="${escapeXml(plainValue(name, value))}"`)
    .sort()
    .join("");
}

/**
 * Converts a DOM tree to well-formed XML. Coordinates are rounded to a hundredth of a pixel, and colors are explicit.
 * Style sheets and classes are removed, because only browsers support them.
 */
export function serializeSvg(node: SvgNode): string {
  if (node.nodeType === TEXT) return escapeXml(node.textContent ?? "");
  const name = node.localName ?? "";
  if (node.nodeType !== ELEMENT || name === "style") return "";
  const children = [...node.childNodes].map(serializeSvg).join("");
  const tag = `${name}${attributesOf(node)}`;
  return children === "" ? `<${tag}/>` : `<${tag}>${children}</${name}>`;
}

/** The content of an HTML document. `fonts`, `body` and `scripts` are inserted without escaping. */
interface HtmlParts {
  readonly title: string;
  readonly theme: Theme;
  /** The rules of a style sheet that embed the fonts. */
  readonly fonts: string;
  readonly body: string;
  readonly scripts?: string;
}

/** Returns the rows of a chart as an HTML table that is hidden from view, but available to screen readers. */
export function hiddenTable(title: string, rows: readonly FigureRow[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return "";
  const text = (value: FigureRow[string] | undefined) =>
    value instanceof Date ? value.toISOString().slice(0, 10) : String(value ?? "no value");
  const cells = (tag: string, texts: readonly string[]) =>
    `<tr>${texts.map((text) => `<${tag}>${escapeXml(text)}</${tag}>`).join("")}</tr>`;
  const body = rows.map((row) => cells("td", names.map((name) => text(row[name]))));
  // A table cannot be made smaller than its rows, so an element around the table hides it.
  return `<div class="rows"><table><caption>${escapeXml(title)}</caption><thead>${
    cells("th", names)
  }</thead><tbody>\n${body.join("\n")}\n</tbody></table></div>\n`;
}

/** Returns one HTML document. */
export function htmlPage({ title, theme: look, fonts, body, scripts = "" }: HtmlParts): string {
  const pages = [
    `body { background: ${theme.paper}; color: ${theme.ink}; }`,
    `body { background: ${darkColor(theme.paper)}; color: ${darkColor(theme.ink)}; }`,
  ] as const;
  const page = look === "light"
    ? pages[0]
    : look === "dark"
    ? pages[1]
    : `${pages[0]}\n@media (prefers-color-scheme: dark) { ${pages[1]} }`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${look === "auto" ? "light dark" : look}">
<title>${escapeXml(title)}</title>
<style>
${fonts}
body { margin: 0; padding: 16px; font-family: ${theme.fontFamily}; }
@media (max-width: 640px) { body { padding: 0; } }
${page}
svg { max-width: 100%; height: auto; }
.rows { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
</style>
</head>
<body>
${body}${scripts}
</body>
</html>
`;
}
