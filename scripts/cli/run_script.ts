import config from "../../deno.json" with { type: "json" };
import { ConfigurationError, QueryError } from "../../mod.ts";
import { terminalText } from "../../lib/platform/terminal.ts";
import {
  type Arguments,
  type Option,
  type OptionGroup,
  readArguments,
  UsageError,
} from "./arguments.ts";
import { print, type Style, styleOf, tell } from "./terminal.ts";

/** What a script is told besides its arguments. */
interface Circumstances {
  /** Is aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** A script: what its help says, and what it does. */
export interface Script {
  /** The name of its file. */
  readonly name: string;
  /** What it does, in a sentence or two. */
  readonly about: string;
  /** What stands behind the name: `OPERATION [options]`. */
  readonly usage: string;
  /**
   * Whether Ctrl-C is its own to handle.
   *
   * @default {false}
   */
  readonly stopsItself?: boolean;
  /**
   * How long it may take to clean up behind itself after Ctrl-C, in milliseconds; a second Ctrl-C ends it.
   *
   * @default {500}
   */
  readonly grace?: number;
  readonly options: readonly OptionGroup[];
  /** Arguments that do something useful, each with what they do. */
  readonly examples: readonly (readonly [arguments: string, about: string])[];
  /** Does the work, and gives back the exit code. */
  run(given: Arguments, circumstances: Circumstances): Promise<number>;
}

const WIDTH = 80;
const INDENT = 25;

function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

function optionLines({ name, value, about, several }: Option): string {
  const head = `  --${name}${value === undefined ? "" : ` ${value}`}`;
  const told = wrapped(several ? `${about} May be given several times.` : about, WIDTH - INDENT);
  const first = head.length < INDENT - 1
    ? [head.padEnd(INDENT) + told[0]]
    : [head, " ".repeat(INDENT) + told[0]];
  return [...first, ...told.slice(1).map((line) => " ".repeat(INDENT) + line)].join("\n");
}

/** What every script understands. */
const GENERAL_OPTIONS: OptionGroup = {
  title: "General",
  options: [
    { name: "help", about: "Shows this, and ends. Short: -h." },
    { name: "version", about: "Shows the version, and ends." },
    { name: "debug", about: "Shows where an error came from, with its stack." },
  ],
};

/** The help of a script, 80 places wide. */
function helpText(script: Script, style: Style): string {
  const groups = [...script.options, GENERAL_OPTIONS].map(({ title, options }) =>
    `${style.bold(title)}\n${options.map(optionLines).join("\n")}`
  );
  const examples = script.examples.map(([words, about]) =>
    `  ${style.faint(`# ${about}`)}\n  ${
      wrapped(`${script.name} ${words}`.trimEnd(), WIDTH - 8).join(" \\\n      ")
    }`
  );
  return [
    wrapped(script.about, WIDTH).join("\n"),
    `${style.bold("Usage")}\n  ${script.name} ${script.usage}`,
    ...groups,
    `${style.bold("Examples")}\n${examples.join("\n")}`,
    `${style.bold("Ends with")}
  0  it went well
  1  the service or the data said no
  2  it was asked wrongly
${script.stopsItself ? "" : "  130  Ctrl-C\n"}`,
  ].join("\n\n");
}

const ASKED_WRONGLY = [UsageError, QueryError, ConfigurationError, Deno.errors.AlreadyExists];

/** The exit code of an error: 2 when the script was asked wrongly, 1 when the service or the data said no. */
function exitCodeOf(error: unknown): number {
  return ASKED_WRONGLY.some((wrong) => error instanceof wrong) ? 2 : 1;
}

const INTERRUPTED = 130;
const GRACE = 500;

function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  // What a service answered must not move the cursor.
  return terminalText(text.replace(/\s+/g, " "));
}

function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return terminalText(String(error));
  const cause = error.cause === undefined ? "" : `\nCaused by: ${stacksOf(error.cause)}`;
  const lines = `${error.stack ?? error}`.split("\n").map(terminalText);
  return `${lines.join("\n")}${cause}`;
}

/** Aborts at the first Ctrl-C, and ends the process when the work does not end soon, or at the second. */
function interruptible({ grace = GRACE }: Script): AbortSignal {
  const controller = new AbortController();
  Deno.addSignalListener("SIGINT", () => {
    if (controller.signal.aborted) Deno.exit(INTERRUPTED);
    controller.abort(new DOMException("interrupted", "AbortError"));
    setTimeout(() => Deno.exit(INTERRUPTED), grace);
  });
  return controller.signal;
}

async function work(script: Script, given: Arguments, signal: AbortSignal): Promise<number> {
  if (given.has("help")) await print(helpText(script, styleOf(Deno.stdout)));
  else if (given.has("version")) await print(`${script.name} ${config.version}\n`);
  else return await script.run(given, { signal });
  return 0;
}

/**
 * Runs a script with the arguments of the process, and ends the process: with 0, with 1 or 2 and one
 * line on stderr, with 130 after Ctrl-C. A reader of stdout that went away ends it quietly.
 */
export async function runScript(script: Script): Promise<never> {
  const signal = script.stopsItself ? new AbortController().signal : interruptible(script);
  const options = [...script.options, GENERAL_OPTIONS].flatMap((group) => group.options);
  try {
    Deno.exit(await work(script, readArguments(Deno.args, options), signal));
  } catch (error) {
    if (signal.aborted) Deno.exit(INTERRUPTED);
    if (error instanceof Deno.errors.BrokenPipe) Deno.exit(0);
    const { bold, red } = styleOf(Deno.stderr);
    tell(`${bold(script.name)}: ${red(lineOf(error))}`);
    if (Deno.args.includes("--debug")) tell(stacksOf(error));
    Deno.exit(exitCodeOf(error));
  }
}
