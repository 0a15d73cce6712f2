import { failure } from "./failure.ts";
import { type Format, MEDIA_TYPES } from "./representation.ts";

interface Entry {
  readonly value: string;
  readonly quality: number;
}

/** The entries of a header such as `Accept`, with how much each is wanted, from 0 to 1. */
function entriesOf(header: string): Entry[] {
  return header.split(",").map((entry) => {
    const [value = "", ...parameters] = entry.trim().toLowerCase().split(/\s*;\s*/);
    const given = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const quality = given === undefined || given === "" ? 1 : Number(given);
    return { value, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  });
}

/** Whether a client takes what is compressed by gzip. */
export function acceptsGzip(header: string): boolean {
  return entriesOf(header).some(({ value, quality }) =>
    (value === "gzip" || value === "*") && quality > 0
  );
}

// The most specific entry that fits says how much a type is wanted.
function qualityOf(type: string, entries: readonly Entry[]): number {
  const fitting = [type, type.replace(/\/.*/, "/*"), "*/*"]
    .map((range) => entries.find(({ value }) => value === range));
  return fitting.find((entry) => entry !== undefined)?.quality ?? 0;
}

/**
 * The form that a client wants most of those there are; the first of them where it does not mind.
 *
 * @throws {Failure} 406 when it takes none of them.
 */
export function negotiate(header: string | undefined, formats: readonly Format[]): Format {
  if (header === undefined || header.trim() === "") return formats[0]!;
  const entries = entriesOf(header);
  const wanted = formats.map((format) => qualityOf(MEDIA_TYPES[format], entries));
  const most = Math.max(...wanted);
  if (most > 0) return formats[wanted.indexOf(most)]!;
  const types = formats.map((format) => MEDIA_TYPES[format]).join(" or ");
  throw failure(406, "NOT_ACCEPTABLE", `This is answered as ${types}, which Accept excludes.`, {
    field: "Accept",
    value: header,
  });
}
