/** A field of a query or of options. */
export interface OptionEntry {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** A description of the default. Null if there is no default. */
  readonly default: string | null;
  readonly about: string;
}

/** A public function, type or constant, with its doc comment. */
export interface NameEntry {
  readonly name: string;
  readonly kind: "function" | "value" | "type" | "class";
  /** The section of mod.ts that contains the name. */
  readonly category: string;
  readonly about: string;
  /** The signature or type. Empty if help shows only the name. */
  readonly signature: string;
  readonly options: readonly OptionEntry[];
  readonly throws: readonly string[];
  readonly example: string | null;
  /** The name of the record that lists the columns of the returned frame. Null if there is no such record. */
  readonly record: string | null;
}

/** Help texts, generated from doc comments. A test checks that they are up to date. */
export interface Entries {
  readonly names: readonly NameEntry[];
  /** The metrics of the sample service. */
  readonly metrics: readonly string[];
}

let loading: Promise<Entries> | undefined;

/** Loads the entries on first use. */
export function loadEntries(): Promise<Entries> {
  // With a computed URL, importing the package does not load these 300 kB of text.
  loading ??= import(new URL("./entries.json", import.meta.url).href, { with: { type: "json" } })
    .then((module) => module.default as unknown as Entries);
  return loading;
}
