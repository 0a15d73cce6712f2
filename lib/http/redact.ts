import { inspected, terminalLines } from "../platform/terminal.ts";

/** Function that removes the token from a text. */
export type Redact = (text: string) => string;

const HIDDEN = "[token]";
// Shorter tokens are not replaced, because many words contain such short texts.
const SHORTEST = 4;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
};

/** The maximum number of times that a text is escaped in one way. Without a bound, the time would be quadratic. */
const MOST_ESCAPES = 9;
/** The maximum number of slashes and backslashes that escaping adds between two characters. */
const MOST_SLASHES = 99;

/** The number of characters of the token with which a search begins. */
const COMPILED = 8;

/** Returns a pattern that matches a character unchanged or percent-encoded, also repeatedly. */
function inUrls(character: string): string {
  const hex = character.charCodeAt(0).toString(16);
  return `(?:%(?:25){0,${MOST_ESCAPES}}${hex}|${character.replace(/[^A-Za-z0-9]/, "\\$&")})`;
}

/** Returns a pattern that matches a character unchanged, or escaped once or twice as in JSON, URLs or HTML. */
function spellings(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  const entity = ENTITIES[character];
  const [ampersand, semicolon, number] = ["&", ";", "#"].map(inUrls);
  const begin = `${ampersand}(?:amp${semicolon}){0,${MOST_ESCAPES}}`;
  const numbered = `${begin}${number}(?:0{0,9}${code}|x0{0,9}${hex})${semicolon}`;
  const named = entity === undefined ? [] : [`${begin}${entity}${semicolon}`];
  // The plain character comes last, because the other forms can begin with the plain character.
  return `(?:${[`u00${hex}`, numbered, ...named, inUrls(character)].join("|")})`;
}

/**
 * Returns a function that removes a token from a text, even if the text contains the token in escaped form, or in other
 * case: names of headers arrive in lower case.
 */
export function redactor(token: string): Redact {
  if (token.length < SHORTEST) return (text) => text;
  // Repeated escaping adds backslashes between characters, and URL parsing turns backslashes into slashes. A run of both
  // is one part of the pattern, so that a text of slashes is matched in one way only.
  const added = `(?:${inUrls("\\")}|/)`;
  const slash = `(?:${spellings("/")}|${spellings("\\")})`;
  const parts = [...token.matchAll(/([/\\]*)([^/\\]|$)/gu)].map(([all, run, character], index) => {
    if (all === "") return "";
    const least = run!.length;
    const most = index === 0 ? 4 * least : least + MOST_SLASHES;
    const slashes = most === 0 ? "" : `${least === 0 ? added : slash}{${least},${most}}`;
    return slashes + (character === "" ? "" : spellings(character!));
  });
  // The runtime compiles a pattern when it is first used. Most texts do not even contain the beginning of the token.
  const beginning = new RegExp(parts.slice(0, COMPILED).join(""), "i");
  const whole = new RegExp(parts.join(""), "gi");
  return (text) => beginning.test(text) ? text.replace(whole, HIDDEN) : text;
}

const DEEPEST = 100;

/**
 * Removes the token from a JSON value, including member names. Values that are nested more than 100 levels deep become
 * `…`.
 */
export function redactValue(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST) return "…";
  if (Array.isArray(value)) return value.map((element) => redactValue(element, redact, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redact(name),
      redactValue(member, redact, depth + 1),
    ]),
  );
}

/**
 * Returns an error unchanged if it contains neither the token nor control characters. Otherwise returns a copy without
 * the token and the control characters.
 */
export function redactCause(cause: unknown, redact: Redact): unknown {
  if (cause === undefined) return undefined;
  const safe = (text: string) => terminalLines(redact(text));
  const shown = inspected(cause, {
    depth: 20,
    showHidden: true,
    iterableLimit: Infinity,
    strAbbreviateSize: Infinity,
  });
  if (safe(shown) === shown) return cause;
  if (!(cause instanceof Error)) return safe(shown);
  const copy = new Error(safe(cause.message));
  copy.name = safe(cause.name);
  copy.stack = safe(cause.stack ?? "");
  if (cause.cause !== undefined) copy.cause = redactCause(cause.cause, redact);
  return copy;
}
