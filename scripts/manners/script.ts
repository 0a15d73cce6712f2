import type { OptionGroup } from "./option.ts";
import type { Arguments } from "./read_arguments.ts";

/** What a script is told besides its arguments. */
export interface Circumstances {
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
  readonly options: readonly OptionGroup[];
  /** Arguments that do something useful, each with what they do. */
  readonly examples: readonly (readonly [arguments: string, about: string])[];
  /** Does the work, and gives back the exit code. */
  run(given: Arguments, circumstances: Circumstances): Promise<number>;
}
