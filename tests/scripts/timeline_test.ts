import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { connect, growthRates, indexed, rollingMean, timeline } from "../../mod.ts";
import { frameBytes } from "../../lib/output/encode.ts";
import { liveService } from "./live_service.ts";
import { inFolder, runOnTerminal, runScript, testEveryOption } from "./run_script.ts";

const TIMELINE = "timeline.ts";
const ASKED = [
  "--metric-ids",
  "fees",
  "--group-by",
  "chains",
  "--from",
  "2025-11",
  "--to",
  "2026-02",
];

const live = await liveService();
const { env } = live;
const connection = connect({
  baseUrl: env.CHAINFRAME_BASE_URL,
  token: env.CHAINFRAME_TOKEN,
  onMissing: "ignore",
});
const QUERY = {
  metric_ids: ["fees"],
  group_by: "chains",
  every: "month",
  from: "2025-11",
  to: "2026-02",
} as const;

Deno.test("timeline.ts writes the timeline, with growth, index or mean of one column", async () => {
  const frame = await timeline(QUERY, connection);
  const field = "fees_sum";
  const cases = [
    [[], frame],
    [["--every", "month", "--settle", "3", "--field", field], frame],
    [["--as", "growth"], growthRates(frame, { field })],
    [
      ["--as", "growth", "--periods", "year", "--per", "period"],
      growthRates(frame, { field, periods: "year", per: "period" }),
    ],
    [["--as", "index", "--base", "2025-12"], indexed(frame, { field, base: "2025-12" })],
    [
      ["--as", "mean,growth", "--periods", "2"],
      growthRates(rollingMean(frame, { field, periods: 2 }), { field, periods: 2 }),
    ],
  ] as const;
  for (const [args, expected] of cases) {
    const { code, stdout, stderr } = await runScript(TIMELINE, [...ASKED, ...args], { env });
    deepStrictEqual([code, stderr], [0, ""]);
    strictEqual(stdout, new TextDecoder().decode(frameBytes(expected, "csv")), args.join(" "));
  }
});

Deno.test("timeline.ts filters by ids, reports missing ones, and writes files", () =>
  inFolder(async (folder) => {
    const files = [`${folder}/a.svg`, `${folder}/a.parquet`, `${folder}/missing.csv`];
    const { code, stderr } = await runScript(TIMELINE, [
      ...[
        "--metric-ids",
        "fees",
        "--group-by",
        "chain-project",
        "--from",
        "2026",
        "--every",
        "quarter",
      ],
      ...[
        "--to",
        "2026-03",
        "--chain-ids",
        "alder,nowhere",
        "--project-ids",
        "tidewater",
        "--as",
        "rank",
      ],
      ...[
        "--market-sector-ids",
        "lending,exchanges-dex",
        "--product-ids",
        "tidewater-swap,tidewater-pools",
      ],
      ...["--out", files[0]!, "--out", files[1]!, "--errors", files[2]!, "--on-missing", "warn"],
      ...["--colors", `${folder}/colors.json`],
    ], { env });
    match(stderr, /nowhere/);
    strictEqual(code, 0, stderr);
    match(await Deno.readTextFile(`${folder}/colors.json`), /"tidewater": \d+/);
    match(await Deno.readTextFile(files[2]!), /chain_ids,nowhere/);
    const plain = await runScript(TIMELINE, [
      ...[
        ...ASKED,
        "--as",
        "rank",
        "--as",
        "index",
        "--out",
        files[0]!,
        "--format",
        "csv",
        "--force",
      ],
    ], { env });
    strictEqual(plain.code, 0, plain.stderr);
  }));

