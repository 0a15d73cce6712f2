import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { frameDigest, recipeOf } from "../../lib/output/recipe.ts";
import { openFrame, resample, save, shares } from "../../mod.ts";
import { declaredOptions } from "../../scripts/cli/declared_options.ts";
import { flagName } from "../../scripts/cli/script.ts";
import { draws, STEPS } from "../../scripts/recipe/steps.ts";
import { frameCases } from "../frame_cases.ts";
import { hearing } from "../http/hearing.ts";
import { NAMES } from "./recipe_calls.ts";
import { inFolder, runOnTerminal, runScript, testEveryOption } from "./run_script.ts";

/** Daily fees of two protocols in January and February 2025. */
const FEES = "date,protocol,fees_usd,users\n" + Array.from({ length: 59 }, (_, at) => {
  const day = new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10);
  const [aave, lido] = at < 31 ? [10, 30] : [20, 20];
  return `${day},aave,${aave},${100 + at}\n${day},lido,${lido},${90 + at % 7}\n`;
}).join("");
/** Retention of own cohorts by country, and months with two factors. */
const COHORTS = "country,cohort,initial_cohort_size,month_0,month_1,month_2\n" +
  ["DE", "FR"].flatMap((country, at) =>
    ["2025-01", "2025-02", "2025-03"].map((cohort, late) =>
      `${country},${cohort},${200 + 10 * late},1,${0.4 + 0.05 * at},${0.3 + 0.01 * late}`
    )
  ).join("\n");
const MONTHS = "date,product,revenue,users,price\n" +
  ["a", "b"].flatMap((product, at) =>
    ["2025-01-01", "2025-02-01", "2025-03-01"].map((date, month) => {
      const [users, price] = [100 + 10 * month + at, 2 + at];
      return `${date},${product},${users * price},${users},${price}`;
    })
  ).join("\n");
/** Sixteen months of twelve entities, of which three have a program from month 10 on. */
const PANEL = "date,funnel,signups\n" + Array.from({ length: 192 }, (_, row) => {
  const [at, month] = [row % 12, Math.floor(row / 12)];
  const date = new Date(Date.UTC(2024, month, 1)).toISOString().slice(0, 10);
  const value = 100 + 7 * at + 3 * Math.sin(at + month) + (at < 3 && month >= 10 ? 40 : 0);
  return `${date},f${at},${value.toFixed(3)}`;
}).join("\n");

const env = { CHAINFRAME_BASE_URL: "", CHAINFRAME_TOKEN: "" };

