import { theme } from "../theme.ts";
import { escapeXml } from "./escape_xml.ts";

/** What is read of a DOM node; linkedom's and a browser's both have it. */
export interface SvgNode {
  readonly nodeType: number;
  /** The name of an element as written; linkedom's `nodeName` is in capitals. */
  readonly localName?: string | null;
  readonly textContent: string | null;
  readonly attributes?: Iterable<{ readonly name: string; readonly value: string }>;
  readonly childNodes: Iterable<SvgNode>;
}

const ELEMENT = 1;
const TEXT = 3;
const GEOMETRY = /^(d|transform|points|[xy][12]?|[cr][xy]?|d[xy]|width|height)$/;

/** Readers such as Inkscape and LaTeX know neither CSS variables nor the colour of a page around it. */
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
 * A DOM tree as well-formed XML: coordinates to a hundredth of a pixel, colours spelled out, and without
 * the style sheets and classes that only a browser understands.
 */
export function serializeSvg(node: SvgNode): string {
  if (node.nodeType === TEXT) return escapeXml(node.textContent ?? "");
  const name = node.localName ?? "";
  if (node.nodeType !== ELEMENT || name === "style") return "";
  const children = [...node.childNodes].map(serializeSvg).join("");
  const tag = `${name}${attributesOf(node)}`;
  return children === "" ? `<${tag}/>` : `<${tag}>${children}</${name}>`;
}
