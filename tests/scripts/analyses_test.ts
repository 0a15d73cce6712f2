import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  blockchainComparison,
  cohortAnalysis,
  connect,
  type DataFrame,
  forecastRetention,
  pooledRetention,
  rankBy,
  retentionCurves,
} from "../../mod.ts";
import { frameBytes } from "../../lib/output/encode.ts";
import { liveService } from "./live_service.ts";
import { inFolder, runOnTerminal, runScript, testEveryOption } from "./run_script.ts";

const COHORTS = "cohort_retention.ts";
const CHAINS = "chain_comparison.ts";

const live = await liveService();
const { env } = live;
const connection = connect({
  baseUrl: env.CHAINFRAME_BASE_URL,
  token: env.CHAINFRAME_TOKEN,
  onMissing: "ignore",
});
const csv = (frame: DataFrame) => new TextDecoder().decode(frameBytes(frame, "csv"));

Deno.test("cohort_retention.ts writes pooled curves to a pipe, grouped by --by", async () => {
  const curves = retentionCurves(await cohortAnalysis({}, connection));
  const all = await runScript(COHORTS, [], { env });
  deepStrictEqual([all.code, all.stderr], [0, ""]);
  strictEqual(all.stdout, csv(pooledRetention(curves)));
  const [project_id] = curves.getColumn("project_id").toArray() as string[];
  const [sector] = curves.getColumn("market_sector_id").toArray() as string[];
  const some = await cohortAnalysis(
    { project_ids: [project_id!], market_sector_ids: [sector!] },
    connection,
  );
  const args = ["--by", "project_id", "--unit", "fraction", "--project-ids", project_id!];
  const one = await runScript(COHORTS, [...args, "--market-sector-ids", sector!], { env });
  strictEqual(one.stdout, csv(pooledRetention(retentionCurves(some), { by: "project_id" })));
});

Deno.test("cohort_retention.ts writes a forecast to every --out", async () => {
  const curves = retentionCurves(await cohortAnalysis({}, connection));
  const forecast = forecastRetention(curves, { by: "all", horizon: 18 });
  await inFolder(async (folder) => {
    const endings = ["svg", "png", "html", "csv", "parquet"];
    const outs = endings.flatMap((ending) => ["--out", `${folder}/r.${ending}`]);
    await Deno.writeTextFile(`${folder}/r.svg`, "old");
    const args = ["--horizon", "18", "--force", ...outs];
    const { code, stdout, stderr } = await runScript(COHORTS, args, { env });
    deepStrictEqual([code, stdout, stderr], [0, "", ""]);
    const starts = await Promise.all(endings.map(async (ending) => {
      const bytes = (await Deno.readFile(`${folder}/r.${ending}`)).slice(0, 4);
      return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    }));
    deepStrictEqual(starts, ["<svg", "\x89PNG", "<!do", "mont", "PAR1"]);
    strictEqual(await Deno.readTextFile(`${folder}/r.csv`), csv(forecast));
    for (const ending of endings) {
      const note = JSON.parse(await Deno.readTextFile(`${folder}/r.${ending}.provenance.json`));
      deepStrictEqual([note.file, note.provenance.operation], [`r.${ending}`, "cohort_analysis"]);
    }
    match(await Deno.readTextFile(`${folder}/r.svg`), /forecast/);
  });
});

Deno.test("chain_comparison.ts ranks chains by each field, and only the given chains", async () => {
  const { code, stdout, stderr } = await runScript(CHAINS, [
    "--field",
    "ecosystem_fees_7d_sum,ecosystem_tvl_latest",
    "--field",
    "transaction_count_7d",
    "--chain-ids",
    "alder,basalt,nowhere",
    "--format",
    "ndjson",
  ], { env });
  strictEqual(code, 0);
  match(stderr, /^Not found:\n[^]*NOT_IN_ANSWER {2}chain_ids {2}nowhere\n1 row × 3 columns\n/);
  const rows = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const chains = await blockchainComparison({ chain_ids: ["alder", "basalt"] }, connection);
  const fields = ["ecosystem_fees_7d_sum", "ecosystem_tvl_latest", "transaction_count_7d"];
  const expected = fields.flatMap((field) =>
    (rankBy(chains, { field }).toRecords() as Record<string, unknown>[]).map((row) => ({
      field,
      rank: row.rank,
      chain_id: row.chain_id,
      chain_name: row.chain_name,
      value: row[field],
      share: row.share,
      cumulative_share: row.cumulative_share,
    }))
  );
  deepStrictEqual(rows, expected);
});

