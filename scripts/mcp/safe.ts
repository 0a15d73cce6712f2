import { sha256 } from "../../lib/platform/machine.ts";
import { type Connection, type DataFrame, pl } from "../../mod.ts";

/**
 * Matches characters that an agent or its user does not see, or that break a line: control characters, marks of
 * direction, tags and other invisible characters. Joiners are not matched, because some scripts need them.
 */
const HIDDEN =
  /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0100}-\u{e01ef}]/gu;

/** Escapes invisible characters and line breaks, as in `\u000a`. */
export function escaped(text: string): string {
  return text.replace(HIDDEN, (each) => {
    const code = each.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** Maximum number of columns that are changed, because polars takes time with the square of their number. */
const MOST_CHANGED = 200;

/** Maximum number of characters of a text, by default, and of the name of a column. */
const LONGEST_TEXT = 1_000;
const LONGEST_NAME = 200;

/** Cuts a text. The digest keeps long texts apart that begin alike. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = text.slice(0, LONGEST_NAME).toWellFormed();
  return `${start}… (${text.length} characters, sha256 ${sha256(text).slice(0, 16)})`;
}

type Redacting = Pick<Connection, "redact">;

/** Returns a text without the token and without invisible characters. Cuts a text of more than `longest` characters. */
export function safeText(text: string, { redact }: Redacting, longest = LONGEST_TEXT): string {
  // Redacts first, so that no cut leaves a part of the token.
  return escaped(cut(redact(text), longest));
}

/**
 * Returns a frame whose texts and column names are safe for agents: see {@linkcode safeText}. Tables, captions and
 * charts that are made of the frame then contain no text that a service uses to break lines or to show the token.
 *
 * @throws {RangeError} when more than 200 columns would change.
 */
export function safeFrame(
  frame: DataFrame,
  connection: Redacting,
  longest = LONGEST_TEXT,
): DataFrame {
  // The declared types of polars omit this member. `String` and `Utf8` are the same dtype.
  const isText = (dtype: unknown) =>
    ["String", "Utf8"].includes((dtype as { readonly variant: string }).variant);
  const names = frame.columns;
  const changed = frame.dtypes.flatMap((dtype, index) => {
    if (!isText(dtype)) return [];
    const known = new Map<string | null, string | null>([[null, null]]);
    const texts = frame.getColumn(names[index]!).toArray() as (string | null)[];
    for (const text of texts) {
      if (!known.has(text)) known.set(text, safeText(text!, connection, longest));
    }
    if ([...known].every(([text, safe]) => text === safe)) return [];
    return [pl.Series(names[index]!, texts.map((text) => known.get(text)!), pl.Utf8)];
  });
  const renamed = names.map((name) =>
    [name, cut(safeText(name, connection), LONGEST_NAME)] as const
  )
    .filter(([name, other]) => name !== other);
  const unsafe = changed.length + renamed.length;
  if (unsafe > MOST_CHANGED) {
    throw new RangeError(
      `response: at most ${MOST_CHANGED} columns may have names or texts that are too long or have invisible characters; got ${unsafe}`,
    );
  }
  const safe = changed.length === 0 ? frame : frame.withColumns(...changed);
  return renamed.length === 0 ? safe : safe.rename(Object.fromEntries(renamed));
}
