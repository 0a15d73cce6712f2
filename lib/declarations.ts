/**
 * The types behind the signatures of the main module: the parts of options, and the results of functions. Code that
 * calls a function does not need them. A library that passes them on can import them here.
 *
 * ```ts
 * import { cell } from "@chainframe/chainframe";
 * import type { Cell } from "@chainframe/chainframe/declarations";
 *
 * const textOf = ({ text }: Cell) => text;
 * console.log(typeof cell, typeof textOf);
 * ```
 *
 * @module
 */
import "./platform/node.ts";

// Connection: parts of the options of `connect`.
export type { CacheOptions, LockOptions } from "./http/settings.ts";

// Operations: what queries have in common, and the result of `catalog`.
export type { DatasetQuery } from "./operations/dataset_query.ts";
export type { Catalog } from "./operations/catalog.ts";

// Frames: the kinds of provenance.
export type {
  CombinedProvenance,
  GivenProvenance,
  ResponseProvenance,
  UnknownProvenance,
} from "./table/track/provenance.ts";

// Analysis: frames that only some functions accept, and the options of groups of time.
export type { AtStage, Staged } from "./analysis/retention/stage.ts";
export type { CohortOptions } from "./analysis/retention/retention_groups.ts";

// Analysis: values by id, such as the starts of a program.
export type { ById } from "./analysis/programs/starts.ts";

// Output: the arguments and results of `save`, `md`, `cell` and `report`.
export type { Drawable } from "./output/save.ts";
export type { Markdown } from "./output/markdown.ts";
export type { Cell } from "./output/cell.ts";
export type { TableOptions } from "./output/table_options.ts";
export type { Report } from "./output/report.ts";

// Vocabulary: the fields of responses.
export type { Fields } from "./schema/records.ts";
