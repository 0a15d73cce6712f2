/** Replaces the value of a secret parameter. */
const HIDDEN = "[hidden]";

/** Last words of names whose values are secret. */
const LAST =
  /^(?:pass|passwd|passphrase|pwd|auth|oauth|authorization|sig|hmac|jwt|bearer|session|creds?)$/;
/** Ends of the last word. */
const END = /(?:token|secret|password|sess)$/;
const KEY =
  /^(?:api|app|access|auth|secret|private|client|consumer|license|signing|subscription|user)?key$/;
/** Words that are secret at any place. */
const ANY = /^(?:secret|password|signature|credentials?)$/;
/** Some part of each of these, to skip other names of long texts fast. */
const PART = /key|token|secret|pass|pwd|auth|sig|hmac|jwt|bearer|sess|cred|x-/i;
const PREFIX = /^x-(?:amz|goog)-/i;
/** Words before a key or token that is not secret: of a page, or of a table. */
const HARMLESS = /^(?:page|next|sort|primary)$/;
/** Names of secrets, or of countries and colors. */
const SHORT = /^(?:code|k|sid)$/i;
const LONG = 16;
/** The longest name that is split. */
const LONGEST = 200;

/** Splits a name into words, and leaves out what numbers a key or session. */
function wordsOf(name: string): string[] {
  const words = name.replace(/([\p{Ll}\p{N}])(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$& ")
    .split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "").map((word) => word.toLowerCase());
  const [before = "", last = ""] = words.slice(-2);
  const isNumbered = words.length > 1 && /(?:key|sess|session)$/.test(before) &&
    /^(?:id|v?\d+)$/.test(last);
  const own = isNumbered ? words.slice(0, -1) : words;
  const [, key] = /^(.*(?:key|sess))(?:id|v?\d+)$/.exec(own.at(-1) ?? "") ?? [];
  const isSession = /session(?:id|v?\d+)$/.test(own.at(-1) ?? "");
  return isSession ? ["session"] : key === undefined ? own : [...own.slice(0, -1), key];
}

/** Returns how many characters a secret value of a parameter has at least; null if its values are not secret. */
function leastLength(name: string): number | null {
  if (SHORT.test(name)) return LONG;
  if (!PART.test(name)) return null;
  const words = wordsOf(name.slice(-LONGEST));
  const [last = "", before = last.replace(END, "")] = words.toReversed();
  const isLast = LAST.test(last) || END.test(last) || KEY.test(last);
  const isSecret = isLast && !HARMLESS.test(before) || words.some((word) => ANY.test(word)) ||
    PREFIX.test(name);
  return isSecret ? 1 : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** A name with the separator before it. Names end at separators, so that a text is searched once. */
const NAME = /[?&;]([^=?&;#\s"'<>()]*)=/g;
const VALUE_IN_ADDRESS = /[^&]*/y;
const VALUE_IN_TEXT = /[^&#\s"'<>)]*/y;

/**
 * Returns functions that hide the values of secret parameters in an address, and in a text with addresses. By their
 * names, values are secret that look like keys, tokens, passwords or signatures, and those of `names`.
 */
export function parameterMask(names: readonly string[] = []) {
  const given = new Set(names.map((name) => name.toLowerCase()));
  const hide = (text: string, value: RegExp, found?: (secret: string) => void): string => {
    let [hidden, end] = ["", 0];
    for (const { 0: { length }, 1: name, index } of text.matchAll(NAME)) {
      if (index < end) continue;
      value.lastIndex = index + length;
      const plain = decoded(name!);
      const least = given.has(plain.toLowerCase()) ? 1 : leastLength(plain);
      if (least === null) continue;
      const [secret] = value.exec(text)!;
      if (decoded(secret).length < least) continue;
      found?.(secret);
      found?.(decoded(secret));
      hidden += text.slice(end, index + length) + HIDDEN;
      end = index + length + secret.length;
    }
    return hidden + text.slice(end);
  };
  return {
    /** Returns the path and the query of an address with its secret values hidden, and these values. */
    address: ({ pathname, search }: URL): { readonly path: string; readonly values: string[] } => {
      const values: string[] = [];
      return {
        path: pathname + hide(search, VALUE_IN_ADDRESS, (each) => values.push(each)),
        values,
      };
    },
    text: (text: string): string => hide(text, VALUE_IN_TEXT),
  };
}
