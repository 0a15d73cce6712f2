import config from "../../deno.json" with { type: "json" };
import { exitCodeOf } from "./exit_code.ts";
import { GENERAL_OPTIONS, helpText } from "./help_text.ts";
import { print } from "./print.ts";
import { type Arguments, readArguments } from "./read_arguments.ts";
import type { Script } from "./script.ts";
import { styleOf } from "./style.ts";
import { tell } from "./tell.ts";

const INTERRUPTED = 130;
/** How long work may take to clean up behind itself after Ctrl-C, in milliseconds. */
const GRACE = 500;

function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  // What a service answered must not move the cursor.
  // deno-lint-ignore no-control-regex -- they are what it is about
  return text.replace(/\s+/g, " ").replace(/[\x00-\x1f\x7f-\x9f]/g, "\ufffd");
}

function stacksOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\nCaused by: ${stacksOf(error.cause)}`;
  return `${error.stack ?? error}${cause}`;
}

/** Aborts at the first Ctrl-C, and ends the process when the work does not end soon, or at the second. */
function interruptible(): AbortSignal {
  const controller = new AbortController();
  Deno.addSignalListener("SIGINT", () => {
    if (controller.signal.aborted) Deno.exit(INTERRUPTED);
    controller.abort(new DOMException("interrupted", "AbortError"));
    setTimeout(() => Deno.exit(INTERRUPTED), GRACE);
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
  const signal = script.stopsItself ? new AbortController().signal : interruptible();
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
