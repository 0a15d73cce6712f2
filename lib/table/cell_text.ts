const LONGEST = 60;

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const significant = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4 });

function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(3);
  return size >= 1_000 || Number.isInteger(value)
    ? grouped.format(value)
    : significant.format(value);
}

function shortened(text: string): string {
  const line = text.replace(/\s+/gu, " ");
  return line.length > LONGEST ? `${Array.from(line).slice(0, LONGEST - 1).join("")}…` : line;
}

/** The text of a cell for reading: numbers grouped and rounded, long texts cut, null as `null`. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return shortened(value);
  if (value instanceof Date) return value.toISOString().replace("T00:00:00.000Z", "");
  if (typeof value === "object") return shortened(JSON.stringify(value));
  return String(value);
}
