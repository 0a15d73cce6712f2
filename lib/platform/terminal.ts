// deno-lint-ignore-file no-import-prefix -- researchers import mod.ts from folders of their own, where no import map applies
import { write, writeSync } from "node:fs";
import process from "node:process";
import { isatty } from "node:tty";
import { inspect, promisify } from "node:util";
import { requirePackage } from "./package.ts";
import { jupyterOf } from "./jupyter.ts";
import { plural } from "./plural.ts";

/**
 * Matches characters that can control a terminal: all C0 and C1 control characters (such as ESC, OSC and CSI),
 * characters that change the direction of text, and the two Unicode line separators.
 */
const CONTROL =
  // deno-lint-ignore no-control-regex -- the pattern matches control characters on purpose
  /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns untrusted text as one safe line for a terminal.
 *
 * Some characters would move the cursor, break the line, or change the colors, the title, the clipboard or the
 * direction of text. Each of these characters is replaced by `\ufffd`.
 *
 * @category Output
 */
export function terminalText(text: string): string {
  return text.replace(CONTROL, "\ufffd");
}

/** Applies `terminalText` to each line of a text, so that the text is safe for a terminal but keeps its lines. */
export function terminalLines(text: string): string {
  return text.split("\n").map(terminalText).join("\n");
}

/** The package that measures text. It is loaded when the first text that is not printable ASCII is measured. */
const STRING_WIDTH = "npm:fast-string-width@3.0.2";

// This function is never called. Its literal specifier makes Deno download the package before the program starts. The
// package must be loaded synchronously, because displaying a frame cannot wait for an import.
const _downloaded = () => import("npm:fast-string-width@3.0.2");
type StringWidth = Awaited<ReturnType<typeof _downloaded>>["default"];

let stringWidth: StringWidth | undefined;

/**
 * Returns the number of columns that a text takes in a terminal. Wide characters take two columns, and combining
 * marks take none.
 */
export function placesOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  stringWidth ??= requirePackage<{ default: StringWidth }>(STRING_WIDTH).default;
  return stringWidth(text);
}

/** Splits a text at spaces into lines of at most `width` columns. A longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1)!;
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && placesOf(longer) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

let graphemes: Intl.Segmenter | undefined;

/** Cuts a text that is wider than `longest` columns, and adds `…`. Combining marks stay with their characters. */
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

/** Returns a value as the text that the runtime prints for the value. */
export function inspected(value: unknown, options: Deno.InspectOptions = {}): string {
  if ("Deno" in globalThis) return Deno.inspect(value, options);
  if (typeof value === "string") return JSON.stringify(value);
  const { depth = 4, showHidden = false, compact = 3, breakLength = 80 } = options;
  const { strAbbreviateSize: maxStringLength = Infinity, iterableLimit: maxArrayLength = 100 } =
    options;
  return inspect(value, {
    depth,
    showHidden,
    compact,
    breakLength,
    maxStringLength,
    maxArrayLength,
  });
}

/** Joins names with commas. If there are more than `most` names, the text ends with the number of other names. */
export function listed(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

/** Returns a count with its noun: `1 row`, `3 rows`, `1,200 rows`. */
export function counted(count: number, one: string, many: string = plural(one)): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** Returns the noun for a value whose content would fill a message. */
export function nounOf(value: unknown): string | undefined {
  if (value instanceof Promise) return "a promise: await it";
  if (typeof value !== "object" || value === null) return undefined;
  const { [Symbol.toStringTag]: tag, svg } = value as {
    [Symbol.toStringTag]?: unknown;
    svg?: unknown;
  };
  if (tag === "DataFrame" || tag === "LazyDataFrame") return `a ${tag}`;
  return typeof svg === "function" ? "a chart" : undefined;
}

/** Returns a value as short text on one line, for a message. */
export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const noun = nounOf(value);
  if (noun !== undefined) return noun;
  if (Array.isArray(value) && value.some(nounOf)) return `[${listed(value.map(shown), 3)}]`;
  const text = terminalText(
    inspected(value, {
      strAbbreviateSize: 80,
      iterableLimit: 10,
      depth: 3,
      compact: true,
      breakLength: Infinity,
    }),
  );
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Standard output. `write` resolves with the number of bytes that were written. */
export const stdout = {
  write: async (bytes: Uint8Array): Promise<number> =>
    (await promisify(write)(1, bytes)).bytesWritten,
  isTerminal: (): boolean => isatty(1),
};

/** Standard error. `writeSync` returns the number of bytes that were written. */
export const stderr = {
  writeSync: (bytes: Uint8Array): number => writeSync(2, bytes),
  isTerminal: (): boolean => isatty(2),
};

/** Returns the width of the terminal in columns; undefined if neither stdout nor stderr is a terminal. */
export function terminalWidth(): number | undefined {
  return process.stdout.columns || process.stderr.columns || undefined;
}

/** Returns whether NO_COLOR is set. Deno needs no permission for this. */
export function isColorless(): boolean {
  return "Deno" in globalThis ? Deno.noColor : Boolean(process.env.NO_COLOR);
}

/**
 * Prints a notice to stderr. In a notebook, shows the notice as output of the cell instead, because Jupyter shows text
 * on stderr like an error.
 */
export function notify(message: string): void {
  send(terminalLines(message), {});
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Prints a notice as `notify` does. In a notebook, it is red, and screen readers read it at once. */
export function alert(message: string): void {
  const text = terminalLines(message);
  const escaped = text.replace(/[&<>]/g, (character) => ENTITIES[character]!);
  send(text, {
    "text/html": `<pre role="alert" style="color: #b3261e; white-space: pre-wrap">${escaped}</pre>`,
  });
}

function send(text: string, rich: Readonly<Record<string, string>>): void {
  const jupyter = jupyterOf();
  if (jupyter === null) return console.error(text);
  const content = { data: { "text/plain": text, ...rich }, metadata: {}, transient: {} };
  // `broadcast` is typed to return a promise, but the kernel's function returns nothing.
  Promise.try(() => jupyter.broadcast("display_data", content)).catch(() => console.error(text));
}

/** Shows a notice, unless it has already shown a notice with the same key. The default key is the message. */
export type Warn = (message: string, key?: string) => void;

/** Creates a function that shows only the first notice with each key. */
export function createWarn(): Warn {
  const done = new Set<string>();
  return (message, key = message) => {
    if (done.has(key)) return;
    done.add(key);
    notify(message);
  };
}
