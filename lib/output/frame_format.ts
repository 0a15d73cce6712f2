/** The forms that a frame can be written in. */
export const FRAME_FORMATS = ["csv", "ndjson", "json", "parquet", "arrow", "markdown"] as const;

/** A form that a frame can be written in. */
export type FrameFormat = typeof FRAME_FORMATS[number];

/** The endings of file names, and the forms that they stand for. */
const ENDINGS: ReadonlyMap<string, FrameFormat> = new Map([
  ["csv", "csv"],
  ["ndjson", "ndjson"],
  ["jsonl", "ndjson"],
  ["json", "json"],
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["ipc", "arrow"],
  ["feather", "arrow"],
  ["md", "markdown"],
]);

/** The form that the ending of a path names; undefined when it names none. */
export function formatOf(path: string): FrameFormat | undefined {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1];
  return ending === undefined ? undefined : ENDINGS.get(ending.toLowerCase());
}

/** The endings of file names that name a form: `.csv`, `.parquet` … */
export const FRAME_ENDINGS: readonly string[] = [...ENDINGS.keys()].map((ending) => `.${ending}`);