/** Runs a pipe in a folder with own files. */
function inTables(
  work: (run: (...args: string[]) => Promise<Ended>, folder: string) => Promise<void>,
) {
  return inFolder(async (folder) => {
    const files = {
      "fees.csv": FEES,
      "cohorts.csv": COHORTS,
      "months.csv": MONTHS,
      "panel.csv": PANEL,
      "days.csv": FEES.replace("date,", "day,"),
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
    await work((...args) => runScript("pipe.ts", args, { env, cwd: folder }), folder);
  });
}
type Ended = Awaited<ReturnType<typeof runScript>>;

const RESAMPLED = ["+", "resample", "--every", "month", "--how", "fees_usd=sum,users=mean"];

const MONTHLY = ["fees.csv", "--citation", "Own node", ...RESAMPLED];

/** Questions that need no TypeScript: their words after the source, and what is printed. */
const QUESTIONS: Readonly<Record<string, [string[], RegExp]>> = {
  "shares of months of own daily fees": [
    [...MONTHLY, "+", "shares", "--field", "fees_usd"],
    /2025-01-01,aave,0.25,[^]*01,lido,0.75,[^]*2025-02-01,aave,0.5,[^]*lido,0.5,/,
  ],
  "contributions to growth": [
    [...MONTHLY, "+", "contributions", "--field=fees_usd"],
    /2025-02-01,aave,0.25,[^]*2025-02-01,lido,-0.25,/,
  ],
  "growth per day": [
    [
      ...MONTHLY,
      "+",
      "growth-rates",
      "--field",
      "fees_usd",
      "+",
      "select",
      "date,protocol,fees_usd_growth",
    ],
    /2025-02-01,aave,1\.?0?\n2025-02-01,lido,-0.333333333333333/,
  ],
  "an index": [
    [
      ...MONTHLY,
      "+",
      "indexed",
      "--field",
      "fees_usd",
      "--base",
      "2025-01",
      "+",
      "select",
      "date",
      "protocol",
      "fees_usd_index",
    ],
    /2025-02-01,aave,200\.?0?\n2025-02-01,lido,66.66666/,
  ],
  "rows from a value on": [
    [...MONTHLY, "+", "where", "fees_usd=600..", "+", "select", "protocol,fees_usd"],
    /^protocol,fees_usd\nlido,930\n$/,
  ],
  "months of a rank": [
    [
      ...MONTHLY,
      "+",
      "where",
      "date=2025-02",
      "+",
      "rank-by",
      "--field",
      "users",
      "--descending=false",
      "+",
      "head",
      "1",
      "+",
      "select",
      "protocol,rank",
    ],
    /^protocol,rank\nlido,1\n$/,
  ],
  "a program on own data": [
    [
      "panel.csv",
      "+",
      "event-study",
      "--field",
      "signups",
      "--starts",
      "f0=2024-11,f1=2024-11",
      "--starts",
      "f2=2024-11",
      "+",
      "where",
      "row=overall",
      "+",
      "select",
      "row,entities",
    ],
    /^row,entities\noverall,3\n$/,
  ],
  "an event on own data": [
    [
      "panel.csv",
      "+",
      "where",
      "funnel!=f1,f2",
      "+",
      "counterfactual",
      "--field",
      "signups",
      "--starts",
      "f0=2024-11",
      "+",
      "tail",
      "1",
      "+",
      "select",
      "date",
    ],
    /^date\n2025-04-01\n$/,
  ],
  "why revenue changed": [
    [
      "months.csv",
      "+",
      "with-source",
      "--citation",
      "Shop",
      "--columns",
      '{"revenue":{"unit":"usd","adds":"both"},"users":{"adds":"both"}}',
      "+",
      "decompose",
      "--product",
      "revenue",
      "--factors",
      "users,price",
      "--per",
      "period",
    ],
    /2025-02-01,a,/,
  ],
  "retention of own cohorts": [
    [
      "cohorts.csv",
      "--citation",
      "App",
      "+",
      "retention-curves",
      "--unit",
      "fraction",
      "+",
      "pooled-retention",
      "--by",
      "country",
      "+",
      "where",
      "country=FR",
      "month=1",
      "+",
      "select",
      "country,retention",
    ],
    /^country,retention\nFR,0.45/,
  ],
};

for (const [name, [words, printed]] of Object.entries(QUESTIONS)) {
  Deno.test(`pipe answers: ${name}`, () =>
    inTables(async (run) => {
      const { code, stdout, stderr } = await run(...words);
      strictEqual(code, 0, stderr);
      match(stdout, printed);
    }));
}

/** Charts that need no TypeScript. */
const CHARTS: Readonly<Record<string, string[]>> = {
  "months of a column day": [
    ...["days.csv", "--date", "day", ...RESAMPLED],
    ...["+", "plot-timeline", "--field", "fees_usd"],
  ],
  "shares of a column day": [
    ...["days.csv", "--date", "day", "+", "shares", "--field", "fees_usd"],
    ...["+", "plot-timeline", "--field", "share", "--as", "stack"],
  ],
  "a heat map of own cohorts": [
    "cohorts.csv",
    "--citation",
    "App",
    "+",
    "where",
    "country=DE",
    "+",
    "retention-curves",
    "--unit",
    "fraction",
    "+",
    "plot-retention-heatmap",
  ],
  "a scatter": [
    ...MONTHLY,
    "+",
    "where",
    "date=2025-02",
    "+",
    "plot-scatter",
    "--x",
    "fees_usd",
    "--y",
    "users",
  ],
  "a stack with a title that is a number": [
    ...MONTHLY,
    "+",
    "plot-timeline",
    "--field",
    "fees_usd",
    "--as",
    "stack",
    "--title",
    "2025",
    "--events",
    "2025-02-01=Launch",
  ],
  "contributions as a waterfall": [
    ...MONTHLY,
    "+",
    "contributions",
    "--field",
    "fees_usd",
    "+",
    "plot-contributions",
    "--as",
    "waterfall",
    "--title=+",
  ],
};
for (const [name, words] of Object.entries(CHARTS)) {
  Deno.test(`pipe draws ${name}, and writes the frame that was drawn`, () =>
    inTables(async (run, folder) => {
      const { code, stderr, stdout } = await run(...words, "--out", "a.svg", "--out", "a.csv");
      deepStrictEqual([code, stdout], [0, ""], stderr);
      const svg = await Deno.readTextFile(`${folder}/a.svg`);
      match(svg, /<svg/);
      if (name.includes("number")) match(svg, />2025</);
      ok((await Deno.readTextFile(`${folder}/a.csv`)).split("\n").length > 2);
      const without = await run(...words);
      strictEqual(without.code, 2);
      match(without.stderr, /--out: is required: plot-[a-z-]+ draws a chart/);
    }));
}

Deno.test("pipe draws an operation, and a chart needs --force to replace a file", () =>
  inTables(async (run) => {
    const words = [
      "cohort-analysis",
      "--market-sector-ids",
      "lending,exchanges-dex",
      "+",
      "retention-curves",
      "+",
      "pooled-retention",
      "--by",
      "market_sector_id",
      "+",
      "plot-retention",
      "--out",
      "r.svg",
    ];
    strictEqual((await run(...words)).code, 0);
    const again = await run(...words);
    strictEqual(again.code, 2);
    match(again.stderr, /--out: the file exists; pass --force/);
    strictEqual((await run(...words, "--force")).code, 0);
    const errors = await run(
      "blockchain-comparison",
      "--chain-ids",
      "alder,nowhere",
      "+",
      "select",
      "chain_id",
      "--errors",
      "e.csv",
    );
    match(errors.stderr, /Not found:[^]*nowhere/);
    const ignored = await run(
      "blockchain-comparison",
      "--chain-ids",
      "alder,nowhere",
      "+",
      "select",
      "chain_id",
      "--on-missing",
      "ignore",
    );
    deepStrictEqual([ignored.stderr.includes("nowhere"), ignored.stdout], [
      false,
      "chain_id\nalder\n",
    ]);
  }));

Deno.test("one question has one digest by TypeScript, pipe, its recipe and its lines", () =>
  inTables(async (run, folder) => {
    const question = [...MONTHLY, "+", "shares", "--field", "fees_usd"];
    const own = await openFrame(`${folder}/fees.csv`, { citation: "Own node" });
    const here = shares(
      resample(own, { every: "month", how: { fees_usd: "sum", users: "mean" } }),
      { field: "fees_usd" },
    );
    const digest = frameDigest(here);
    strictEqual((await run(...question, "--out", "s.parquet")).code, 0);
    strictEqual(frameDigest(await openFrame(`${folder}/s.parquet`)), digest);
    const { stdout: json } = await run(...question, "--recipe");
    deepStrictEqual(JSON.parse(json), JSON.parse(JSON.stringify(recipeOf(here).recipe)));
    await Deno.writeTextFile(`${folder}/q.recipe.json`, json);
    strictEqual((await run("q.recipe.json", "--out", "t.parquet")).code, 0);
    strictEqual(frameDigest(await openFrame(`${folder}/t.parquet`)), digest);
    const more = await run("q.recipe.json", "+", "where", "protocol=aave", "+", "select", "share");
    deepStrictEqual([more.code, more.stdout], [0, "share\n0.25\n0.5\n"]);
    const { stdout: lines } = await run(...question, "--typescript");
    deepStrictEqual(lines.split("\n"), [
      'import { openFrame, resample, shares } from "@chainframe/chainframe";',
      "",
      'const step0 = await openFrame("fees.csv", { citation: "Own node" });',
      'const step1 = resample(step0, { every: "month", how: { fees_usd: "sum", users: "mean" } });',
      'const step2 = shares(step1, { field: "fees_usd" });',
      "console.log(step2);",
      "",
    ]);
    await Deno.writeTextFile(`${folder}/fees.csv`, FEES.replace(",10,", ",11,"));
    const changed = await run("q.recipe.json");
    strictEqual(changed.code, 1);
    match(changed.stderr, /fees.csv differs from the file of the recipe/);
  }));

Deno.test("pipe reads ids from lists, files and JSON, where an id can have a comma", () =>
  inTables(async (run, folder) => {
    await Deno.writeTextFile(`${folder}/ids.csv`, "chain_id\nalder\nbasalt\n");
    const query = async (...values: string[]) => {
      const flags = values.flatMap((value) => ["--chain-ids", value]);
      const words = ["blockchain-comparison", ...flags, "--on-missing", "ignore", "--recipe"];
      return JSON.parse((await run(...words)).stdout).source.query.chain_ids;
    };
    deepStrictEqual(await query("alder,basalt"), ["alder", "basalt"]);
    deepStrictEqual(await query("alder", "basalt"), ["alder", "basalt"]);
    deepStrictEqual(await query("@ids.csv"), ["alder", "basalt"]);
    deepStrictEqual(await query('["alder","basalt"]'), ["alder", "basalt"]);
    const { stderr } = await run("blockchain-comparison", "--chain-ids", '["a,b"]', "+", "head");
    match(stderr, /--chain-ids: .*comma.*a,b/);
  }));

Deno.test("pipe names the part that it cannot read", () =>
  inTables(async (run) => {
    const cases: [string[], RegExp][] = [
      [[], /SOURCE: is required/],
      [["nothing"], /SOURCE: must be a file, an address, a recipe or an operation/],
      [["none.csv"], /SOURCE: no such file: none.csv/],
      [["none.recipe.json"], /SOURCE: no such file/],
      [["https://example.org/a.csv"], /--citation: is required for an address/],
      [["fees.csv", "more.csv"], /SOURCE: expected one; got also more.csv/],
      [["fees.csv", "+", "share"], /step: must be one of .*nearest: .*shares/],
      [["fees.csv", "+"], /step: must be/],
      [
        ["fees.csv", "+", "shares", "--feild", "x"],
        /step 1, shares: --feild: unknown option \(nearest: --field\)/,
      ],
      [["fees.csv", "+", "head", "x"], /step 1, head: expected a number of rows; got x/],
      [["fees.csv", "+", "rename", "a"], /step 1, rename: expected OLD=NEW; got a/],
      [["fees.csv", "+", "select"], /step 1, select: expected COLUMNS/],
      [["fees.csv", "+", "where", "users"], /step 1, where: expected COLUMN=VALUES/],
      [["fees.csv", "+", "where", "nothing=1"], /step 1, where: nothing: .*known/],
      [
        ["fees.csv", "+", "shares", "x"],
        /step 1, shares: takes options only, such as --field; got x/,
      ],
      [["fees.csv", "+", "figure"], /step: must be/],
      [["fees.csv", "+", "head", "--out", "a.svg"], /--out: must end in/],
      [
        ["fees.csv", "+", "resample", "--every", "month"],
        /step 1, resample: --how: .*pass --how sum, mean, last or max$/m,
      ],
      [
        ["fees.csv", "+", "resample", "--every", "month", "--how", "{"],
        /step 1, resample: --how: is not JSON/,
      ],
      // Values are shown as they are typed: JSON as JSON, and records as KEY=VALUE.
      [["fees.csv", "--columns", '{"users":1}'], /: --columns: .*; got \{"users":1\}$/m],
      [
        ["fees.csv", "--columns", '{"users":{"unit":1}}'],
        /: --columns: users: unit: must be a text; got 1$/m,
      ],
      [
        ["fees.csv", "+", "with-source", "--columns", '{"users":{"units":"usd"}}'],
        /step 1, with-source: --columns: users: units: is unknown; known: unit, .*; got \{"users":\{"units":"usd"\}\}$/m,
      ],
      [
        ["fees.csv", "+", "event-study", "--field", "users", "--starts", "aave=soon,lido=2025"],
        /step 1, event-study: --starts: aave: must be .* or 2025; got "soon"$/m,
      ],
      // Conditions and advice are in the words of the command line.
      [["fees.csv", "+", "where", "date=01.02.2025"], /date: must be a day, .*; got 01.02.2025$/m],
      [["fees.csv", "+", "where", "users=1.700,5.."], /a number, such as .*; got 1.700,5..$/m],
      [["fees.csv", "+", "where", "users!=a,b"], /users: must be a number, .*; got a,b$/m],
      [["fees.csv", "+", "resample", "month"], /takes options only, such as --every; got month/],
      [["fees.csv", "a", "+", "head"], /SOURCE: expected one; got also a; lists take commas/],
      [
        ["fees.csv", "+", "resample", "--every", "month", "--how", "total"],
        /--how: must be one of sum, .*, or KEY=VALUE; got "total"/,
      ],
      [
        ["fees.csv", "+", "plot-timeline", "--field", "users,fees_usd", "--out", "a.svg"],
        /plot-timeline: --field: takes one column; got users,fees_usd/,
      ],
      [["fees.csv", "+", "growth-rates", "--per", "5"], /--per: must be period; got "5"$/m],
    ];
    for (const [words, message] of cases) {
      const { code, stderr } = await run(...words);
      match(stderr, message);
      strictEqual(code, 2, stderr);
      ok(!/withSource\b.*\{|undefined/.test(stderr), stderr);
    }
  }));

/** A file of a spreadsheet in German, with a row of totals. */
const GERMAN = "Datum;Protokoll;Gebühren (€)\r\n" +
  ["01.01.2025", "02.01.2025", "13.01.2025", "14.01.2025", "15.01.2025"].map((day) =>
    `${day};Aave;1.234,50\r\n${day};Lido;2.000,00\r\n`
  ).join("") + "Summe;;16.172,50\r\n";

Deno.test("pipe: an empty condition is an empty cell; odd files get the flag or the name that reads them", () =>
  inFolder(async (cwd) => {
    const files = {
      "empty.csv": "time,protocol,fees\n1735689600,aave,1\n1735776000,,3\n1735776000,lido,\n",
      "tab.tsv": "a\tb\n1\t2\n",
      "title.csv": "Report\n\na,b\n1,2\n3,4\n",
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${cwd}/${name}`, text);
    }
    const run = (words: string) => runScript("pipe.ts", words.split(" "), { env, cwd });
    strictEqual((await run("empty.csv + where protocol= + select fees")).stdout, "fees\n3\n");
    strictEqual(
      (await run("empty.csv + where protocol!= fees= + select protocol")).stdout,
      "protocol\nlido\n",
    );
    const told: Readonly<Record<string, RegExp>> = {
      "empty.csv + shares --field fees":
        /time can be seconds since 1970: .* --dates time=seconds$/m,
      "empty.csv --dates time=s + head":
        /--dates: must be KEY=VALUE with seconds, .*; got time=s$/m,
      "tab.tsv + head": /name it \.csv$/m,
      "title.csv + head": /expected 1 field as in the first row; got 2; .*: pass --header 3;/,
    };
    for (const [words, message] of Object.entries(told)) match((await run(words)).stderr, message);
  }));

Deno.test("pipe runs the steps before a chart once", () =>
  inFolder(async (cwd) => {
    const text = FEES.trim().split("\n").map((line, at) => `${at === 0 ? "id" : at},${line}`);
    await Deno.writeTextFile(`${cwd}/fees.csv`, text.join("\n"));
    const words =
      "fees.csv + resample --every month --how fees_usd=sum,users=mean + plot-timeline --out a.svg";
    const notices = await hearing(() => runScript("pipe.ts", words.split(" "), { env, cwd }));
    deepStrictEqual(notices, ["resample: left out id, which numbers the rows"]);
  }));

Deno.test("pipe leads from a German file to its numbers by flags", () =>
  inFolder(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/fees.csv`, GERMAN);
    const run = (...args: string[]) => runScript("pipe.ts", ["fees.csv", ...args], { env, cwd });
    const resampled = ["+", "resample", "--every", "month", "--how", "sum"];
    const numbers = ["--numbers", "Gebühren (€)=1.234,5"];
    const dates = ["--dates", "Datum=%d.%m.%Y"];
    const steps: [string[], RegExp][] = [
      [["+", "head", "1"], /such as "1.234,50"; pass --numbers 'Gebühren \(€\)=1.234,5'$/m],
      [[...numbers, ...resampled], /missing: date; .*; Datum is text; for 2025-01-01 pass --dates/],
      [
        [...numbers, ...dates, ...resampled],
        /--dates: row 10, Datum: .*got "Summe"; if it is not part of the table, pass --footer 1$/m,
      ],
    ];
    for (const [words, message] of steps) {
      let stderr = "";
      const notices = await hearing(async () => stderr = (await run(...words)).stderr);
      match(notices.join("\n") + stderr, message);
    }
    const { stdout } = await run(...numbers, ...dates, "--footer", "1", ...resampled);
    match(stdout, /^2025-01-01,2025-01-31,\w+,Aave,6172.5,5$/m);
    const { stdout: help } = await run("--help");
    match(help, /--separator WORD[^]*";",\s+"\\t",\s+"\|"/);
  }));

/** Options whose text can be any: nothing is wrong. */
const ANY_TEXT = new Set(
  "title subtitle caption note unit citation license name colors".split(" "),
);

Deno.test("an error of a step names the step and the flag, for a wrong value of each option", () =>
  inFolder(async (folder) => {
    const problems: string[] = [];
    for (const [name, { frame, options: [plain] }] of Object.entries(frameCases(NAMES))) {
      if (!STEPS.has(name) || name === "where") continue;
      const file = `${folder}/${name}.parquet`;
      await save(frame, file);
      if (name === "withSource") await Deno.remove(`${file}.provenance.json`);
      const { dots: _, ...given } = plain as Record<string, unknown>;
      const flags = (options: Record<string, unknown>) =>
        Object.entries(options).map(([each, value]) =>
          `--${flagName(each)}=${typeof value === "string" ? value : JSON.stringify(value)}`
        );
      for (const { name: option, schema } of declaredOptions(name)) {
        if (schema === null || ANY_TEXT.has(option)) continue;
        const { [option]: __, ...others } = given;
        const wrong = schema.type === "boolean"
          ? "maybe"
          : schema.type === "object"
          ? "x=~"
          : "~no such";
        const words = [...flags(others), `--${flagName(option)}=${wrong}`];
        const { code, stderr } = await runScript("pipe.ts", [
          file,
          "+",
          flagName(name),
          ...words,
          ...draws(name) ? ["--out", "a.svg", "--force"] : [],
        ], { env, cwd: folder });
        const last = stderr.trim().split("\n").at(-1)!;
        const isNamed = code === 2 &&
          last.includes(`step 1, ${flagName(name)}: --${flagName(option)}: `);
        // Some charts have no use for a label or a highlight.
        const isUnused = code === 0 && /^(?:label|highlight)$/.test(option);
        if (!isNamed && !isUnused) {
          problems.push(`${name} ${option}: ${code} ${last.slice(0, 160)}`);
        }
      }
    }
    deepStrictEqual(problems, []);
  }));

Deno.test("pipe prints a table on a terminal, and the help of a step", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/fees.csv`, FEES);
    const { screen } = await runOnTerminal("pipe.ts", ["fees.csv", "+", "head", "2"], {
      cwd: folder,
      env,
    });
    match(screen, /protocol/);
    ok(!screen.includes("date,protocol"), screen);
    const json = await runScript("pipe.ts", ["fees.csv", "+", "head", "1", "--format", "ndjson"], {
      cwd: folder,
      env,
    });
    match(json.stdout, /^\{"date":/);
  });
  const help = await runScript("pipe.ts", ["fees.csv", "+", "shares", "--help"]);
  match(help.stdout, /pipe.ts SOURCE \+ shares \[options\][^]*--field VALUE[^]*--per WORD/);
  for (const name of STEPS) {
    const { code, stdout } = await runScript("pipe.ts", [
      "fees.csv",
      "+",
      flagName(name),
      "--help",
    ]);
    strictEqual(code, 0);
    deepStrictEqual(stdout.split("\n").filter((line) => line.length > 80), [], name);
  }
});

Deno.test("pipe reads an address with its options, the cache and the lock", () =>
  inFolder(async (folder) => {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => Response.json({ data: { rows: [{ protocol: "aa", t: 1735689600, fees: "12" }] } }),
    );
    const address = `http://127.0.0.1:${server.addr.port}/fees`;
    const token = `${folder}/token`;
    await Deno.writeTextFile(token, "t");
    await Deno.chmod(token, 0o600);
    const source = [address, "--citation", "Own", "--rows", "data.rows", "--dates", "t=seconds"];
    const words = [...source, "--columns", "fees=usd", "--format", "json", "--license", "CC0"];
    const cache = ["--cache", `${folder}/cache`, "--data-lock", `${folder}/data.lock`];
    const service = { CHAINFRAME_BASE_URL: "http://127.0.0.1:9", CHAINFRAME_TOKEN: "t" };
    const run = (...args: string[]) => runScript("pipe.ts", args, { env: service, cwd: folder });
    const first = await run(
      ...words,
      ...cache,
      "--update-lock",
      "--token-file",
      token,
      "+",
      "head",
      "1",
    );
    deepStrictEqual([first.code, first.stdout], [
      0,
      "protocol,t,fees\naa,2025-01-01,12\n",
    ], first.stderr);
    await server.shutdown();
    const offline = await run(
      ...words,
      ...cache.slice(0, 2),
      "--offline",
      "+",
      "select",
      "protocol",
    );
    deepStrictEqual([offline.code, offline.stdout], [0, "protocol\naa\n"], offline.stderr);
    strictEqual((await run(...words, ...cache.slice(0, 2), "--refresh", "+", "head")).code, 1);
    const { stdout } = await run(
      ...words,
      ...cache.slice(0, 2),
      "--offline",
      "+",
      "head",
      "--recipe",
    );
    strictEqual(JSON.parse(stdout).source.address, address);
    const { stdout: lines } = await run(
      ...words,
      ...cache.slice(0, 2),
      "--offline",
      "--typescript",
    );
    match(lines, /^const step0 = await openFrame\("http.*", \{ citation: "Own"/m);
  }));

testEveryOption("pipe.ts");

Deno.test("no notice speaks of a side-car: the recipe states what a file is", () =>
  inTables(async (run, folder) => {
    const stated = ["fees.csv", "+", "with-source", "--citation", "Own", "+", "head", "1"];
    const recipe = { source: { file: "fees.csv" }, steps: [["head", 1]] };
    await Deno.writeTextFile(`${folder}/own.recipe.json`, JSON.stringify(recipe));
    for (const words of [stated, ["own.recipe.json"]]) {
      const { code, stderr } = await run(...words);
      strictEqual(code, 0, stderr);
      ok(!/side-car|withSource/.test(stderr), stderr);
    }
  }));

Deno.test("an error of opening a file names the flag, and the columns of the file", () =>
  inTables(async (run) => {
    const wrong: [string[], RegExp][] = [
      [["--columns", "x=usd"], /--columns: .*\bx\b/],
      [["--columns", '{"x":"usd"}'], /--columns: .*\bx\b/],
      [["--date", "nope"], /--date: .*nope/],
      [["--entity", "nope"], /--entity: .*nope/],
    ];
    for (const [words, message] of wrong) {
      const { code, stderr } = await run("fees.csv", ...words);
      strictEqual(code, 2, stderr);
      match(stderr, message);
    }
  }));
