// deno-lint-ignore no-control-regex -- these are the characters that XML 1.0 does not allow
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text with what XML forbids as U+FFFD. */
export function xmlCharacters(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN, "\ufffd");
}
