import type { DataFrame } from "../table/polars.ts";
import { writeWithSideCar } from "./side_car.ts";
import type { WriteOptions } from "./write_whole.ts";

/** The options of {@linkcode saveBytes}. */
export interface SaveBytesOptions extends WriteOptions {
  /**
   * The frame that it was made from, whose provenance and entity errors go into the side-car.
   *
   * @default {none: the side-car says that the provenance is not known}
   */
  readonly from?: DataFrame;
}

/**
 * Saves what was made from a frame, such as a drawing, beside a side-car `NAME.provenance.json` that
 * says where it came from. The file is written whole or not at all, and one that exists is kept.
 *
 * @throws {Deno.errors.AlreadyExists} when the file or its side-car exists, without `force`.
 * @throws {Deno.errors.NotFound} when there is no such folder.
 */
export async function saveBytes(
  bytes: Uint8Array | string,
  path: string,
  options: SaveBytesOptions = {},
): Promise<void> {
  const { from, ...write } = options;
  const content = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  await writeWithSideCar(path, content, from, null, write);
}
