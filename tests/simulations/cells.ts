import { type Chance, chanceOf } from "../analysis/simulated_cohorts.ts";

/** One number of a table: the share of draws in which something holds. */
export interface Cell {
  readonly table: string;
  readonly row: string;
  readonly column: string;
  /** The least and the most that the share may be. Without both, the share is only documented. */
  readonly limits?: readonly [least: number, most: number];
  /** The number of draws, if it is not 1 000. */
  readonly draws?: number;
  /** Simulates once; null where the draw has no result. */
  readonly draw: (chance: Chance) => boolean | null | Promise<boolean | null>;
}

/** The share of draws in which a cell holds, of the draws that had a result. */
export interface Share {
  readonly share: number;
  readonly draws: number;
}

const DRAWS = 1000;

/** The share of draws in which a cell holds, with a seed of its own. */
export async function shareOf(cell: Cell, draws = cell.draws ?? DRAWS): Promise<Share> {
  const seed = [...`${cell.table}${cell.row}${cell.column}`]
    .reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0) | 0, 7);
  const chance = chanceOf(seed);
  let [held, counted] = [0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const drawn = cell.draw(chance);
    const holds = drawn instanceof Promise ? await drawn : drawn;
    if (holds === null) continue;
    counted += 1;
    held += Number(holds);
  }
  return { share: held / counted, draws: counted };
}

/** Whether a share is within the limits of its cell, allowing for three standard errors of the simulation. */
export function isWithin(
  { limits: [least, most] = [0, 1] }: Cell,
  { share, draws }: Share,
): boolean {
  const error = (limit: number) => 3 * Math.sqrt(limit * (1 - limit) / draws);
  return share >= least - error(least) && share <= most + error(most);
}

/** A share in percent, with its standard error. */
export function shareText({ share, draws }: Share): string {
  const error = Math.sqrt(share * (1 - share) / draws);
  return `${(100 * share).toFixed(1)} (${(100 * error).toFixed(1)})`;
}

/** The tables of shares, in Markdown, each with the cells that are not within their limits. */
export function tablesOf(cells: readonly Cell[], shares: readonly Share[]): string {
  const all = cells.map((cell, at) => ({ cell, share: shares[at]! }));
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
