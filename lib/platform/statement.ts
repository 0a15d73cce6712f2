let isCommandLine = false;

/** Makes messages name the flags of the command line, in place of functions and options; or no longer. */
export function nameFlags(named = true): void {
  isCommandLine = named;
}

/** Returns the words of a message for the command line, or those for code. */
export function inWords(words: { readonly flags: string; readonly code: string }): string {
  return isCommandLine ? words.flags : words.code;
}

/** Returns a word as a shell takes it. */
function quoted(text: string): string {
  return /^[\w%.,:=/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns an option with a value for a column: `numbers: { fees: "1.234,5" }`, or a flag. */
export function optionOf(name: string, column: string, value: unknown): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(column) ? column : JSON.stringify(column);
  const written = JSON.stringify(value).replace(/"(\w+)":/g, " $1: ").replace(/\}$/, " }");
  return inWords({
    code: `${name}: { ${key}: ${written} }`,
    flags: `--${name} ${
      quoted(typeof value === "string" ? `${column}=${value}` : JSON.stringify({ [column]: value }))
    }`,
  });
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
