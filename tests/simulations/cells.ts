import { type Chance, chanceOf } from "../analysis/simulated_cohorts.ts";

/** A draw: whether something holds, or the two parts of a ratio of sums. */
type Draw = boolean | readonly [part: number, whole: number];

/** What a world can vary, beside chance. */
export const VARIATIONS = ["units", "months", "sizes", "volatility", "births", "donors"] as const;
type Variation = typeof VARIATIONS[number];

/** The claims of docs/coverage.md, and what the worlds behind each must vary. */
export const CLAIMS = {
  "bounds of `pooledRetention`": ["units", "months", "sizes", "births"],
  "p of `compareRetention`": ["units", "months", "sizes", "volatility", "births"],
  "p of `compareRetention`, paired": ["units", "months", "sizes", "births"],
  "p of `compareRetention`, blocks of cohorts": ["months", "volatility"],
  "`detectable`": ["units", "months"],
  "bounds of amounts": ["units", "sizes", "months"],
  "bounds of `cumulative`": ["units", "months"],
  "bounds of `forecastRetention`": ["units", "months", "sizes", "births"],
  "p of `cohortTrend`": ["months", "volatility", "births"],
  "p and bounds of `counterfactual`": ["units", "volatility", "donors"],
  "`fit` of `counterfactual`": ["units", "donors"],
  "p and bounds of `eventStudy`": ["units", "months", "sizes", "volatility"],
  '`eventStudy` with `scale: "total"`': ["sizes", "volatility"],
  "slopes of `eventStudy`": ["units", "months"],
} as const satisfies Readonly<Record<string, readonly Variation[]>>;
type Claim = keyof typeof CLAIMS;

/** Returns what a cell says: the claim that it tests, and what varies in its world. */
export function about(claim: Claim, ...varies: Variation[]) {
  return { claim, varies };
}

/** Returns what varies in the world of a cell that tests no claim. */
export function among(...varies: Variation[]) {
  return { varies };
}

/** One number of a table: the share of draws in which something holds, or a ratio of sums over draws. */
export interface Cell {
  readonly table: string;
  readonly row: string;
  readonly column: string;
  /** The claim that the cell tests. Without one, the number is only documented. */
  readonly claim?: Claim;
  /** What varies in the world of the cell. */
  readonly varies: readonly Variation[];
  /** The least and the most that the number may be. Without both, it is only documented. */
  readonly limits?: readonly [least: number, most: number];
  /** The number of draws, if it is not 1 000. */
  readonly draws?: number;
  /** Whether the cell takes minutes. Such cells begin first. */
  readonly isSlow?: boolean;
  /** Simulates once; null where the draw has no result. */
  readonly draw: (chance: Chance) => Draw | null | Promise<Draw | null>;
}

/** The number of a cell, with its standard error. */
export interface Share {
  readonly share: number;
  readonly error: number;
  readonly draws: number;
  /** Whether draws are parts of a ratio, which is not written in percent. */
  readonly isRatio: boolean;
}

const DRAWS = 1000;

/** The number of a cell, of the draws that had a result, with a seed of its own. */
export async function shareOf(cell: Cell, draws = cell.draws ?? DRAWS): Promise<Share> {
  const seed = [...`${cell.table}${cell.row}${cell.column}`]
    .reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0) | 0, 7);
  const chance = chanceOf(seed);
  const found: (readonly [number, number])[] = [];
  let isRatio = false;
  for (let draw = 0; draw < draws; draw++) {
    const drawn = cell.draw(chance);
    const each = drawn instanceof Promise ? await drawn : drawn;
    if (each === null) continue;
    isRatio = typeof each !== "boolean";
    found.push(typeof each === "boolean" ? [Number(each), 1] : each);
  }
  const sum = (of: (pair: readonly [number, number]) => number) =>
    found.reduce((total, pair) => total + of(pair), 0);
  const whole = sum(([, whole]) => whole);
  const share = sum(([part]) => part) / whole;
  const error = Math.sqrt(sum(([part, whole]) => (part - share * whole) ** 2)) / whole;
  return { share, error, draws: found.length, isRatio };
}

/** Whether a number is within the limits of its cell, allowing for three standard errors of the simulation. */
export function isWithin(
  { limits: [least, most] = [-Infinity, Infinity] }: Cell,
  { share, error, draws, isRatio }: Share,
): boolean {
  const reach = (limit: number) =>
    3 * (isRatio || !isFinite(limit) ? error : Math.sqrt(limit * (1 - limit) / draws));
  return share >= least - reach(least) && share <= most + reach(most);
}

/** A number, in percent if it is a share, with its standard error. */
export function shareText({ share, error, isRatio }: Share): string {
  const text = (value: number) => isRatio ? value.toFixed(2) : (100 * value).toFixed(1);
  return `${text(share)} (${text(error)})`;
}