Deno.test("chain_comparison.ts draws, replaces and caches as the other scripts do", () =>
  inFolder(async (folder) => {
    const args = [
      "--out",
      `${folder}/c.svg`,
      "--out",
      `${folder}/c.md`,
      "--cache",
      `${folder}/kept`,
    ];
    strictEqual((await runScript(CHAINS, args, { env })).code, 0);
    const kept = await runScript(CHAINS, args, { env });
    deepStrictEqual([kept.code, kept.stdout], [2, ""]);
    match(
      kept.stderr,
      /^chain_comparison\.ts: --out: the file exists; pass --force to replace it: /,
    );
    const svg = await Deno.readTextFile(`${folder}/c.svg`);
    const forced = await runScript(CHAINS, [
      ...args,
      "--force",
      "--offline",
      ...["--data-lock", `${folder}/lock`, "--update-lock"],
    ], { env });
    deepStrictEqual([forced.code, forced.stderr], [0, ""]);
    ok(svg.startsWith("<svg") && (await Deno.readTextFile(`${folder}/c.svg`)).startsWith("<svg"));
    match(await Deno.readTextFile(`${folder}/c.md`), /^\| Field \| Rank \|/);
    await Deno.writeTextFile(`${folder}/token`, "wrong", { mode: 0o600 });
    const wrong = await runScript(CHAINS, [
      "--token-file",
      `${folder}/token`,
      "--refresh",
      "--cache",
      folder,
    ], {
      env: { CHAINFRAME_BASE_URL: env.CHAINFRAME_BASE_URL },
    });
    deepStrictEqual([wrong.code, wrong.stdout], [1, ""]);
    match(
      wrong.stderr,
      /^chain_comparison\.ts: blockchain_comparison: the service answered 403: [^\n]*\n$/,
    );
  }));

