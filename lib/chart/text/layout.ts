import { type Advances, BOLD_ADVANCES, REGULAR_ADVANCES } from "./advance_widths.ts";
import { theme } from "../theme.ts";

/** The size of a text in pixels, and whether it is bold. */
interface Face {
  readonly size: number;
  readonly bold?: boolean;
}

const UNITS_PER_EM = 2048;
/** The width of wide letters of right-to-left scripts. */
const RIGHT_TO_LEFT_UNITS = 1400;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Marks that set the direction of text. They have no width. */
const INVISIBLE = /[\u200e\u200f\u2066-\u2069]/;

/** Isolates the text direction of a name, so that numbers next to a right-to-left name keep their position. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name.replace(/[\u2068\u2069]/g, "")}\u2069` : name;
}

function widthTable(advances: Advances): ReadonlyMap<number, number> {
  return new Map(
    advances.flatMap(([first, widths]) =>
      widths.split(/\s+/).map((width, index) => [first + index, Number(width)] as const)
    ),
  );
}

let tables: Record<"bold" | "regular", ReadonlyMap<number, number>> | undefined;

/**
 * Returns the width of a text in Inter, in pixels, without kerning. A character that is not in the table of
 * widths counts as one em, which is about the maximum width in fallback fonts, or less in right-to-left scripts.
 */
export function textWidth(text: string, { size, bold = false }: Face): number {
  tables ??= { bold: widthTable(BOLD_ADVANCES), regular: widthTable(REGULAR_ADVANCES) };
  const table = tables[bold ? "bold" : "regular"];
  let units = 0;
  for (const character of text) {
    if (!INVISIBLE.test(character)) {
      const usual = RIGHT_TO_LEFT.test(character) ? RIGHT_TO_LEFT_UNITS : UNITS_PER_EM;
      units += table.get(character.codePointAt(0)!) || usual;
    }
  }
  return (units * size) / UNITS_PER_EM;
}

interface WrapOptions extends Face {
  /** The maximum width of a line, in pixels. */
  readonly width: number;
  /** The maximum number of lines; longer text is cut with an ellipsis. @default {Infinity} */
  readonly lines?: number;
}

function cut(text: string, fits: (text: string) => boolean): string {
  const characters = [...text];
  while (characters.length > 1 && !fits(`${characters.join("").trimEnd()}…`)) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** The space that joins two words of a line. */
const JOINT = "\u00a0";
const MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
/** A number, or a month, before another word. A year ends what it belongs to. */
const JOINED = new RegExp(
  `(?<![^\\s(])(?!(?:19|20)\\d\\d\\s)([−+<>]?[$€£]?\\d(?:[\\d.,]*\\d)?[%KMBT]?|${MONTHS}) (?=\\S)`,
  "g",
);

/** The space before a number that ends a text or a part of a sentence. */
const BEFORE_LAST = /(?<=\S) (?=[−+<>]?[$€£]?\d[\d.,]*[%KMBT]?\)?(?:[.,;:](?= |$)|$))/g;

/**
 * Joins numbers, days and months to the next word, so that no line ends with them, and the last number of a sentence to
 * the word before it, so that no line begins with it.
 */
function withJoints(text: string): string {
  return text.replace(/\s+/g, " ").trim()
    .replace(JOINED, `$1${JOINT}`)
    .replace(BEFORE_LAST, JOINT);
}

/**
 * Returns the position at which a text is broken so that its first part fits on a line. If possible, the first part
 * ends with a space; else, with a comma, hyphen, slash or underscore.
 */
function breakAt(text: string, fits: (text: string) => boolean): number {
  let longest = 0;
  let [atSpace, atBreak] = [0, 0];
  for (const character of text) {
    if (longest > 0 && !fits(text.slice(0, longest + character.length).trimEnd())) break;
    longest += character.length;
    const inNumber = character === "," && /^\d/.test(text.slice(longest));
    if (character === " ") atSpace = longest;
    else if (/[\-/_,]/.test(character) && !inNumber) atBreak = longest;
  }
  return longest < text.length ? atSpace || atBreak || longest : longest;
}

