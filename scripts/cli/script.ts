import { realpathSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import config from "../../deno.json" with { type: "json" };
import { boundsText, mustBeOneOf, nearest } from "../../lib/platform/check_options.ts";
import { hasCode } from "../../lib/platform/file.ts";
import { meantWord } from "../../lib/platform/option_words.ts";
import { revoke } from "../../lib/platform/permission.ts";
import * as terminal from "../../lib/platform/terminal.ts";
import { ConfigurationError, QueryError } from "../../mod.ts";

/** Thrown when the arguments of a script are invalid. The script then ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** An option of a script. */
export interface Option {
  /** The name, without the dashes. */
  readonly name: string;
  /** Placeholder of the option's value in the help, such as `FILE`. An option without a placeholder is a flag. */
  readonly value?: string;
  readonly several?: boolean;
  /** Whether a flag can have the value `true` or `false`, as in `--descending=false`. */
  readonly isBoolean?: boolean;
  /** An earlier name of the option, which works. */
  readonly alias?: string;
  readonly about: string;
}

/** A group of options, and its title in the help. */
export interface OptionGroup {
  readonly title: string;
  readonly options: readonly Option[];
}

/** Returns an option without a value. */
export function flag(name: string, about: string): Option {
  return { name, about };
}

/** Returns an option with a value. */
export function option(name: string, value: string, about: string): Option {
  return { name, value, about };
}

/** Returns an option that may be given several times. */
export function several(name: string, value: string, about: string): Option {
  return { name, value, about: `${about} Repeatable.`, several: true };
}

/** The outputs of a script, and the signal that stops it. */
export interface Io {
  readonly stdout: { write(bytes: Uint8Array): Promise<number>; isTerminal(): boolean };
  readonly stderr: { writeSync(bytes: Uint8Array): number; isTerminal(): boolean };
  readonly signal: AbortSignal;
  /** Gives up permissions of the process. Without it, the script runs in another program, and keeps them. */
  readonly revoke?: typeof revoke | undefined;
  /** The name of the script in its messages, such as `chainframe fetch`. @default {the name of its file} */
  readonly program?: string | undefined;
}

/** The entry point of a script. It runs the script and returns the exit code. */
export type Main = (args: readonly string[], io?: Partial<Io>) => Promise<number>;

/** Writes a whole text to stdout. Rejects with the code `EPIPE` if the reader has closed stdout. */
export async function print({ stdout }: Io, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  for (let written = 0; written < bytes.length;) {
    written += await stdout.write(bytes.subarray(written));
  }
}

/** Writes a line to stderr. A closed stderr does not stop the script. */
export function tell({ stderr }: Io, line: string): void {
  const bytes = new TextEncoder().encode(`${line}\n`);
  try {
    for (let written = 0; written < bytes.length;) {
      written += stderr.writeSync(bytes.subarray(written));
    }
  } catch (error) {
    if (!hasCode(error, "EPIPE")) throw error;
  }
}

/** Returns a function that styles texts for a stream, if it is a terminal and NO_COLOR is not set. */
function styled(stream: { isTerminal(): boolean }, on: number, off: number) {
  const isStyled = stream.isTerminal() && !terminal.isColorless();
  return (text: string) => isStyled ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}

/** The checked arguments of a command line. */
export type Arguments = ReturnType<typeof readArguments>;

function refuseUnknown(word: string, options: readonly Option[]): never {
  const known = options.map(({ name }) => `--${name}`);
  const [first] = word.split("=");
  const names = known.map((name) => name.slice(2).replaceAll("-", "_"));
  const meant = meantWord(first!.slice(2).replaceAll("-", "_"), names);
  const near = meant === undefined ? nearest(first!, known) : `--${meant.replaceAll("_", "-")}`;
  const hint = near === undefined ? "" : ` (nearest: ${near})`;
  throw new UsageError(`${first}: unknown option${hint}; --help lists them`);
}

/** Returns the positional arguments, and the values of each given option. The values of a flag are an empty list. */
function valuesOf(args: readonly string[], options: readonly Option[]) {
  const named = options.flatMap((each) =>
    [each.name, each.alias ?? []].flat().map((name) => [name, each] as const)
  );
  const known = new Map(named);
  const { tokens, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(named.map(([name, { value }]) => [name, {
      type: value === undefined ? "boolean" as const : "string" as const,
      ...name === "help" ? { short: "h" } : {},
    }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { rawName, value, inlineValue } = token;
    const given = known.get(token.name) ?? refuseUnknown(rawName, options);
    const { name } = given;
    const list = values.get(name) ?? [];
    values.set(name, list);
    if (given.value === undefined) {
      if (given.isBoolean) list.push(value ?? "true");
      else if (value !== undefined) {
        throw new UsageError(`--${name}: takes no value; got "${value}"`);
      }
      continue;
    }
    if (value === undefined || value === "" || (!inlineValue && value.startsWith("-"))) {
      throw new UsageError(
        `--${name}: needs ${given.value} after it (one that begins with a dash as --${name}=…)`,
      );
    }
    list.push(value);
    if (list.length > 1 && !given.several) {
      throw new UsageError(`--${name}: was given more than once; got ${list.join(", ")}`);
    }
  }
  return { values, positionals };
}

/**
 * Checks that a value is one of a list of words, and returns it.
 *
 * @throws {UsageError} for any other value. The message suggests similar words.
 */
export function wordIn<Word extends string>(
  words: readonly Word[],
  value: string,
  name: string,
): Word {
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw new UsageError(`${name}: ${mustBeOneOf(words, value)}; got "${value}"`);
}

/**
 * Reads the arguments of a command line.
 *
 * @throws {UsageError} for an unknown option, a missing value or a repeated option. The message for an unknown option
 * suggests the nearest option.
 */
export function readArguments(args: readonly string[], options: readonly Option[]) {
  const { values, positionals } = valuesOf(args, options);
  const one = (name: string) => values.get(name)?.[0];
  const operand = (name: string, hint: string) => {
    const [first, ...more] = positionals;
    if (first === undefined) throw new UsageError(`${name}: is required, ${hint}`);
    if (more.length === 0) return first;
    throw new UsageError(`${name}: expected one; got also ${more.join(" ")}`);
  };
  return {
    has: (name: string): boolean => values.has(name),
    /** Returns the value of an option, or undefined if the option is not given. */
    one,
    all: (name: string): readonly string[] => values.get(name) ?? [],
    required: (name: string): string => {
      const value = one(name);
      if (value === undefined) throw new UsageError(`--${name}: is required; see --help`);
      return value;
    },
    /** Returns the value of an option, or undefined. Throws if the value is not one of `words`. */
    oneOf: <Word extends string>(name: string, words: readonly Word[]): Word | undefined => {
      const value = one(name);
      return value === undefined ? undefined : wordIn(words, value, `--${name}`);
    },
    /** Returns the value of an option, or undefined. Throws if it is not a whole number from `least` to `most`. */
    whole: (name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined => {
      const value = one(name);
      if (value === undefined) return undefined;
      const number = Number(value);
      if (/^\d+$/.test(value) && number >= least && number <= most) return number;
      const bounds = boundsText(least, most);
      throw new UsageError(`--${name}: must be a whole number ${bounds}; got "${value}"`);
    },
    /** The positional arguments. */
    operands: positionals,
    /** Returns the positional argument. Throws if no argument or several arguments are given. */
    operand,
    /** Returns the positional argument. Throws if it is not one of `words`. */
    operandOf: <Word extends string>(name: string, words: readonly Word[]): Word =>
      wordIn(words, operand(name, `one of ${words.join(", ")}`), name),
    noOperands: (): void => {
      if (positionals.length === 0) return;
      throw new UsageError(`takes options only; got ${positionals.join(" ")}; see --help`);
    },
  };
}

/** A script: the texts of its help, and its function. */
interface Script {
  /** The name of the script's file. */
  readonly name: string;
  /** Description in one or two sentences. */
  readonly about: string;
  /** Text after the name in the usage line, such as `OPERATION [options]`. */
  readonly usage: string;
  readonly options: readonly OptionGroup[];
  /**
   * The options that are read, if errors can name others, too.
   *
   * @default {options}
   */
  readonly reads?: readonly OptionGroup[];
  /** Examples for the help. Each example has its arguments and a description. */
  readonly examples: readonly (readonly [args: string, about: string])[];
  /** Further exit codes, besides those of all scripts. */
  readonly exitCodes?: readonly (readonly [code: number, about: string])[];
  /** Runs the script and returns the exit code. Undefined means 0. */
  run(given: Arguments, io: Io): Promise<number | void>;
}

const GENERAL: OptionGroup = {
  title: "General",
  options: [
    flag("help", "Shows this help. Short: -h."),
    flag("version", "Shows the version."),
    flag("debug", "Shows the stack of an error."),
  ],
};

const WIDTH = 80;
const INDENT = 25;

function optionLines({ name, value, about }: Option): string {
  const head = `  --${name}${value === undefined ? "" : ` ${value}`}`;
  const lines = terminal.wrapped(about, WIDTH - INDENT).map((line) => " ".repeat(INDENT) + line);
  if (head.length < INDENT - 1) lines[0] = head + lines[0]!.slice(head.length);
  else lines.unshift(head);
  return lines.join("\n");
}

/** Returns the help of a script, 80 columns wide. */
function helpText(script: Script, { stdout, program = script.name }: Io): string {
  const [bold, faint] = [styled(stdout, 1, 22), styled(stdout, 2, 22)];
  const groups = [...script.options, GENERAL].map(({ title, options }) =>
    `${bold(title)}\n${options.map(optionLines).join("\n")}`
  );
  const examples = script.examples.map(([args, about]) =>
    `  ${faint(`# ${about}`)}\n  ${
      terminal.wrapped(`${program} ${args}`.trimEnd(), WIDTH - 8).join(" \\\n      ")
    }`
  );
  return [
    terminal.wrapped(script.about, WIDTH).join("\n"),
    `${bold("Usage")}\n  ${program} ${script.usage}`,
    ...groups,
    `${bold("Examples")}\n${examples.join("\n")}`,
    `${bold("Exit codes")}
  0    success
  1    the service or the data failed
  2    wrong arguments
${(script.exitCodes ?? []).map(([code, about]) => `  ${code}    ${about}\n`).join("")}  130  Ctrl-C
`,
  ].join("\n\n");
}

const INTERRUPTED = 130;
const CALLED_WRONGLY = [UsageError, QueryError, ConfigurationError];

/** Returns the name of an option as it is typed: `metric_ids` is `metric-ids`. */
export function flagName(name: string): string {
  return name.replace(/_|(?=[A-Z])/g, "-").toLowerCase();
}

/** Returns the name of a function or an option: `growth-rates` and `growth_rates` are `growthRates`. */
export function camelName(name: string): string {
  return name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Names the step and the option of an error as they are typed: `timeline: metric_ids: …` becomes `--metric-ids: …`, and
 * `step 1, growthRates: per: …` becomes `step 1, growth-rates: --per: …`.
 */
function asTyped(
  text: string,
  options: readonly OptionGroup[],
): { readonly text: string; readonly isOption: boolean } {
  const isKnown = (name: string) =>
    options.some((group) => group.options.some((each) => each.name === flagName(name)));
  // The function of a script is not what its user has typed; that of a step is.
  const [, fn = "", rest = text] = /^(step \d+, \w+: |\w+: )([^]*)$/.exec(text) ?? [];
  const step = fn.startsWith("step ") ? flagName(fn) : "";
  // A member of a record is `columns.fees_usd`.
  const [, name = "", member = "", told = ""] = /^(\w+)(?:\.([^:]+))?: ([^]*)$/.exec(rest) ?? [];
  if (fn === "" || !isKnown(name)) {
    return { text: step === "" ? text : `${step}${rest}`, isOption: false };
  }
  const advice = told
    .replace(", or a Date", "")
    .replace("or must be an object", "or KEY=VALUE")
    .replace("must be an object with", "must be KEY=VALUE with")
    .replace(
      /\b(\w+), such as (?=\{)/g,
      (all, option: string) => isKnown(option) ? `--${flagName(option)} ` : all,
    )
    .replace(/\{(?:[^{}"]|"[^"]*"|\{(?:[^{}"]|"[^"]*")*\})*\}/g, typedObject);
  const place = member === "" ? "" : `${member}: `;
  return { text: `${step}--${flagName(name)}: ${place}${advice}`, isOption: true };
}

/** Returns an object as it is typed: `{ a: "b" }` is `a=b`. Objects with other values than texts are JSON. */
function typedObject(text: string): string {
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(text.replace(/([{,] ?)(\w+): /g, '$1"$2": '));
  } catch {
    return text;
  }
  const members = Object.entries(value);
  const isPlain = members.length > 0 &&
    members.every(([, each]) => typeof each === "string" && !/[,\s]/.test(each));
  return isPlain
    ? members.map(([name, each]) => `${name}=${each}`).join(",")
    : JSON.stringify(value);
}

function isCalledWrongly(error: unknown, options: readonly OptionGroup[]): boolean {
  return CALLED_WRONGLY.some((wrong) => error instanceof wrong) || hasCode(error, "EEXIST") ||
    (error instanceof RangeError && asTyped(error.message, options).isOption);
}

/** Returns the stacks of an error and its causes. Replaces control characters: messages can have untrusted text. */
function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return terminal.terminalText(String(error));
  const cause = error.cause === undefined ? "" : `\nCaused by: ${stacksOf(error.cause)}`;
  return `${error.stack ?? error}`.split("\n").map(terminal.terminalText).join("\n") + cause;
}

function report(script: Script, error: unknown, io: Io): void {
  const told = error instanceof Error ? error.message || error.name : String(error);
  const { text } = asTyped(told, script.options);
  const [bold, red] = [styled(io.stderr, 1, 22), styled(io.stderr, 31, 39)];
  tell(
    io,
    `${bold(io.program ?? script.name)}: ${red(terminal.terminalText(text.replace(/\s+/g, " ")))}`,
  );
}

/**
 * Creates the entry point of a script. The entry point returns the exit code: 0 for success, 130 after an abort. After
 * an error, it returns 1 or 2 and writes one line to stderr. If the reader of stdout closes the pipe, the script ends
 * without a message.
 */
export function script(definition: Script): Main {
  const options = [...definition.reads ?? definition.options, GENERAL]
    .flatMap((group) => group.options);
  return async (args, given = {}) => {
    const { stdout = terminal.stdout, stderr = terminal.stderr } = given;
    const { signal = new AbortController().signal } = given;
    const io: Io = { stdout, stderr, signal, program: given.program, revoke: given.revoke };
    try {
      const read = readArguments(args, options);
      if (read.has("help")) await print(io, helpText(definition, io));
      else if (read.has("version")) {
        await print(io, `${io.program ?? definition.name} ${config.version}\n`);
      } else return await definition.run(read, io) ?? 0;
      return 0;
    } catch (error) {
      if (signal.aborted) return INTERRUPTED;
      if (hasCode(error, "EPIPE")) return 0;
      report(definition, error, io);
      if (args.includes("--debug")) tell(io, stacksOf(error));
      return isCalledWrongly(error, definition.options) ? 2 : 1;
    }
  };
}

/** How a process reacts to signals. */
export interface ProcessOptions {
  /** The signals that abort the script. */
  readonly signals?: readonly ("SIGINT" | "SIGTERM")[];
  /** Maximum time from a signal to the end of the process, in milliseconds. */
  readonly grace?: number;
}

/** Returns whether a module is the program that was started. Node.js 22 has no `import.meta.main`. */
export function isMain({ main, url }: ImportMeta): boolean {
  const [, program] = process.argv;
  return main ??
    (program !== undefined && url === pathToFileURL(realpathSync(program)).href);
}

/** Runs `main` and ends the process. A signal aborts `main`. A second signal or the end of `grace` ends the process. */
export async function runProcess(
  main: Main,
  { signals = ["SIGINT"], grace = 500 }: ProcessOptions = {},
): Promise<never> {
  const controller = new AbortController();
  for (const name of signals) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(INTERRUPTED);
      controller.abort(new DOMException(name, "AbortError"));
      if (grace !== Infinity) setTimeout(() => process.exit(INTERRUPTED), grace);
    });
  }
  const code = await main(process.argv.slice(2), { signal: controller.signal, revoke });
  // A lock file sets the exit code if a response differs.
  process.exit(code || process.exitCode || 0);
}
