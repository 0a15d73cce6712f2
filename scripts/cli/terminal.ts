/** How text is set off on a terminal. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly red: (text: string) => string;
}

const PLAIN = { bold: String, faint: String, red: String };
const COLORED = {
  bold: (text: string) => `\x1b[1m${text}\x1b[22m`,
  faint: (text: string) => `\x1b[2m${text}\x1b[22m`,
  red: (text: string) => `\x1b[31m${text}\x1b[39m`,
};

/** Whether a stream shows colours: a terminal, unless NO_COLOR is set. */
export function hasColor(stream: { isTerminal(): boolean }): boolean {
  return stream.isTerminal() && !Deno.noColor;
}

/** The style of a stream. */
export function styleOf(stream: { isTerminal(): boolean }): Style {
  return hasColor(stream) ? COLORED : PLAIN;
}

/** How many places a line of the terminal has; 80 where there is none. */
export function terminalWidth(): number {
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80;
  }
}

/** Writes to stdout, all of it. Rejects with `Deno.errors.BrokenPipe` when nobody reads any more. */
export async function print(content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let written = 0; written < bytes.length;) {
    written += await Deno.stdout.write(bytes.subarray(written));
  }
}

/** Tells something on stderr. A reader that went away is no reason to stop. */
export function tell(text: string): void {
  const bytes = new TextEncoder().encode(`${text}\n`);
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stderr.writeSync(bytes.subarray(written));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
