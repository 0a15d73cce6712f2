// The three spellings of a date in HTTP, the newest first; the last one has no zone and means GMT.
const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
] as const;

function dateOf(text: string): number | null {
  // Date.parse alone reads a date into almost anything.
  if (!DATES.some((pattern) => pattern.test(text))) return null;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}

/**
 * How long an answer asks to wait, in milliseconds: `Retry-After` in seconds or as a date; null where it
 * says nothing that can be read. A date is measured from the answer's own `Date`, so that a machine whose
 * clock is wrong waits no longer.
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const until = dateOf(text);
  if (until === null) return null;
  const from = dateOf(headers.get("date")?.trim() ?? "") ?? now;
  return Math.max(0, until - from);
}
