/** The most elements of a page that may be open at once. A report has 12. */
const MOST_OPEN = 500;

/** Elements without content. */
const VOID = new Set(
  ("area base br col embed hr img input link meta param source track wbr").split(" "),
);
/** Elements whose content is a text. */
const RAW = new Set(["script", "style", "textarea", "title", "xmp"]);
/** Elements that end before the next one of their kind. */
const IMPLIED = new Set("p li dt dd tr td th option tbody thead".split(" "));

/** Within these, an element without content can end with its tag, as in XML. */
const isForeign = (name: string) => name === "svg" || name === "math";

/** A tag: its name in lower case, and the index after it. */
interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly isClosed: boolean;
  readonly after: number;
}

/** Reads the tag that begins at an index; null if the text ends before the tag. */
function tagAt(html: string, start: number): Tag | null {
  const isEnd = html[start + 1] === "/";
  let at = start + (isEnd ? 2 : 1);
  const from = at;
  while (at < html.length && !/[\s/>]/.test(html[at]!)) at++;
  const name = html.slice(from, at).toLowerCase();
  for (let isValue = false; at < html.length; at++) {
    const character = html[at]!;
    if (character === ">") return { name, isEnd, isClosed: html[at - 1] === "/", after: at + 1 };
    if (isValue && (character === '"' || character === "'")) {
      const end = html.indexOf(character, at + 1);
      if (end < 0) return null;
      at = end;
    }
    if (!/\s/.test(character)) isValue = character === "=";
  }
  return null;
}

/**
 * Checks how many elements of a page are open at once, before its tree is built: the time of building grows with their
 * square.
 *
 * @throws {RangeError} for more than 500.
 */
export function checkOpenElements(html: string): void {
  const lower = html.toLowerCase();
  const open: string[] = [];
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at + 4);
      if (end < 0) return;
      at = end + 3;
      continue;
    }
    if (!/[a-z/]/i.test(html[at + 1] ?? "")) {
      at++;
      continue;
    }
    const tag = tagAt(html, at);
    if (tag === null) return;
    at = tag.after;
    if (tag.isEnd) {
      const from = open.lastIndexOf(tag.name);
      if (from >= 0) open.length = from;
    } else if (RAW.has(tag.name)) {
      const end = lower.indexOf(`</${tag.name}`, at);
      if (end < 0) return;
      at = end;
    } else if (!VOID.has(tag.name) && !(tag.isClosed && [tag.name, ...open].some(isForeign))) {
      if (IMPLIED.has(tag.name) && open.at(-1) === tag.name) open.pop();
      open.push(tag.name);
      if (open.length <= MOST_OPEN) continue;
      throw new RangeError(`at most ${MOST_OPEN} elements of a page may be open at once`);
    }
  }
}
