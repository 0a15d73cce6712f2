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

/**
 * Within the elements of the value true, an element without content can end with its tag, as in XML; within the others
 * not. The parser keeps these elements until an end tag of one of them, also if they ended with their own tag.
 */
const FOREIGN: ReadonlyMap<string, boolean> = new Map([
  ...["svg", "math"].map((name) => [name, true] as const),
  ..."mi mo mn ms mtext annotation-xml foreignobject desc title".split(" ")
    .map((name) => [name, false] as const),
]);

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
  // A value without quotes has the slash before the end of its tag.
  for (let [isValue, isBare] = [false, false]; at < html.length; at++) {
    const character = html[at]!;
    if (character === ">") {
      return { name, isEnd, isClosed: html[at - 1] === "/" && !isBare, after: at + 1 };
    }
    if (/\s/.test(character)) isBare = false;
    else if (isValue) isBare = true;
    if (isValue && (character === '"' || character === "'")) {
      const end = html.indexOf(character, at + 1);
      if (end < 0) return null;
      [at, isBare] = [end, false];
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
  const foreign: boolean[] = [];
  const check = ({ length }: readonly unknown[]) => {
    if (length <= MOST_OPEN) return;
    throw new RangeError(`at most ${MOST_OPEN} elements of a page may be open at once`);
  };
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
    const isForeign = FOREIGN.get(tag.name);
    if (isForeign !== undefined) {
      if (tag.isEnd) foreign.pop();
      else foreign.push(isForeign);
      check(foreign);
    }
    if (tag.isEnd) {
      const from = open.lastIndexOf(tag.name);
      if (from >= 0) open.length = from;
    } else if (RAW.has(tag.name) && !tag.isClosed) {
      const end = lower.indexOf(`</${tag.name}`, at);
      if (end < 0) return;
      at = end;
    } else if (!VOID.has(tag.name) && !(tag.isClosed && foreign.at(-1))) {
      if (IMPLIED.has(tag.name) && open.at(-1) === tag.name) open.pop();
      open.push(tag.name);
      check(open);
    }
  }
}
