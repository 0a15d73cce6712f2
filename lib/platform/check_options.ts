import { meantWord, OPTION_WORDS } from "./option_words.ts";
import { listed, nounOf, shown, terminalText } from "./terminal.ts";

/**
 * Returns the edit distance of two words: the minimum number of letters to insert, delete or replace so that one word
 * becomes the other (Levenshtein 1966).
 */
function distance(one: string, other: string): number {
  const [from, to] = [[...one], [...other]];
  // The distances of the processed part of `from` to each prefix of `to`.
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

/** Maximum number of edits between a text and a suggested name. */
const FARTHEST = 2;
/** Minimum length of a name that is searched for within another name. */
const SHORTEST_PART = 3;
function isPart(one: string, other: string): boolean {
  const [part, whole] = one.length < other.length ? [one, other] : [other, one];
  return part.length >= SHORTEST_PART && whole.includes(part);
}

/**
 * Returns the known names that are similar to a given name, ignoring case: the nearest name within one edit; else all names
 * that contain the given name or are part of it; else the nearest name within two edits; else none.
 */
export function similarNames(name: string, names: Iterable<string>): string[] {
  const wanted = name.toLowerCase();
  const near = (is: (edits: number, other: string) => boolean) =>
    all.filter(({ edits, other }) => is(edits, other)).map(({ known }) => known);
  const all = [...names].map((known) => {
    const other = known.toLowerCase();
    const isLong = Math.abs(other.length - wanted.length) > FARTHEST;
    return { known, other, edits: isLong ? Infinity : distance(wanted, other) };
  });
  const within = (most: number) => near((edits) => edits === most).slice(0, 1);
  const parts = near((_, other) => isPart(wanted, other));
  return [within(0), within(1), parts, within(FARTHEST)].find(({ length }) => length > 0) ?? [];
}

/** Returns the names that a word may mean, as the hint of a message. Empty for an unknown word. */
export function hintOf(name: string, names: readonly string[]): string {
  return listed([meantWord(name, names) ?? similarNames(name, names)].flat(), MOST_LISTED);
}

/** Returns the nearest known name, or undefined if no known name is similar. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const longer = (other: string) => Math.abs(other.length - name.length);
  return similarNames(name, names).sort((a, b) => longer(a) - longer(b))[0];
}

/** Maximum number of names to list. A longer list would hide the nearest name. */
const MOST_LISTED = 20;

/** Returns the message for a value that is not a known word. Long lists are shortened. */
export function mustBeOneOf(names: readonly string[], value: unknown): string {
  const hint = typeof value === "string" && value !== "" ? hintOf(value, names) : "";
  const nearby = hint === "" ? "" : ` (nearest: ${hint})`;
  return names.length > MOST_LISTED
    ? `must be one of ${names.length} names${nearby}`
    : `must be one of ${names.join(", ")}${nearby}`;
}

/** Returns the message for an unknown name. `hint` lists the names that may be meant. */
export function didYouMean(
  name: string,
  names: readonly string[],
  hint: string = hintOf(name, names),
): string {
  const few = names.length <= MOST_LISTED;
  const known = few ? `known: ${names.join(", ")}` : "";
  const rule = names.length === 0
    ? "there are no names"
    : hint === ""
    ? `is unknown${few ? `; ${known}` : ""}`
    : `did you mean ${hint}?${few && names.length > 1 ? ` ${known}` : ""}`;
  return `${terminalText(name)}: ${rule}`;
}

/** Throws the error for an invalid value. The message of the error states the rule `allowed` and the value. */
export type Refuse = (allowed: string) => never;

/** Checks the value of one option and returns its normalized form. */
export type Rule<Value = unknown> = (value: unknown, refuse: Refuse) => Value;

/** The rules for the options of a function, by the names of the options. */
export type Rules = Readonly<Record<string, Rule>>;

/** The mark of a rule whose option must be given. */
interface Needed {
  readonly needed: true;
}

/** The options that were given, in normalized form. Options that were not given are missing. */
export type Checked<Given extends Rules> =
  & {
    [Name in keyof Given as Given[Name] extends Needed ? Name : never]: ReturnType<Given[Name]>;
  }
  & {
    [Name in keyof Given as Given[Name] extends Needed ? never : Name]?: ReturnType<Given[Name]>;
  };

/** What `checkOptions` needs for its errors: words for the messages, and a function that creates an error. */
interface OptionsAbout {
  /** Prefix of every message, such as `rankBy: ` or `cache.`. It can be empty. */
  readonly prefix: string;
  /** Creates the error. */
  readonly error: (message: string) => Error;
  /** Noun for the options in messages, such as `query`. */
  readonly noun?: string;
}

/** Accepts any value, for options that are checked elsewhere. */
export function anything(value: unknown): unknown {
  return value;
}

/** Returns whether a value is an object with members, and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Accepts objects, but no lists. */
export const object: Rule<Record<string, unknown>> = (value, refuse) =>
  isObject(value) ? value : refuse("must be an object");

/** Accepts text. */
export const string: Rule<string> = (value, refuse) =>
  typeof value === "string" ? value : refuse("must be a text");

/** Accepts `true` and `false`. */
export const boolean: Rule<boolean> = (value, refuse) =>
  typeof value === "boolean" ? value : refuse("must be true or false");

/** Accepts functions. */
export const func: Rule<(...args: never[]) => unknown> = (value, refuse) =>
  typeof value === "function" ? value as () => unknown : refuse("must be a function");

/** Creates the rule of an option that must be given. */
export function required<Value>(rule: Rule<Value>): Rule<Value> & Needed {
  const own: Rule<Value> = (value, refuse) => rule(value, refuse);
  return Object.assign(own, { needed: true as const });
}

/** Returns the text that states bounds in a message, such as `of at least 1` or `from 1 to 10`. */
export function boundsText(least: number, most: number): string {
  return most >= Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
}

/** Creates a rule for a number within bounds. */
export function number(least: number, most = Infinity): Rule<number> {
  return (value, refuse) =>
    typeof value === "number" && value >= least && value <= most
      ? value
      : refuse(`must be a number ${boundsText(least, most)}`);
}

/** Creates a rule for a number of pixels. */
export function pixels(least: number, most: number): Rule<number> {
  return (value, refuse) =>
    typeof value === "number" && value >= least && value <= most
      ? value
      : refuse(`must be a number of pixels ${boundsText(least, most)}`);
}

/** Creates a rule for a whole number within bounds. */
export function integer(least: number, most = Number.MAX_SAFE_INTEGER): Rule<number> {
  return (value, refuse) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? Number(value)
      : refuse(`must be a whole number ${boundsText(least, most)}`);
}

/** Creates a rule for a value that must be one of the given words. */
export function oneOf<Word extends string>(words: readonly Word[]): Rule<Word> {
  return (value, refuse) => {
    const word = words.find((known) => known === value);
    return word ?? refuse(mustBeOneOf(words, value));
  };
}

/** Creates a rule for a list. Every element must follow the rule `element`. */
export function listOf<Value>(element: Rule<Value>): Rule<Value[]> {
  return (value, refuse) =>
    Array.isArray(value)
      ? value.map((each) => element(each, (allowed) => refuse(`each element ${allowed}`)))
      : refuse("must be a list");
}

/**
 * Checks each option at run time with the rule for this option. An option whose value is undefined counts as not
 * given.
 *
 * The message for an unknown option does not show the value of the option, because the value may be a token.
 *
 * ```ts ignore
 * const { by = "chain_id" } = checkOptions(options, { by: oneOf(GROUPS) }, "contractFlows");
 * ```
 *
 * @throws {RangeError} or the error of `about`, for an unknown option, a missing option that is required, or a value
 * that breaks its rule. The message for an unknown option suggests the nearest name.
 */
export function checkOptions<Given extends Rules>(
  options: object | undefined = {},
  rules: Given,
  about: string | OptionsAbout,
): Checked<Given> {
  const { prefix, noun = "options", error } = typeof about === "string"
    ? { prefix: `${about}: `, error: (message: string) => new RangeError(message) }
    : about;
  const fail = (told: string): never => {
    throw error(`${prefix}${told}`);
  };
  const names = Object.keys(rules);
  const wrong = nounOf(options) ?? (Array.isArray(options) ? "a list" : undefined);
  if (typeof options !== "object" || options === null || wrong !== undefined) {
    // A caller may pass a token in place of the options, so the message does not show a text.
    const given = wrong ?? (options === null ? "null" : typeof options);
    return fail(`${noun}: must be an object with ${listed(names) || "no members"}; got ${given}`);
  }
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name] of given) {
    if (Object.hasOwn(rules, name)) continue;
    const hint = hintOf(name, names);
    const elsewhere = hint === "" && Object.hasOwn(OPTION_WORDS, name)
      ? `; help("${name}") lists the functions that take it`
      : "";
    fail(didYouMean(name, names) + elsewhere);
  }
  for (const [name, rule] of Object.entries(rules)) {
    if (!("needed" in rule) || given.some(([each]) => each === name)) continue;
    const what = Object.hasOwn(OPTION_WORDS, name) ? `: ${OPTION_WORDS[name]}` : "";
    fail(`${name}: is required${what}`);
  }
  const checked = given.map(([name, value]) => [
    name,
    rules[name]!(value, (allowed) => fail(`${name}: ${allowed}; got ${shown(value)}`)),
  ]);
  return Object.fromEntries(checked) as Checked<Given>;
}
