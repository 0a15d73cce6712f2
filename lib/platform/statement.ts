let isCommandLine = false;

/** Makes messages name the flags of the command line, in place of functions and options. */
export function nameFlags(): void {
  isCommandLine = true;
}

/** Returns the words of a message for the command line, or those for code. */
export function inWords(words: { readonly flags: string; readonly code: string }): string {
  return isCommandLine ? words.flags : words.code;
}

/** Returns the words that state who the rows of a frame are, and when: a call of `withSource`, or flags. */
export function statementOf(
  { entity = [], date }: {
    readonly entity?: readonly string[];
    readonly date?: string | undefined;
  },
): string {
  const written = entity.length === 1 ? entity[0] : entity;
  const options = [
    ...entity.length > 0 ? [`entity: ${JSON.stringify(written).replaceAll(",", ", ")}`] : [],
    ...date === undefined ? [] : [`date: ${JSON.stringify(date)}`],
  ];
  const flags = [
    ...entity.map((name) => `--entity ${name}`),
    ...date === undefined ? [] : [`--date ${date}`],
  ];
  return inWords({
    code: `withSource(frame, { ${options.join(", ")} })`,
    flags: flags.join(" "),
  });
}
