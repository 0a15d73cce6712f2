/** A text element of an SVG file. */
export interface SvgText {
  /** The letters that are drawn. */
  readonly text: string;
  readonly bold: boolean;
  /** The tags that are open inside the element, from the root to its own. */
  readonly tags: readonly string[];
  readonly markup: string;
  /** The position of the element in the file. */
  readonly start: number;
}

const TAG = /<(\/?)([\w:]+)(?:[^>"']|"[^"]*"|'[^']*')*?(\/?)>/g;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" },
};

/** Returns the letters of markup. */
function lettersOf(markup: string): string {
  return markup.replace(/<[^>]*>/g, "")
    .replace(/&(?:\w+|#\d+);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Returns the value of a presentation attribute that an element has or inherits. */
export function inherited(tags: readonly string[], name: string): string | undefined {
  const attribute = new RegExp(`\\s${name}="([^"]*)"`);
  return tags.map((tag) => attribute.exec(tag)?.[1]).findLast((value) => value !== undefined);
}

/** Returns the text elements of an SVG file. */
export function svgTexts(svg: string): SvgText[] {
  const texts: SvgText[] = [];
  const open: string[] = [];
  let start = 0;
  for (const { 0: tag, 1: close, 2: name, 3: empty, index } of svg.matchAll(TAG)) {
    if (empty !== "") continue;
    if (close === "") {
      if (name === "text") start = index;
      open.push(tag);
      continue;
    }
    if (name === "text") {
      const [tags, markup] = [[...open], svg.slice(start, index + tag.length)];
      const bold = /^(bold|[6-9]00)$/.test(inherited(tags, "font-weight") ?? "");
      texts.push({ text: lettersOf(markup), bold, tags, markup, start });
    }
    open.pop();
  }
  return texts;
}

/** Replaces the text elements of an SVG file. */
export function mapTexts(svg: string, write: (text: SvgText) => string): string {
  let [written, from] = ["", 0];
  for (const text of svgTexts(svg)) {
    written += svg.slice(from, text.start) + write(text);
    from = text.start + text.markup.length;
  }
  return written + svg.slice(from);
}

/** The presentation attributes that texts inherit from the root. */
const FROM_ROOT = /\b(?:font-family|fill)="[^"]*"/g;

/**
 * Moves some texts out of an SVG file. `rest` is the file without these texts, and `moved` is markup that draws them in
 * place. An empty `moved` means that no text is moved.
 */
export function withoutTexts(
  svg: string,
  isMoved: (text: SvgText) => boolean,
): { readonly rest: string; readonly moved: string } {
  const moved: string[] = [];
  const rest = mapTexts(svg, (text) => {
    if (!isMoved(text)) return text.markup;
    const [root = "", ...inside] = text.tags.slice(0, -1);
    const groups = [`<g ${(root.match(FROM_ROOT) ?? []).join(" ")}>`, ...inside];
    const closing = groups.map((tag) => `</${/\w[\w:]*/.exec(tag)![0]}>`).reverse();
    moved.push([...groups, text.markup, ...closing].join(""));
    return "";
  });
  return { rest, moved: moved.join("\n") };
}
