import { nearest } from "./nearest.ts";
import type { Option } from "./option.ts";
import { parseArgs } from "./parse_args.ts";
import { UsageError } from "./usage_error.ts";

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
