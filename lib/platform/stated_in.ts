let isCommandLine = false;

/** Makes messages name the flags of the command line, in place of functions and options. */
export function nameFlags(): void {
  isCommandLine = true;
}

/** Returns the words of a message for the command line, or those for code. */
export function inWords(words: { readonly flags: string; readonly code: string }): string {
  return isCommandLine ? words.flags : words.code;
}