Deno.test("timeline.ts requests with a cache only periods that may have changed", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/token`, env.CHAINFRAME_TOKEN, { mode: 0o600 });
    const args = [...ASKED, "--cache", `${folder}/answers`, "--token-file", `${folder}/token`];
    const { CHAINFRAME_BASE_URL } = env;
    const first = await runScript(TIMELINE, args, { env: { CHAINFRAME_BASE_URL } });
    strictEqual(first.code, 0, first.stderr);
    const times = () =>
      [...Deno.readDirSync(`${folder}/answers`)].map(({ name }) =>
        `${name} ${Deno.statSync(`${folder}/answers/${name}`).mtime?.getTime()}`
      ).sort();
    const before = times();
    strictEqual((await runScript(TIMELINE, args, { env: { CHAINFRAME_BASE_URL } })).code, 0);
    deepStrictEqual(times(), before);
    const offline = await runScript(TIMELINE, [
      ...args,
      "--offline",
      "--data-lock",
      `${folder}/lock`,
      "--update-lock",
    ]);
    deepStrictEqual([offline.code, offline.stdout], [0, first.stdout]);
    strictEqual((await runScript(TIMELINE, [...args, "--refresh"], { env })).code, 0);
  }));

Deno.test("timeline.ts exits with 2 for wrong arguments", async () => {
  const cases: [args: string[], told: RegExp][] = [
    [[], /--metric-ids: is required/],
    [ASKED.slice(0, 2), /--group-by: is required/],
    [ASKED.slice(0, 4), /--from: is required/],
    [[...ASKED, "--every", "fortnight"], /--every: must be one of day, week/],
    [[...ASKED, "--settle", "few"], /--settle: must be a whole number/],
    [[...ASKED, "--as", "ratio"], /--as: must be one of value, index, growth, mean, rank/],
    [[...ASKED, "--as", "mean"], /: --periods: is required: the distance in time$/m],
    [[...ASKED, "--as", "growth", "--periods", "0"], /: --periods: must be a whole number/],
    [[...ASKED, "--field", "tvl"], /--field: must be one of fees_sum/],
    [["--metric-ids", "fees", "--group-by", "chains", "--from", "2026-02-30"], /that exists/],
  ];
  for (const [args, told] of cases) {
    const { code, stderr } = await runScript(TIMELINE, args, { env });
    deepStrictEqual([code, told.test(stderr)], [2, true], stderr);
  }
});

Deno.test("timeline.ts shows a summary in a terminal, in 80 columns", async () => {
  const options = { env: { ...env, NO_COLOR: "1" } };
  const { screen } = await runOnTerminal(TIMELINE, [...ASKED, "--debug"], options);
  // The source below the table can be longer.
  const lines = screen.split("\n").filter((line) => !line.includes(" · "));
  ok(lines.every((line) => line.length <= 80), screen);
  match(screen, /date +data_id +fees_sum/);
});

const CITED = ["--citation", "Own node", "--license", "CC0"];

function daysOf(protocol: string, fee: number): string[] {
  return Array.from({ length: 90 }, (_, day) => {
    const date = new Date(Date.UTC(2025, 0, 1 + day)).toISOString().slice(0, 10);
    return `${protocol},${date},${fee}`;
  });
}

Deno.test("timeline.ts makes months of daily rows of --table, and draws them with the options of charts", () =>
  inFolder(async (folder) => {
    const rows = [...daysOf("aa", 2), ...daysOf("bb", 1)];
    const table = `${folder}/fees.csv`;
    await Deno.writeTextFile(table, `protocol,date,fees_usd\n${rows.join("\n")}\n`);
    const args = [
      "--table",
      table,
      ...CITED,
      "--column-unit",
      "fees_usd=usd",
      "--entity",
      "protocol",
    ];
    const charts = [
      ...["--title", "2025", "--theme", "dark", "--width", "400", "--limit", "1"],
      ...["--locale", "de-DE", "--out", `${folder}/fees.svg`, "--out", `${folder}/months.csv`],
    ];
    const ended = await runScript("timeline.ts", [
      ...[...args, "--date", "date"],
      "--every",
      "month",
      "--how",
      "sum",
      ...charts,
    ]);
    strictEqual(ended.code, 0, ended.stderr);
    const months = (await Deno.readTextFile(`${folder}/months.csv`)).split("\n");
    match(months[1]!, /2025-01-01,2025-01-31,true,aa,62(\.0)?,31/);
    const svg = await Deno.readTextFile(`${folder}/fees.svg`);
    match(svg, /width="400"/);
    match(svg, /<title>2025<\/title>/);
    match(await Deno.readTextFile(`${folder}/fees.svg.provenance.json`), /Own node[^]*CC0/);
  }));

testEveryOption(TIMELINE);

Deno.test("timeline.ts makes months of rows with an id, which months do not have", () =>
  inFolder(async (folder) => {
    const file = `${folder}/own.csv`;
    const rows = Array.from({ length: 120 }, (_, at) => {
      const day = new Date(Date.UTC(2025, 0, 1 + Math.floor(at / 2))).toISOString().slice(0, 10);
      return `r-${at},${at % 2 ? "elm" : "oak"},${day},${1 + at % 2}`;
    });
    await Deno.writeTextFile(file, ["id,dapp,day,fees_usd", ...rows, ""].join("\n"));
    const args = ["--table", file, "--every", "month", "--how", "sum"];
    const { code, stdout } = await runScript(TIMELINE, args, { env });
    strictEqual(code, 0);
    match(stdout, /elm,.*62/);
  }));

Deno.test.afterAll(() => live.close());