Deno.test("cohort_retention.ts accepts token, cache and format as the other scripts do", () =>
  inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/token`, env.CHAINFRAME_TOKEN, { mode: 0o600 });
    const CHAINFRAME_BASE_URL = env.CHAINFRAME_BASE_URL;
    const common = ["--cache", `${folder}/kept`, "--format", "json"];
    const first = await runScript(COHORTS, [
      ...common,
      "--token-file",
      `${folder}/token`,
      "--refresh",
    ], {
      env: { CHAINFRAME_BASE_URL },
    });
    strictEqual(first.code, 0, first.stderr);
    const offline = await runScript(COHORTS, [
      ...common,
      "--offline",
      ...["--data-lock", `${folder}/lock`, "--update-lock"],
    ], {
      env: { CHAINFRAME_BASE_URL },
    });
    deepStrictEqual([offline.code, JSON.parse(offline.stdout)], [0, JSON.parse(first.stdout)]);
  }));

Deno.test("the analyses print one line for wrong arguments and exit with 2, or with 1 without data", async () => {
  const cases: readonly (readonly [script: string, args: string, code: number, told: string])[] = [
    [
      COHORTS,
      "--by chain",
      2,
      "--by: must be one of all, project_id, project_name, market_sector_id",
    ],
    [COHORTS, "--unit share", 2, "--unit: must be one of fraction, percent, count"],
    [COHORTS, "--horizon 0", 2, '--horizon: must be a whole number from 1 to 1200; got "0"'],
    [
      COHORTS,
      "--horizon soon",
      2,
      '--horizon: must be a whole number from 1 to 1200; got "soon"',
    ],
    [COHORTS, "--out r.gif", 2, "--out: must end in .svg, .png, .pdf, .html, .csv,"],
    [COHORTS, "--project-ids nobody", 1, "not found: project_ids nobody"],
    [COHORTS, "--confidence 2", 2, ": --confidence: must be between 0 and 1"],
    [COHORTS, "--confidence 0.9.5", 2, ': --confidence: must be a number; got "0.9.5"'],
    [
      COHORTS,
      "--cluster none --washout 1 --start-month x --out r.svg",
      2,
      ': --start-month: must be a number; got "x"',
    ],
    [CHAINS, "--field fees", 2, "(nearest: ecosystem_fees_1d_sum, "],
    [CHAINS, "--feild fees", 2, "--feild: unknown option (nearest: --field)"],
    [CHAINS, "--chain-ids nobody", 1, "not found: chain_ids nobody"],
  ];
  for (const [script, args, expected, told] of cases) {
    const { code, stdout, stderr } = await runScript(script, args.split(" "), { env });
    ok(
      code === expected && stdout === "" && stderr.includes(`${script}: `) && stderr.includes(told),
      `${script} ${args} -> ${code} ${stderr}`,
    );
  }
  for (const script of [COHORTS, CHAINS]) {
    const { stderr } = await runScript(script, ["--format", "chain", "--debug"], { env });
    match(stderr, /\nUsageError: .*\n\s+at /);
  }
});

/** Asserts that a table has 80 columns. The lines below it, with shape and source, can be longer. */
function assertNarrow(screen: string): void {
  const lines = screen.split("\n").filter((line) => !line.includes(" · "));
  ok(lines.every((line) => line.length <= 80), screen);
}

Deno.test("the analyses show a summary on a terminal, also when they write files", async () => {
  const plain = { env: { ...env, NO_COLOR: "1" } };
  await inFolder(async (folder) => {
    const { screen } = await runOnTerminal(COHORTS, [
      "--horizon",
      "24",
      "--out",
      `${folder}/r.csv`,
    ], plain);
    // Notices come first.
    const all = screen.split("\n");
    const lines = all.slice(all.findIndex((line) => line.startsWith("written: ")));
    deepStrictEqual([lines[0], lines[1]!.trim().split(/ +/)], [
      `written: ${folder}/r.csv`,
      ["size", "month_1", "month_6", "month_11", "month_24_predicted"],
    ]);
    assertNarrow(lines.join("\n"));
  });
  const { screen } = await runOnTerminal(CHAINS, [], plain);
  assertNarrow(screen);
  match(screen, /^field +rank +chain_name +value +share\n +US\$\necosystem_fees_30d_sum +1 /);
});

const CITED = ["--citation", "Own node", "--license", "CC0"];

async function written(path: string, header: string, rows: readonly string[]): Promise<string> {
  await Deno.writeTextFile(path, `${header}\n${rows.join("\n")}\n`);
  return path;
}

Deno.test("chain_comparison.ts ranks the rows of --table by its first column of numbers", () =>
  inFolder(async (folder) => {
    const rows = ["aa,2025-01-01,1", "bb,2025-01-01,3"];
    const table = await written(`${folder}/tvl.csv`, "protocol,day,tvl", rows);
    const { code, stdout } = await runScript("chain_comparison.ts", [
      ...["--table", table, ...CITED, "--column-unit", "tvl=usd", "--format", "csv"],
      ...["--entity", "protocol", "--date", "day"],
      ...["--title", "T", "--theme", "light", "--width", "500", "--limit", "2", "--locale", "de"],
    ]);
    strictEqual(code, 0);
    const [, first, second] = stdout.split("\n");
    deepStrictEqual([first, second], [
      "tvl,1,bb,2025-01-01,3,0.75,0.75",
      "tvl,2,aa,2025-01-01,1,0.25,1.0",
    ]);
  }));

Deno.test("cohort_retention.ts shows and tests one month of own groups", () =>
  inFolder(async (folder) => {
    const rows = ["DE", "FR"].flatMap((country, at) =>
      Array.from(
        { length: 30 },
        (_, row) => `${country},f${row % 6},2025-0${1 + row % 5},200,1,${0.5 - 0.2 * at}`,
      )
    );
    const table = await written(
      `${folder}/cohorts.csv`,
      "country,funnel,cohort,initial_cohort_size,month_0,month_1",
      [...new Set(rows)],
    );
    const units = [
      ...["--column-unit", "initial_cohort_size=users"],
      ...["--entity", "country", "--entity", "funnel", "--date", "cohort"],
    ];
    const args = ["--table", table, ...CITED, ...units, "--by", "country", "--month", "1"];
    const month = await runScript("cohort_retention.ts", args);
    strictEqual(month.code, 0, month.stderr);
    match(month.stdout, /^country,month,/);
    deepStrictEqual(month.stdout.trim().split("\n").slice(1).map((line) => line.slice(0, 4)), [
      "DE,1",
      "FR,1",
    ]);
    const tested = await runScript("cohort_retention.ts", [
      ...args,
      ...["--compare", "DE,FR", "--out", `${folder}/pair.svg`, "--out", `${folder}/pair.csv`],
      ...["--title", "A pair", "--theme", "dark", "--width", "500", "--limit", "9"],
      ...["--locale", "de"],
    ]);
    strictEqual(tested.code, 0, tested.stderr);
    const [header, row] = (await Deno.readTextFile(`${folder}/pair.csv`)).split("\n");
    const difference = row!.split(",")[header!.split(",").indexOf("difference")];
    strictEqual(Number(difference).toFixed(3), "0.200");
    match(await Deno.readTextFile(`${folder}/pair.svg`), /<title>A pair<\/title>/);
  }));

Deno.test("cohort_retention.ts --missing 0 adds absent rows of cohorts", () =>
  inFolder(async (folder) => {
    const table = await written(`${folder}/long.csv`, "cohort,month,size,retained", [
      ...["2026-01,0,100,100", "2026-01,1,100,30", "2026-01,2,100,10"],
      ...["2026-02,0,300,300", "2026-03,0,100,100"],
    ]);
    const retention = async (...more: string[]) => {
      const { code, stdout, stderr } = await runScript(COHORTS, [
        "--table",
        table,
        ...CITED,
        ...more,
      ]);
      strictEqual(code, 0, stderr);
      const [header, ...rows] = stdout.trim().split("\n").map((line) => line.split(","));
      return rows.map((row) => Number(row[header!.indexOf("retention")]));
    };
    deepStrictEqual(await retention(), [1, .3, .1]);
    deepStrictEqual(await retention("--missing", "0"), [1, .075, .1]);
  }));

for (const script of [COHORTS, CHAINS]) {
  Deno.test(`${script} reports unknown entities as fetch.ts does`, async () => {
    await inFolder(async (folder) => {
      const ids = script === COHORTS ? "--project-ids" : "--chain-ids";
      const args = [ids, "nobody", "--on-missing", "throw", "--errors", `${folder}/e.csv`];
      const { code, stdout } = await runScript(script, args, { env });
      deepStrictEqual([code, stdout], [1, ""]);
      match(await Deno.readTextFile(`${folder}/e.csv`), /^code,field,value\nNOT_IN_ANSWER,/);
    });
  });

  Deno.test(`${script} keeps the colors of ids in a file, and refuses other files`, async () => {
    await inFolder(async (folder) => {
      const args = ["--out", `${folder}/r.svg`, "--colors", `${folder}/colors.json`];
      const kept = { market_sector_id: { lending: 3 } };
      await Deno.writeTextFile(`${folder}/colors.json`, JSON.stringify(kept));
      const by = script === COHORTS ? ["--by", "market_sector_id"] : [];
      strictEqual((await runScript(script, [...by, ...args], { env })).code, 0);
      const after = JSON.parse(await Deno.readTextFile(`${folder}/colors.json`));
      strictEqual(after.market_sector_id.lending, 3);
      strictEqual(Object.keys(after.market_sector_id).length > 1, script === COHORTS);
      await Deno.writeTextFile(`${folder}/colors.json`, "[]");
      const { code, stderr } = await runScript(script, ["--force", ...args], { env });
      deepStrictEqual(code, 2);
      match(stderr, /--colors: .*colors\.json: /);
    });
  });

  testEveryOption(script);
}

Deno.test.afterAll(() => live.close());
