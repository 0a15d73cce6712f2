import { type Arguments, UsageError } from "./arguments.ts";

/** How much memory the reading of facts may hold: `--memory`. */
export function memoryOf(given: Arguments): string | undefined {
  const text = given.one("memory");
  if (text === undefined || /^\d+(\.\d+)?(MB|GB|TB)$/.test(text)) return text;
  throw new UsageError(`--memory: must be an amount such as 512MB or 2GB: ${text}`);
}

/** The first day that is read: `--since`. */
export function sinceOf(given: Arguments): string | undefined {
  const text = given.one("since");
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text;
  throw new UsageError(`--since: must be a day of the calendar, YYYY-MM-DD: ${text}`);
}
