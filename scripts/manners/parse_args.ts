// deno-lint-ignore-file no-import-prefix -- scripts are run and installed from anywhere, where no import map applies
/** The one door to the standard library's reader of command lines, which comes without types. */
import { parseArgs as parse } from "npm:deno-std@1.4.0/cli/parse_args.js";

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

/** Reads the words of a command line. */
export const parseArgs: (words: readonly string[], options: ParseOptions) => Parsed = parse;
