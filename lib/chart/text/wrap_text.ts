import { type Face, textWidth } from "./text_width.ts";

export interface WrapOptions extends Face {
  /** The greatest width of a line, in pixels. */
  readonly width: number;
  /** The greatest number of lines: what is left over is cut off with an ellipsis. @default {Infinity} */
  readonly lines?: number;
}

function cut(text: string, fits: (text: string) => boolean): string {
  const characters = [...text];
  while (characters.length > 1 && !fits(`${characters.join("").trimEnd()}…`)) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** The longest beginning that fits on a line, ending at a space, hyphen, slash or underscore if it can. */
function breakAt(text: string, fits: (text: string) => boolean): number {
  let longest = 0;
  let atBreak = 0;
  for (const character of text) {
    if (longest > 0 && !fits(text.slice(0, longest + character.length).trimEnd())) break;
    longest += character.length;
    if (/[\s\-/_,]/.test(character)) atBreak = longest;
  }
  return longest < text.length && atBreak > 0 ? atBreak : longest;
}

/** A text broken into lines that fit a width; a word longer than a line is broken inside. */
export function wrapText(
  text: string,
  { width, lines = Infinity, ...face }: WrapOptions,
): string[] {
  const fits = (line: string) => textWidth(line, face) <= width;
  const wrapped: string[] = [];
  let rest = text.replace(/\s+/g, " ").trim();
  while (rest !== "") {
    if (wrapped.length === lines - 1 && !fits(rest)) {
      wrapped.push(cut(rest, fits));
      break;
    }
    const end = breakAt(rest, fits);
    wrapped.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return wrapped;
}
