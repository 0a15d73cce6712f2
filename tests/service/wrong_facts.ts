import { deepStrictEqual as equal, ok, rejects } from "node:assert/strict";
import { buildData, FactsError } from "../../lib/service/mod.ts";
import { inFolder } from "../in_folder.ts";
import { type Facts, toCsv, writeFacts } from "./facts_model.ts";
import { tinyFacts } from "./tiny_facts.ts";

type Change = (facts: Facts, folder: string) => void | Promise<void>;

const activity = (change: Record<string, unknown>): Change => (facts) =>
  void Object.assign(facts.activity[2]!, change);

/** Adds text to the file of chains. */
const chains = (text: string): Change => async (facts, folder) => {
  await Deno.writeTextFile(`${folder}/chains.csv`, toCsv(facts.chains) + text);
  facts.chains = [];
};

/** Changes of facts, and the problems that a build names. */
export const WRONG: readonly [string, Change, string[]][] = [
  [
    "a file that is missing",
    (facts) => void (facts.products = []),
    ["products: neither products.parquet nor products.csv exists in FOLDER"],
  ],
  [
    "a column that is missing, and one too many",
    (facts) => {
      facts.market_sectors = [{ market_sector_id: "s1", name: "x" }] as never;
    },
    [
      "market_sectors.csv: the column market_sector_name is missing",
      'market_sectors.csv: the column "name" is not in the layout; columns: market_sector_id, ' +
      "market_sector_name",
    ],
  ],
  [
    "a value of the wrong type",
    activity({ transaction_count: "many" }),
    ['activity.csv, row 3: transaction_count is not a whole number: "many"'],
  ],
  [
    "a count that is not a whole number",
    activity({ gas_used: 1.5 }),
    ['activity.csv, row 3: gas_used is not a whole number: "1.5"'],
  ],
  [
    "a negative count",
    (facts) => facts.activity.forEach((row) => row.transaction_count = -2),
    ['activity.csv, row 1: transaction_count is negative: "-2" (and so in 3 more rows)'],
  ],
  [
    "a negative amount of money",
    activity({ fees_usd: -0.01 }),
    ['activity.csv, row 3: fees_usd is negative: "-0.01"'],
  ],
  [
    "money that is not a number",
    activity({ revenue_usd: "NaN" }),
    ['activity.csv, row 3: revenue_usd is not a number: "NaN"'],
  ],
  [
    "a day that does not exist",
    activity({ day: "2026-02-30" }),
    ['activity.csv, row 3: day is not a calendar day (YYYY-MM-DD): "2026-02-30"'],
  ],
  [
    "a day out of range",
    activity({ day: "1969-12-31" }),
    ['activity.csv, row 3: day is not within 1970-01-01 to 2099-12-31: "1969-12-31"'],
  ],
  [
    "a daily value after the last day of activity",
    (facts) => void (facts.product_daily[0]!.day = "2026-02-01"),
    [
      "product_daily.csv, row 1: day is out of range: 2026-02-01 is after 2026-01-31, the last day " +
      "of activity",
    ],
  ],
  [
    "a count that JSON cannot carry",
    activity({ transaction_count: "9007199254740992" }),
    [
      'activity.csv, row 3: transaction_count is larger than 9007199254740991: "9007199254740992"',
    ],
  ],
  [
    "numbers and days in other forms",
    activity({
      transaction_count: "1_000",
      gas_used: " 5 ",
      fees_usd: "0x10",
      revenue_usd: "1_0.5",
      day: "2026/01/31",
    }),
    [
      'activity.csv, row 3: day is not a calendar day (YYYY-MM-DD): "2026/01/31"',
      'activity.csv, row 3: transaction_count is not a whole number: "1_000"',
      'activity.csv, row 3: gas_used is not a whole number: " 5 "',
      'activity.csv, row 3: fees_usd is not a number: "0x10"',
      'activity.csv, row 3: revenue_usd is not a number: "1_0.5"',
    ],
  ],
  [
    "a day that is a word",
    activity({ day: "epoch" }),
    ['activity.csv, row 3: day is not a calendar day (YYYY-MM-DD): "epoch"'],
  ],
  [
    "counts whose sum is too large",
    (facts) => {
      facts.activity = Array.from({ length: 1_100 }, (_, user) => ({
        ...facts.activity[0]!,
        user_address: `u${user}`,
        gas_used: Number.MAX_SAFE_INTEGER,
      }));
      facts.product_daily = [];
    },
    ["activity.csv: gas_used adds up to more than 9e18"],
  ],
  [
    "ids that no request can name",
    (facts) => {
      facts.chains.push({ chain_id: "c1,c2", chain_name: "Both" });
      facts.market_sectors.push({ market_sector_id: "all", market_sector_name: "All" });
      facts.products.push({ product_id: "..", product_name: "Up", project_id: "p1" });
      facts.projects.push({
        project_id: "p3 ",
        project_name: "Three",
        market_sector_id: "s1",
        symbol: null,
      });
    },
    [
      "chains.csv, row 2: chain_id",
      "market_sectors.csv, row 2: market_sector_id",
      "projects.csv, row 3: project_id",
      "products.csv, row 3: product_id",
    ]
      .map((where, index) =>
        `${where} is not a valid id: no comma, no blank at either end, not all, . or ..: ` +
        JSON.stringify(["c1,c2", "all", "p3 ", ".."][index])
      ),
  ],
  [
    "a value that is missing",
    activity({ user_address: null }),
    ["activity.csv, row 3: user_address is missing"],
  ],
  [
    "a duplicate key",
    (facts) => void facts.activity.push(facts.activity[0]!),
    [
      "activity.csv, row 5: the key (day, user_address, chain_id, account_address) repeats that " +
      "of row 1: 2026-01-30, u1, c1, 0xa",
    ],
  ],
  [
    "a contract of no project",
    (facts) => void (facts.contracts[1]!.product_id = "x9"),
    ["contracts.csv, row 2: refers to no known project: product_id x9 is not in products"],
  ],
  [
    "activity of no contract",
    activity({ account_address: "0xz" }),
    [
      "activity.csv, row 3: refers to no known contract: chain_id, account_address c1, 0xz is not in contracts",
    ],
  ],
  ["a row that is too long", chains("c2,Two,3,4\n"), [
    "chains.csv, row 2: expected 2 fields as in the header; got more",
  ]],
  ["a row that is too short", chains("c2\nc3,Three\n"), [
    "chains.csv, row 2: expected 2 fields as in the header; got 1",
  ]],
  [
    "a short row after a line break within a field, and after many rows",
    chains('c2,"Two\nand"\n' + "c3,Three\n".repeat(30_000) + "c4\n"),
    ["chains.csv, row 30003: expected 2 fields as in the header; got 1"],
  ],
  [
    "an open quotation mark",
    chains('c2,"Two\nc3,Three\n'),
    ["chains.csv, row 2: a quotation mark is not closed, or does not enclose the whole field"],
  ],
  [
    "two files of one table",
    async (facts, folder) => {
      await Deno.writeTextFile(`${folder}/chains.parquet`, "");
      equal(facts.chains.length, 1);
    },
    ["chains: both a .parquet and a .csv file exist"],
  ],
];

/** Builds wrong facts: each error is named, and the existing file is kept. */
export function refuseWrong(wrong: typeof WRONG): Promise<void> {
  return inFolder(async (folder) => {
    for (const [what, change, problems] of wrong) {
      const facts = tinyFacts();
      const path = `${folder}/facts`;
      await Deno.mkdir(path);
      await change(facts, path);
      await writeFacts(path, facts);
      await Deno.writeTextFile(`${folder}/data.duckdb`, "old");
      await rejects(buildData({ facts: path, out: `${folder}/data.duckdb` }), (error: unknown) => {
        ok(error instanceof FactsError, what);
        equal([what, error.problems.length], [what, problems.length]);
        equal(error.problems, problems.map((problem) => problem.replace("FOLDER", path)));
        return true;
      });
      equal(await Deno.readTextFile(`${folder}/data.duckdb`), "old");
      await Deno.remove(path, { recursive: true });
    }
    equal([...Deno.readDirSync(folder)].map(({ name }) => name), ["data.duckdb"]);
  });
}
