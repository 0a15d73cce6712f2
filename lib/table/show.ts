import type { DataFrame } from "./polars.ts";
import { noteStep } from "./provenance.ts";
import { remember } from "./remember.ts";

export type { MimeBundle } from "./display.ts";

/**
 * Gives a frame a display of its own, in notebooks and when it is printed: shape, dtypes, the first
 * and last rows, and where it came from. Frames that polars makes from it have it, too, and know where they
 * came from.
 *
 * polars' own display has no plain text, and a mime type that some notebooks show as an empty cell.
 */
export function show(frame: DataFrame): DataFrame {
  return remember(frame);
}

/**
 * Hands the provenance and the entity errors of one frame on to a frame computed from it by the function of
 * this name, so that `provenanceOf` and `errorsOf` know the result, and gives the result its display.
 * A frame of another origin hands on none.
 */
export function carry(from: DataFrame, to: DataFrame, name: string): DataFrame {
  const made = remember(to);
  noteStep([remember(from), made], made, name);
  return made;
}
