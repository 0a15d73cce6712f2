import type { Meaning } from "../schema/meanings.ts";

/** A member of a query or of options. */
export interface OptionEntry {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** null where there is none to tell. */
  readonly default: string | null;
  readonly about: string;
}

/** A public name, as its doc comment describes it. */
export interface NameEntry {
  readonly name: string;
  readonly kind: "function" | "value" | "type" | "class";
  /** The heading of mod.ts that it stands under. */
  readonly category: string;
  readonly about: string;
  /** How it is called, or what it is; empty where the name says it all. */
  readonly signature: string;
  readonly options: readonly OptionEntry[];
  readonly throws: readonly string[];
  readonly example: string | null;
  /** The record whose fields are the columns of its frame. */
  readonly record: Meaning["record"] | null;
}

/** A metric of the sample service. */
export interface MetricEntry {
  readonly metric_id: string;
  readonly unit: string;
  readonly about: string;
  /** How it behaves over days, and what null means then. */
  readonly kind: string;
  readonly null: string;
}

/** What help knows: generated from doc comments and schema, and held to them by a test. */
export interface Entries {
  readonly names: readonly NameEntry[];
  readonly fields: readonly Meaning[];
  readonly metrics: readonly MetricEntry[];
}

let loading: Promise<Entries> | undefined;

/** Loads the entries when they are first asked for. */
export function loadEntries(): Promise<Entries> {
  loading ??= import("./entries.json", { with: { type: "json" } })
    .then((module) => module.default as unknown as Entries);
  return loading;
}
