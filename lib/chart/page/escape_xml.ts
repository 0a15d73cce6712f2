const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// deno-lint-ignore no-control-regex -- these are the characters that XML 1.0 does not allow
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text as XML: safe as content and inside quotes, with what XML forbids as U+FFFD. */
export function escapeXml(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN, "\ufffd").replace(
    /[&<>"']/g,
    (character) => ENTITIES[character]!,
  );
}
