// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * ESC and all of C0 and C1, with which OSC and CSI begin; the marks that turn the direction of a text
 * around; the two separators that end a line.
 */
const CONTROL =
  // deno-lint-ignore no-control-regex -- they are what it is about
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text of foreign origin as one line for a terminal: each character that would move the cursor, change
 * colours, title or clipboard, break the line or turn its direction stands as `\ufffd`, so that what is
 * left can do nothing, and says that something was there.
 *
 * @category Output
 */
export function terminalText(text: string): string {
  return text.replace(CONTROL, "\ufffd");
}

/** A text of several lines for a terminal: each as `terminalText` makes it. */
export function terminalLines(text: string): string {
  return text.split("\n").map(terminalText).join("\n");
}

/** The one door to fast-string-width, opened by the first text that is not printable ASCII. */
const STRING_WIDTH = "npm:fast-string-width@3.0.2";

// Never called: that it is written has Deno bring the package, so that it can be required when it is needed.
// Whoever shows a frame cannot wait for an import.
const _brought = () => import("npm:fast-string-width@3.0.2");
type StringWidth = Awaited<ReturnType<typeof _brought>>["default"];

let stringWidth: StringWidth | undefined;

/** How many places a text takes in a terminal: wide characters take two, marks that combine none. */
export function placesOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  if (stringWidth === undefined) {
    const file = fileURLToPath(import.meta.resolve(STRING_WIDTH));
    stringWidth = createRequire(file)(file).default as StringWidth;
  }
  return stringWidth(text);
}

let graphemes: Intl.Segmenter | undefined;

/** A text cut, with `…`, to the places that it may take; what belongs together stays together. */
export function clipped(text: string, longest: number): string {
  if (placesOf(text) <= longest) return text;
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let kept = "";
  let places = 0;
  for (const { segment } of graphemes.segment(text)) {
    places += placesOf(segment);
    if (places > longest - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A value as a message shows it: on one line, and no more of it than a line holds. */
export function shown(value: unknown): string {
  const text = terminalText(
    Deno.inspect(value, {
      strAbbreviateSize: 80,
      iterableLimit: 10,
      depth: 3,
      compact: true,
      breakLength: Infinity,
    }),
  );
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The notebook that runs this code; null outside of one, where asking throws. */
export function jupyterOf(): typeof Deno.jupyter | null {
  try {
    return typeof Deno.jupyter.broadcast === "function" ? Deno.jupyter : null;
  } catch {
    return null;
  }
}

/**
 * Tells the user something that is no error: on stderr, and in a notebook in the cell, as a display,
 * so that the cell does not look as if it had failed.
 */
export function notify(message: string): void {
  const text = terminalLines(message);
  const jupyter = jupyterOf();
  if (jupyter === null) return console.error(text);
  const content = { data: { "text/plain": text }, metadata: {}, transient: {} };
  // The kernel's types promise a promise, its broadcast returns none.
  Promise.try(() => jupyter.broadcast("display_data", content)).catch(() => console.error(text));
}

/** Tells the user something, once; of several messages with the same key, the first. */
export type Warn = (message: string, key?: string) => void;

/** Makes a teller that tells nothing twice. */
export function createWarn(): Warn {
  const told = new Set<string>();
  return (message, key = message) => {
    if (told.has(key)) return;
    told.add(key);
    notify(message);
  };
}