/**
 * Breaks a text into lines that fit a width. A word that is longer than a line is split, or cut with an ellipsis if the
 * number of lines is limited.
 */
export function wrapText(
  text: string,
  { width, lines = Infinity, ...face }: WrapOptions,
): string[] {
  const fits = (line: string) => textWidth(line, face) <= width;
  const wrapped: string[] = [];
  let rest = withJoints(text);
  while (rest !== "") {
    if (wrapped.length === lines - 1 && !fits(rest)) {
      wrapped.push(cut(rest, fits));
      break;
    }
    const end = breakAt(rest, fits);
    const isWhole = end === rest.length || /[ \-/_,]/.test(rest[end - 1]!) || rest[end] === " ";
    const joint = isWhole ? -1 : rest.slice(0, end).lastIndexOf(JOINT);
    const word = isWhole || joint > 0 || lines === Infinity
      ? undefined
      : /^[^ \-/_,]*[ \-/_,]*/.exec(rest)![0];
    // Joined words that are longer than a line are broken between words.
    const next = joint > 0 ? joint + 1 : end;
    wrapped.push(word === undefined ? rest.slice(0, next).trimEnd() : cut(word.trimEnd(), fits));
    rest = rest.slice(word?.length ?? next).trimStart();
  }
  const shown = wrapped.map((line) => line.replaceAll(JOINT, " "));
  // Each line is a text of its own direction.
  return shown.length > 1 ? shown.map(isolated) : shown;
}

/** Returns the width of the widest word. With `parts`, a hyphen or the like ends a word. */
function widestWord(texts: readonly string[], { parts = false, ...face }: Face & {
  readonly parts?: boolean;
}): number {
  const words = texts.flatMap((text) => withJoints(text).split(parts ? /(?<=[-/_,])| / : " "));
  return Math.max(0, ...words.map((word) => textWidth(word, face)));
}

/** Breaks a text into as few lines as fit a width, of about equal lengths. No word is broken for equal lengths. */
export function balancedText(text: string, { width, ...options }: WrapOptions): string[] {
  const { length } = wrapText(text, { width, ...options });
  let [low, high] = [Math.min(width, Math.max(width / 2, widestWord([text], options))), width];
  while (high - low > 4) {
    const middle = (low + high) / 2;
    if (wrapText(text, { ...options, width: middle, lines: Infinity }).length > length) {
      low = middle;
    } else high = middle;
  }
  return wrapText(text, { ...options, width: high });
}

/**
 * Returns the smallest n such that texts do not overlap if only every n-th position has a text. `apart` is the distance
 * between two positions.
 */
export function everyNth(texts: readonly string[], apart: number): number {
  const widest = Math.max(0, ...texts.map((text) => textWidth(text, theme.label)));
  return Math.ceil((widest + 4) / apart);
}

/** The names at the left of a panel, one for each row. */
export interface RowLabels {
  /** The lines of each name. */
  readonly lines: readonly (readonly string[])[];
  /** The width of the names, including the gap to the panel. */
  readonly width: number;
  readonly rowHeight: number;
}

/** The distance of two rows whose names have at most one, two or three lines, in pixels. */
const ROW_HEIGHTS = [24, 32, 46];

/** Breaks names into at most three lines. A line takes at most about a third of the width, or half for a long word. */
export function rowLabels(names: readonly string[], width: number): RowLabels {
  const { size } = theme.label;
  const room = Math.max(
    Math.min(240, width * 0.34),
    Math.min(Math.ceil(widestWord(names, { size, parts: true })), width / 2),
  );
  const lines = names.map((name) =>
    wrapText(name, { size, width: room, lines: ROW_HEIGHTS.length })
  );
  const widths = lines.flat().map((text) => textWidth(text, { size }));
  return {
    lines,
    width: Math.ceil(Math.max(0, ...widths)) + 8,
    rowHeight: ROW_HEIGHTS[Math.max(1, ...lines.map(({ length }) => length)) - 1]!,
  };
}