/** The tables of shares, in Markdown, each with the cells that are not within their limits. */
export function tablesOf(cells: readonly Cell[], shares: readonly Share[]): string {
  const all = cells.map((cell, at) => ({ cell, share: shares[at]! }))
    .filter(({ share }) => share !== undefined);
  return [...Map.groupBy(all, ({ cell }) => cell.table)].map(([title, own]) => {
    const columns = [...new Set(own.map(({ cell }) => cell.column))];
    const rows = [...Map.groupBy(own, ({ cell }) => cell.row)].map(([row, values]) => {
      const texts = columns.map((column) => {
        const found = values.find(({ cell }) => cell.column === column);
        return found === undefined ? "" : shareText(found.share);
      });
      return `| ${[row, ...texts].join(" | ")} |`;
    });
    return [
      `${title}:`,
      "",
      `| | ${columns.join(" | ")} |`,
      `|---|${columns.map(() => "---|").join("")}`,
      ...rows,
    ].join("\n");
  }).join("\n\n");
}

/** The key of a cell in the files of rates. */
const keyOf = (cell: Pick<Cell, "table" | "row" | "column">) =>
  JSON.stringify([cell.table, cell.row, cell.column].map((text) => text.replace(/\s+/g, " ")));

const quoted = (text: string) => /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A rate as it is kept: in percent if it is a share, with its standard error and the number of draws behind it. */
interface Kept {
  readonly rate: string;
  readonly error: string;
  readonly draws: number;
}

/** The rates of cells, by cell. */
export type Rates = ReadonlyMap<string, Kept>;

/** Whether a rate of a cell is kept. */
export function isKept(cell: Cell, rates: Rates): boolean {
  return rates.has(keyOf(cell));
}

/** The rates of cells as CSV: those that were simulated, and for the other cells those that are kept. */
export function ratesText(
  cells: readonly Cell[],
  shares: readonly (Share | undefined)[],
  kept: Rates = new Map(),
): string {
  const lines = cells.map((cell, at) => {
    const share = shares[at];
    const [rate, error] = share ? shareText(share).slice(0, -1).split(" (") : [];
    const old = kept.get(keyOf(cell));
    const values = share ? [rate, error, share.draws] : [old?.rate, old?.error, old?.draws];
    const texts = [cell.table, cell.row, cell.column].map((text) =>
      quoted(text.replace(/\s+/g, " "))
    );
    return [...texts, ...values];
  });
  const header = ["table", "row", "column", "rate", "error", "draws"];
  return [header, ...lines].map((line) => `${line.join(",")}\n`).join("");
}

/** The rates that a file of them has, by cell. */
export function ratesIn(text: string): Rates {
  const rows = text.trimEnd().split("\n").slice(1).map((line) =>
    [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
      .map(([, inQuotes, plain]) => inQuotes?.replaceAll('""', '"') ?? plain!)
  );
  return new Map(
    rows.map(([table, row, column, rate, error, draws]) => [
      keyOf({ table: table!, row: row!, column: column! }),
      { rate: rate!, error: error!, draws: Number(draws) },
    ]),
  );
}

/** Whether the kept rate of a cell is within its limits. Undefined without a rate or limits. */
export function isKeptWithin(cell: Cell, rates: Rates): boolean | undefined {
  const kept = rates.get(keyOf(cell));
  if (kept === undefined || cell.limits === undefined) return undefined;
  const share = { share: Number(kept.rate) / 100, error: 0, draws: kept.draws, isRatio: false };
  return isWithin(cell, share);
}

/** The number of cells of a claim that have limits and a rate, and of those that are within their limits. */
function withinText(cells: readonly Cell[], rates: Rates): string {
  const bounded = cells.map((cell) => isKeptWithin(cell, rates)).filter((is) => is !== undefined);
  const within = bounded.filter((is) => is);
  return bounded.length === 0 ? "" : `${within.length} of ${bounded.length}`;
}

/**
 * The number of worlds of each claim in which each variation occurs, and how many of their rates are within the limits
 * that the cells state, in Markdown.
 *
 * @throws {RangeError} for a claim on what no world varies.
 */
export function claimsOf(
  cells: readonly Cell[],
  rates: Rates = new Map(),
): string {
  const rows = Object.entries(CLAIMS).map(([claim, needed]) => {
    const own = cells.filter((cell) => cell.claim === claim);
    const counts = VARIATIONS.map((variation) =>
      own.filter(({ varies }) => varies.includes(variation)).length
    );
    const missing = needed.filter((variation) => counts[VARIATIONS.indexOf(variation)] === 0);
    if (missing.length > 0) {
      throw new RangeError(`simulate: ${claim}: no world varies ${missing.join(", ")}`);
    }
    const texts = counts.map((count) => count || "");
    return `| ${[claim, ...texts, withinText(own, rates)].join(" | ")} |`;
  });
  return [
    `| claim | ${VARIATIONS.join(" | ")} | within limits |`,
    `|---|${VARIATIONS.map(() => "---|").join("")}---|`,
    ...rows,
  ].join("\n");
}
