// deno-lint-ignore-file no-import-prefix -- scripts are run and installed from anywhere, where no import map applies
import { parseArgs as parse } from "npm:deno-std@1.4.0/cli/parse_args.js";
import { closestString } from "npm:deno-std@1.4.0/text/closest_string.js";

/** The script was asked wrongly: it says how to ask, and ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An option of a script. One without `value` is a switch. */
export interface Option {
  /** The name, without the dashes. */
  readonly name: string;
  /** What stands behind it, for the help: `FILE`. */
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly several?: boolean;
  /** What it does, for the help. */
  readonly about: string;
}

/** Options that belong together, under a title of the help. */
export interface OptionGroup {
  readonly title: string;
  readonly options: readonly Option[];
}

/** What the reader is told. */
interface ParseOptions {
  readonly boolean: readonly string[];
  readonly string: readonly string[];
  readonly collect: readonly string[];
  readonly alias: Readonly<Record<string, string>>;
  /** Is called with each word that is no known option; of an option, with its name, too. */
  readonly unknown: (word: string, name?: string) => boolean;
}

/** What the words of a command line are: operands under `_`, options under their names. */
type Parsed = Readonly<Record<string, unknown>> & { readonly _: readonly string[] };

/** The standard library's reader of command lines comes without types. */
const parseArgs: (words: readonly string[], options: ParseOptions) => Parsed = parse;

/** The known word that is nearest to a word: one that begins with it, that holds it, or that looks like it. */
export function nearest(word: string, known: readonly string[]): string {
  const begins = known.find((each) => each.startsWith(word));
  const holds = word.length > 2 ? known.find((each) => each.includes(word)) : undefined;
  return begins ?? holds ?? closestString(word, [...known]);
}

/** The words of a command line, read by the options of a script. */
export interface Arguments {
  /** The words that are no options. */
  readonly operands: readonly string[];
  /** Whether an option was given. */
  has(name: string): boolean;
  /** The value of an option; undefined when it was not given. */
  one(name: string): string | undefined;
  /** The values of an option that may be given several times, in order. */
  all(name: string): readonly string[];
}

function refuseUnknown(word: string, options: readonly Option[]): never {
  const name = word.replace(/=.*$/s, "");
  const known = options.map((option) => `--${option.name}`);
  throw new UsageError(
    `${name}: is no option of this script (nearest: ${nearest(name, known)}); --help lists them`,
  );
}

function checkSwitches(words: readonly string[], switches: readonly string[]): void {
  for (const name of switches) {
    const word = words.find((word) => word.startsWith(`--${name}=`));
    if (word !== undefined) throw new UsageError(`--${name}: takes no value: ${word}`);
  }
}

function checkValue({ name, value, several }: Option, given: readonly string[]): void {
  if (given.includes("")) {
    throw new UsageError(
      `--${name}: needs ${value} behind it (one that begins with a dash as --${name}=…)`,
    );
  }
  if (!several && given.length > 1) {
    throw new UsageError(`--${name}: was given more than once: ${given.join(", ")}`);
  }
}

/**
 * Reads the words of a command line.
 *
 * @throws {UsageError} for an unknown option, with the nearest known one; for a missing value; for an
 * option that was given twice and may stand once.
 */
export function readArguments(words: readonly string[], options: readonly Option[]): Arguments {
  const valued = options.filter(({ value }) => value !== undefined);
  const switches = options.filter(({ value }) => value === undefined).map(({ name }) => name);
  checkSwitches(words.slice(0, words.includes("--") ? words.indexOf("--") : undefined), switches);
  const parsed = parseArgs(words, {
    boolean: switches,
    // "_": an operand that looks like a number stays the text it is.
    string: [...valued.map(({ name }) => name), "_"],
    collect: valued.map(({ name }) => name),
    alias: { h: "help" },
    unknown: (word, name) => name === undefined || refuseUnknown(word, options),
  });
  const all = (name: string) => (parsed[name] ?? []) as readonly string[];
  for (const option of valued) checkValue(option, all(option.name));
  return {
    operands: parsed._,
    has: (name) => switches.includes(name) ? parsed[name] === true : all(name).length > 0,
    one: (name) => all(name)[0],
    all,
  };
}

/** The value of an option that must be given. */
export function required(given: Arguments, option: string): string {
  const value = given.one(option);
  if (value === undefined) throw new UsageError(`--${option}: is required; --help says for what`);
  return value;
}

/** Refuses words that are no options, of a script that takes none. */
export function noOperands({ operands }: Arguments): void {
  if (operands.length === 0) return;
  throw new UsageError(`takes options only, and got ${operands.join(" ")}; --help lists them`);
}

/** The value of an option that takes one of a closed list of words; undefined when it was not given. */
export function onlyOneOf<Word extends string>(
  given: Arguments,
  option: string,
  words: readonly Word[],
): Word | undefined {
  const value = given.one(option);
  const word = words.find((known) => known === value);
  if (value === undefined || word !== undefined) return word;
  throw new UsageError(
    `--${option}: must be one of ${words.join(", ")} (nearest: ${nearest(value, words)}): ${value}`,
  );
}
