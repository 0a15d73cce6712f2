/** Takes the token out of a text. */
export type Redact = (text: string) => string;

const HIDDEN = "[token]";
// Shorter than this is no secret, and is part of half the words there are.
const SHORTEST = 4;

/** Takes a token out of texts, as it is and as JSON, URLs and HTML spell it. */
export function redactor(token: string): Redact {
  if (token.length < SHORTEST) return (text) => text;
  const json = JSON.stringify(token).slice(1, -1);
  const html = token.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const spellings = new Set([
    token,
    json,
    json.replaceAll("/", "\\/"),
    encodeURIComponent(token),
    encodeURI(token),
    html,
    html.replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    btoa(token),
  ]);
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((left, spelling) => left.replaceAll(spelling, HIDDEN), text);
}

/** Takes the token out of a value made of JSON. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  return JSON.parse(redact(JSON.stringify(value)));
}

/** An error, or a copy without the token where it shows the token anywhere. */
export function redactCause(cause: unknown, redact: Redact): unknown {
  if (cause === undefined) return undefined;
  const shown = Deno.inspect(cause, {
    depth: 20,
    showHidden: true,
    iterableLimit: Infinity,
    strAbbreviateSize: Infinity,
  });
  if (redact(shown) === shown) return cause;
  if (!(cause instanceof Error)) return redact(shown);
  const copy = new Error(redact(cause.message));
  copy.name = redact(cause.name);
  copy.stack = redact(cause.stack ?? "");
  if (cause.cause !== undefined) copy.cause = redactCause(cause.cause, redact);
  return copy;
}
