import { PLANTED } from "../../lib/service/sample/entities.ts";
import world from "../../lib/service/sample/world.json" with { type: "json" };
import { logit, meanShare } from "../simulations/worlds.ts";

/** The market sectors of the sample. */
export const SECTORS = world.sectors;

/** The true retention of a sector in a month: the mean over its projects. */
export function truthOf(
  { retention, tau }: { readonly retention: number; readonly tau: number },
  month: number,
): number {
  return meanShare(logit(retention) - 0.45 * Math.log(month), tau);
}

/** The id that the sample gives to a name. */
function idOf(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

/** The first month of each project of the program, by id. */
export const STARTS: Readonly<Record<string, string>> = Object.fromEntries(
  world.projects.flatMap(({ project_name, program }) =>
    program === undefined ? [] : [[idOf(project_name), program]]
  ),
);

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [columns, columns.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const { deposits, program, joiners, mix } = PLANTED;

/** The true retention of each sector, in Markdown. */
export const TRUTH_TABLE = table(
  ["sector", "tau", "month 1", "month 3", "month 6"],
  SECTORS.flatMap((sector) => {
    const row = (name: string, retention: number) => [
      ...[name, String(sector.tau)],
      ...[1, 3, 6].map((month) => truthOf({ ...sector, retention }, month).toFixed(3)),
    ];
    const { market_sector_name: name, market_sector_id, retention } = sector;
    return market_sector_id === joiners.market_sector_id
      ? [
        row(`${name}, first used before ${joiners.month}`, retention),
        row(`${name}, later`, joiners.retention),
      ]
      : [row(name, retention)];
  }),
);

const percent = (factor: number) => `+${Math.round(100 * (factor - 1))}%`;
const waves = [...new Set(Object.values(STARTS))].map((day) => day.slice(0, 7)).join(" and ");

/** The effects that are planted in the sample, in Markdown. */
export const PLANTED_TABLE = table(["effect", "from", "found by"], [
  [
    `deposits on \`${deposits.chain_id}\`: ${percent(deposits.factor)}`,
    deposits.day,
    "`counterfactual`",
  ],
  [
    `fees of ${Object.keys(STARTS).length} projects of a program: ${percent(program.factor)}`,
    waves,
    "`eventStudy`",
  ],
  [
    `retention of new users of \`${joiners.market_sector_id}\`: see above`,
    joiners.month,
    "`cohortTrend`",
  ],
  [
    `\`${mix.project_id}\`: the share of users on \`${mix.chain_id}\`, where a user pays more, grows; fees ` +
    "per user are constant on each chain",
    "2024-01",
    "`decompose`",
  ],
  [
    "Gaming and Derivatives have equal retention, and Lending about twice that of Exchanges",
    "2024-01",
    "`compareRetention`",
  ],
]);
