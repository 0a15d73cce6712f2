/** A text without the characters that would move a terminal's cursor, change its colours or its direction. */
export function terminalText(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what it is about
  return text.replace(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
