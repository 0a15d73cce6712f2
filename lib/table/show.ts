import { annotationOf } from "./annotation.ts";
import { excerptOf } from "./excerpt.ts";
import { htmlTable } from "./html_table.ts";
import { plainTable } from "./plain_table.ts";
import type { DataFrame } from "./polars.ts";
import { sourceLine } from "./source_line.ts";

/** The forms of a display, by mime type. */
export interface MimeBundle {
  /** The content of one mime type. */
  readonly [type: string]: unknown;
}

function noteOf(frame: DataFrame): string | null {
  const annotation = annotationOf(frame);
  return annotation === undefined ? null : sourceLine(annotation);
}

/**
 * Gives a frame a display of its own, in notebooks and when it is printed: shape, dtypes, the first
 * and last rows, and where it came from. The frame itself stays as it is; frames that polars makes
 * from it have polars' display, until they are shown, too.
 *
 * polars' own display has no plain text, and a mime type that some notebooks show as an empty cell.
 */
export function show(frame: DataFrame): DataFrame {
  const plain = () => plainTable(excerptOf(frame), noteOf(frame));
  const bundle = (): MimeBundle => ({
    "text/html": htmlTable(excerptOf(frame), noteOf(frame)),
    "text/plain": plain(),
  });
  return Object.assign(frame, {
    [Symbol.for("Jupyter.display")]: bundle,
    [Symbol.for("Deno.customInspect")]: plain,
    [Symbol.for("nodejs.util.inspect.custom")]: plain,
  });
}
