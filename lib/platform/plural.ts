/** Words that are their own plural. */
const SAME = /^(series|data|people|news|media|staff|\w*ware|\w*omics)$/i;

const OWN: Readonly<Record<string, string>> = {
  person: "people",
  child: "children",
  man: "men",
  woman: "women",
};

/** Endings with their plurals. The first that fits counts. */
const ENDINGS: readonly (readonly [ending: RegExp, plural: string])[] = [
  [/(?<=[sx])is$/, "es"],
  // A word in -s is a plural already, unless it ends as in `gas`, `basis`, `chaos`, `bus` or `process`.
  [/(?<=[^aious])s$/, "s"],
  [/(?<=[^aeiou])y$/, "ies"],
  [/(?<=epo|stoma|monar)ch$/, "chs"],
  [/(?<=[sxz]|[cs]h)$/i, "es"],
  [/(?<=^(?:li|wi|kni))fe$|(?<=^(?:hal|shel|lea))f$/, "ves"],
  [/$/, "s"],
];

/** Returns the plural of a noun by the endings of English: `companies`, `DAOs`. Of several words, the last has it. */
export function plural(noun: string): string {
  return noun.replace(/[^\s-]+$/, (word) => {
    if (SAME.test(word)) return word;
    if (Object.hasOwn(OWN, word)) return OWN[word]!;
    const [ending, instead] = ENDINGS.find(([ending]) => ending.test(word))!;
    return word.replace(ending, instead);
  });
}
