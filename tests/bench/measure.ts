/** What a measurement is to come to. */
export interface Reach {
  /** The largest ratio. */
  readonly ratio?: number;
  /** The ratio to aim at, where a larger one is just good enough. */
  readonly aim?: number;
  /** The maximum ratio to the baseline. */
  readonly more?: number;
  /** The maximum value, independent of the baseline. */
  readonly most?: number;
}

/** A value and its baseline, measured in the same run. */
export interface Measured {
  readonly what: string;
  readonly against: string;
  /** The median, in milliseconds; in megabytes where `unit` says so. */
  readonly ms: number;
  /** The median of what it is held against. */
  readonly base: number;
  readonly unit?: "ms" | "MB" | "power" | "s CPU" | "B";
  readonly reach?: Reach;
  /** Why nothing was measured. */
  readonly skipped?: string;
}

/** The middle of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** The median milliseconds of several ways to do something, run in turn so that a slow moment hits all. */
export async function inTurn(
  runs: number,
  ways: readonly (() => Promise<unknown> | unknown)[],
): Promise<number[]> {
  const times: number[][] = ways.map(() => []);
  for (let run = -1; run < runs; run++) {
    for (const [index, way] of ways.entries()) {
      const start = performance.now();
      await way();
      // The first round warms up.
      if (run >= 0) times[index]!.push(performance.now() - start);
    }
  }
  return times.map(median);
}

/** What something took at a size. */
export interface Sized {
  readonly size: number;
  readonly ms: number;
}

/** The power of its size with which something grows: the slope of a line through the logarithms. */
function powerOf(sized: readonly Sized[]): number {
  const points = sized.map(({ size, ms }) => [Math.log(size), Math.log(ms)] as const);
  const mean = (place: 0 | 1) =>
    points.reduce((sum, point) => sum + point[place], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const along = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return along / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

/** What something takes at growing sizes, each against the one before, and the power with which it grows. */
export function growth(
  what: string,
  sized: readonly Sized[],
  about: Pick<Measured, "unit" | "reach"> = {},
): Measured[] {
  const { unit = "ms", ...reach } = about;
  return [
    ...sized.slice(1).map(({ size, ms }, before) => ({
      what: `${what} x ${size / sized[0]!.size}`,
      against: `x ${sized[before]!.size / sized[0]!.size}`,
      ms,
      base: sized[before]!.ms,
      unit,
    })),
    {
      what: `${what}: power`,
      against: "linear",
      ms: powerOf(sized),
      base: 1,
      unit: "power",
      ...reach,
    },
  ];
}

/** Whether a measurement meets its target; null without a target or a measurement. */
export function isReached({ ms, base, reach, skipped }: Measured): boolean | null {
  if (reach === undefined || skipped !== undefined) return null;
  const { ratio = Infinity, more = Infinity, most = Infinity } = reach;
  return ms / base <= ratio && ms - base <= more && ms <= most;
}

function reachWords({ reach = {}, unit = "ms" }: Measured): string {
  const { ratio, aim, more, most } = reach;
  return [
    aim === undefined ? "" : `${aim.toFixed(2)}`,
    ratio === undefined ? "" : `≤ ${ratio.toFixed(2)}`,
    more === undefined ? "" : `≤ ${more} ${unit} more`,
    most === undefined ? "" : `≤ ${most} ${unit}`,
  ].filter((words) => words !== "").join(", ");
}

function cellsOf(measured: Measured): string[] {
  const { what, against, ms, base, unit = "ms", skipped } = measured;
  if (skipped !== undefined) return [what, against, skipped, "", "", "", ""];
  const held = isReached(measured);
  const digits = (value: number) => unit === "power" || unit === "s CPU" ? 2 : value < 100 ? 1 : 0;
  const shown = (value: number) => `${value.toFixed(digits(value))} ${unit}`;
  const mark = held === null ? "" : held ? "yes" : "NO";
  return [
    what,
    against,
    shown(ms),
    shown(base),
    (ms / base).toFixed(2),
    reachWords(measured),
    mark,
  ];
}

/** Returns the measurements as CSV, with numbers in full. */
export function csvOf(
  measured: readonly (Measured & { readonly section: string })[],
): string {
  const text = (value: unknown) =>
    typeof value === "string" && /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const number = (value: number) => Number.isFinite(value) ? Number(value.toPrecision(4)) : "";
  const rows = measured.map((each) => {
    const held = isReached(each);
    return [
      ...[each.section, each.what, each.against, each.unit ?? "ms", number(each.ms)],
      ...[number(each.base), number(each.ms / each.base), reachWords(each)],
      each.skipped ?? (held === null ? "" : held ? "yes" : "no"),
    ];
  });
  const head = ["section", "case", "baseline", "unit", "value", "baseline_value", "ratio"];
  return [[...head, "target", "met"], ...rows].map((row) => `${row.map(text).join(",")}\n`).join(
    "",
  );
}

const HEADINGS = ["case", "baseline", "value", "baseline value", "ratio", "target", "met"];

/**
 * Formats the measurements as a table, for the terminal and for Markdown. Short runs omit the targets, because
 * they use small data without warm-up.
 */
export function printed(measured: readonly Measured[], short = false): string {
  const rows = [HEADINGS, ...measured.map(cellsOf)]
    .map((cells) => short ? cells.slice(0, 5) : cells);
  const widths = rows[0]!.map((_, place) => Math.max(...rows.map((row) => row[place]!.length)));
  const isNumber = (place: number) => place >= 2 && place <= 4;
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const [headings, ...lines] = rows.map((row) =>
    line(
      row.map((cell, place) =>
        isNumber(place) ? cell.padStart(widths[place]!) : cell.padEnd(widths[place]!)
      ),
    )
  );
  const rule = line(
    widths.map((width, place) => isNumber(place) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)),
  );
  return [headings, rule, ...lines].join("\n");
}
