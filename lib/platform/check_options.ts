import { shown, terminalText } from "./terminal.ts";

/** How many letters must be put in, taken out or changed to make one word of another (Levenshtein 1966). */
function distance(one: string, other: string): number {
  const [from, to] = [[...one], [...other]];
  // The distances of what has been read of `from` to the beginnings of `to`, of every length.
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [index, letter] of from.entries()) {
    const next = [index + 1];
    for (const [place, wanted] of to.entries()) {
      const changed = row[place]! + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, row[place + 1]! + 1, next[place]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** The known name that is nearest to a name, whatever the case; undefined when none is known. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let [found, least]: [string | undefined, number] = [undefined, Infinity];
  for (const known of names) {
    const steps = distance(wanted, known.toLowerCase());
    if (steps < least) [found, least] = [known, steps];
  }
  return found;
}

/** A name further away than this part of its letters, as TypeScript has it, is another word. */
const FARTHEST = 0.4;
/** What is shorter is part of many words. */
const SHORTEST_PART = 3;

function isPart(one: string, other: string): boolean {
  const [part, whole] = one.length < other.length ? [one, other] : [other, one];
  return part.length >= SHORTEST_PART && whole.includes(part);
}

/** The known name that may have been meant: the nearest, if it is near, or else one of which it is a part. */
function meant(name: string, names: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  const found = nearest(name, names) ?? "";
  const most = Math.max(1, FARTHEST * Math.max(wanted.length, found.length));
  if (found !== "" && distance(wanted, found.toLowerCase()) <= most) return found;
  return nearest(name, names.filter((known) => isPart(wanted, known.toLowerCase())));
}

/** A longer list of names would hide the nearest. */
const MOST_LISTED = 20;

/**
 * The one wording for a value that is none of the words there are: all of them, or of many how many, and the
 * nearest where one is near.
 */
export function mustBeOneOf(names: readonly string[], value: unknown): string {
  const near = typeof value === "string" && value !== "" ? meant(value, names) : undefined;
  const hint = near === undefined ? "" : ` (nearest: ${near})`;
  return names.length > MOST_LISTED
    ? `must be one of ${names.length} names${hint}`
    : `must be one of ${names.join(", ")}${hint}`;
}

/** The one wording for a name that is none of those there are. */
export function didYouMean(name: string, names: readonly string[]): string {
  const hint = names.length === 0 ? "there is none" : `did you mean ${nearest(name, names)}?`;
  const rest = names.length > 1 && names.length <= MOST_LISTED ? ` known: ${names.join(", ")}` : "";
  return `${terminalText(name)}: ${hint}${rest}`;
}

/** Is called with what would be allowed, and throws the error that says so and shows the value. */
export type Refuse = (allowed: string) => never;

/** Checks the value of one option, and gives it back in the form that is used. */
export type Rule<Value = unknown> = (value: unknown, refuse: Refuse) => Value;

/** What each option of a function must be, by its name. */
export type Rules = Readonly<Record<string, Rule>>;

/** Options that have been checked; one that was not given is missing. */
export type Checked<Given extends Rules> = { [Name in keyof Given]?: ReturnType<Given[Name]> };

/** Who checks its options, and what it throws. */
interface OptionsAbout {
  /** What begins every message: `rankBy: `, `cache.`, or nothing. */
  readonly prefix: string;
  /** Makes the error that is thrown. */
  readonly error: (message: string) => Error;
  /** What is given, in a word: `query`. */
  readonly noun?: string;
}

/** The rule of what is checked elsewhere, or by its type alone. */
export function anything(value: unknown): unknown {
  return value;
}

/** The rule of a text. */
export const aText: Rule<string> = (value, refuse) =>
  typeof value === "string" ? value : refuse("must be a text");

/** The rule of `true` or `false`. */
export const aFlag: Rule<boolean> = (value, refuse) =>
  typeof value === "boolean" ? value : refuse("must be true or false");

/** The rule of a function. */
export const aFunction: Rule<(...args: never[]) => unknown> = (value, refuse) =>
  typeof value === "function" ? value as () => unknown : refuse("must be a function");

/** Makes the rule of a number within bounds. */
export function aNumber(least: number, most = Infinity): Rule<number> {
  const bounds = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  return (value, refuse) =>
    typeof value === "number" && value >= least && value <= most
      ? value
      : refuse(`must be a number ${bounds}`);
}

/** Makes the rule of a whole number within bounds. */
export function aWhole(least: number, most = Number.MAX_SAFE_INTEGER): Rule<number> {
  const bounds = most === Number.MAX_SAFE_INTEGER
    ? `of at least ${least}`
    : `from ${least} to ${most}`;
  return (value, refuse) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? Number(value)
      : refuse(`must be a whole number ${bounds}`);
}

/** Makes the rule of a closed list of words. */
export function oneOf<Word extends string>(words: readonly Word[]): Rule<Word> {
  return (value, refuse) => {
    const word = words.find((known) => known === value);
    return word ?? refuse(mustBeOneOf(words, value));
  };
}

/** Makes the rule of a list, each element by a rule of its own. */
export function listOf<Value>(element: Rule<Value>): Rule<Value[]> {
  return (value, refuse) =>
    Array.isArray(value)
      ? value.map((each) => element(each, (allowed) => refuse(`each element ${allowed}`)))
      : refuse("must be a list");
}

/**
 * Checks options by one rule per name, at run time, where no compiler has looked at them. One whose value
 * is undefined counts as not given. A message about an unknown name does not show its value, which may be
 * a token.
 *
 * ```ts ignore
 * const { by = "chain_id" } = checkOptions(options, { by: oneOf(GROUPS) }, "contractFlows");
 * ```
 *
 * @throws {RangeError} or the error of `about`, for an unknown name, with the nearest one, and for a value
 * against its rule, which it shows.
 */
export function checkOptions<Given extends Rules>(
  options: object,
  rules: Given,
  about: string | OptionsAbout,
): Checked<Given> {
  const { prefix, noun = "options", error } = typeof about === "string"
    ? { prefix: `${about}: `, error: (message: string) => new RangeError(message) }
    : about;
  const fail = (told: string): never => {
    throw error(`${prefix}${told}`);
  };
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    // A text in place of the options may be a token.
    const given = options === null ? "null" : Array.isArray(options) ? "a list" : typeof options;
    return fail(`${noun}: must be an object: ${given}`);
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const names = Object.keys(rules);
  for (const [name] of given) {
    if (!Object.hasOwn(rules, name)) fail(didYouMean(name, names));
  }
  const checked = given.map(([name, value]) => [
    name,
    rules[name]!(value, (allowed) => fail(`${name}: ${allowed}: ${shown(value)}`)),
  ]);
  return Object.fromEntries(checked) as Checked<Given>;
}
