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
