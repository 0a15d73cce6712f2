import type { DataFrame } from "../columns/polars.ts";
import { annotationOf, inputsOf } from "./provenance.ts";

/** Own data that entered an output, and its digest. */
export interface OwnData {
  readonly query: { readonly citation: string; readonly columns: readonly string[] } | {
    readonly file: string;
  };
  readonly sha256: string;
}

let watch: (own: OwnData, lock?: object | null) => void = () => {};

/** Calls a function for own data that enters an output. */
export function watchOwnData(fn: typeof watch): void {
  watch = fn;
}

/**
 * Notes the own data of a frame that enters an output: a file, a report, a chart, or a number in a text. `lock` has the
 * settings of the lock file of a connection; null for none. By default, all lock files of the process are compared.
 */
export function noteOutput(frame: DataFrame, lock?: object | null): void {
  for (const input of inputsOf(annotationOf(frame)?.provenance)) {
    if (input.kind === "given") {
      const { citation, columns, frame_sha256 } = input;
      watch({ query: { citation, columns }, sha256: frame_sha256 }, lock);
    } else if (input.kind === "unknown" && input.file !== null && input.file_sha256 !== null) {
      watch({ query: { file: input.file }, sha256: input.file_sha256 }, lock);
    }
  }
}
