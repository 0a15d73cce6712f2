import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Operation } from "../../lib/schema/vocabulary.ts";
import { type FRAME_FORMATS, frameBytes } from "../../lib/output/encode.ts";
import { SIX_ANSWERS } from "../output/six_answers.ts";
import { sixFrames } from "../output/six_frames.ts";
import { type FakeService, fakeService, TOKEN } from "./fake_service.ts";
import {
  commandOf,
  inFolder,
  runCommand,
  runOnTerminal,
  runScript,
  spawnScript,
  testEveryOption,
} from "./run_script.ts";

const FETCH = "fetch.ts";

/** Runs a test with a service and a folder. */
function withService(
  work: (given: FakeService & { readonly folder: string }) => Promise<void>,
  answer: (operation: Operation, request: Request) => unknown = (operation) =>
    SIX_ANSWERS[operation],
): Promise<void> {
  return inFolder(async (folder) => {
    const service = fakeService(answer);
    try {
      await work({ ...service, folder });
    } finally {
      await service.close();
    }
  });
}

const same = (bytes: Uint8Array, others: Uint8Array) =>
  bytes.length === others.length && bytes.every((byte, index) => byte === others[index]);

/** Every field of every query, as options, and what must arrive at the service. */
const QUERIES: Readonly<Record<Operation, readonly [args: string, path: string, body?: object]>> = {
  metric_breakdown: [
    "--metric-ids fees,users --interval max --group-by chains --project-ids 007,1e5 --product-ids p " +
    "--chain-ids alder --chain-ids basalt --market-sector-ids s --start 2025-01-01 --end 2025-01-31",
    "/v2/metric-breakdown",
    {
      metric_ids: ["fees", "users"],
      interval: "max",
      group_by: "chains",
      project_ids: ["007", "1e5"],
      product_ids: ["p"],
      chain_ids: ["alder", "basalt"],
      market_sector_ids: ["s"],
      start: "2025-01-01",
      end: "2025-01-31",
    },
  ],
  metric_aggregations: [
    "--project-ids 007,b --metric-ids fees",
    "/v2/metric-aggregations?project_ids=007,b&metric_ids=fees",
  ],
  blockchain_comparison: [
    "--chain-ids alder --order-by chain_id --order-direction desc --limit 7",
    "/v2/datasets/blockchain_comparison?chain_ids=alder&order_by=chain_id&order_direction=desc&limit=7",
  ],
  project_contracts: [
    "--project-ids a --chain-ids b --market-sector-ids c --order-by chain_id --order-direction asc --limit 1",
    "/v2/datasets/project_contracts?project_ids=a&chain_ids=b&market_sector_ids=c&order_by=chain_id" +
    "&order_direction=asc&limit=1",
  ],
  cohort_analysis: [
    "--project-ids a --market-sector-ids c --order-by cohort --order-direction asc --limit 100",
    "/v2/datasets/cohort_analysis?project_ids=a&market_sector_ids=c&order_by=cohort" +
    "&order_direction=asc&limit=100",
  ],
  project: ["--project-id 007", "/v2/projects/007"],
};

const FILES: readonly (readonly [ending: string, format: typeof FRAME_FORMATS[number]])[] = [
  ["csv", "csv"],
  ["ndjson", "ndjson"],
  ["json", "json"],
  ["parquet", "parquet"],
  ["arrow", "arrow"],
  ["md", "markdown"],
];

Deno.test("fetch.ts sends every query field, and writes each response in every format", () =>
  withService(async ({ env, got, folder }) => {
    for (const [operation, frame] of await sixFrames()) {
      const [args, path, body] = QUERIES[operation];
      // Only the frame is compared: the limit would cut the sorted response.
      const query = args.split(" ");
      const outs = FILES.flatMap(([ending]) => ["--out", `${folder}/${operation}.${ending}`]);
      const { code, stdout, stderr } = await runScript(FETCH, [operation, ...query, ...outs], {
        env,
      });
      deepStrictEqual([code, stdout], [0, ""], stderr);
      const sent = got.pop();
      deepStrictEqual([sent?.path, sent?.body, sent?.authorization], [
        path,
        body ?? null,
        `Bearer ${TOKEN}`,
      ]);
      for (const [ending, format] of FILES) {
        const bytes = await Deno.readFile(`${folder}/${operation}.${ending}`);
        ok(same(bytes, frameBytes(frame, format)), `${operation}.${ending}`);
        const note = JSON.parse(
          await Deno.readTextFile(`${folder}/${operation}.${ending}.provenance.json`),
        );
        deepStrictEqual([note.format, note.provenance.operation, note.provenance.source], [
          format,
          operation,
          "service",
        ]);
      }
    }
  }));

Deno.test("fetch.ts writes only data to stdout, by default as CSV", () =>
  withService(async ({ env }) => {
    const [[, breakdown]] = await sixFrames() as [[string, Parameters<typeof frameBytes>[0]]];
    const args = [
      "metric_breakdown",
      "--metric-ids=fees,users",
      "--interval=30d",
      "--group-by=chains",
    ];
    const plain = await runScript(FETCH, [...args, "--on-missing", "ignore"], { env });
    deepStrictEqual([plain.code, plain.stderr], [0, ""]);
    strictEqual(plain.stdout, new TextDecoder().decode(frameBytes(breakdown, "csv")));
    for (const [, format] of FILES) {
      const { bytes } = await runScript(FETCH, [...args, "--format", format], { env });
      ok(same(bytes, frameBytes(breakdown, format)), format);
    }
  }));

Deno.test("fetch.ts prints one line for wrong arguments, sends nothing, and exits with 2", async () => {
  const nowhere = { CHAINFRAME_BASE_URL: "http://127.0.0.1:1", CHAINFRAME_TOKEN: TOKEN };
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/old.csv`, "mine");
    await Deno.writeTextFile(`${folder}/empty.csv`, "");
    await Deno.writeTextFile(`${folder}/none.csv`, "project_id\n\n");
    await Deno.writeTextFile(`${folder}/ragged.csv`, "name,project_id\nA,a\nB,b,c\n");
    await Deno.writeTextFile(`${folder}/open.token`, TOKEN);
    await Deno.chmod(`${folder}/open.token`, 0o644);
    await Deno.writeTextFile(`${folder}/empty.token`, "\n", { mode: 0o600 });
    const cases: readonly (readonly [args: string, told: string])[] = [
      ["", "OPERATION: is required, one of metric_breakdown, metric_aggregations"],
      ["blockchain_comparision", '(nearest: blockchain_comparison); got "blockchain_comparision"'],
      ["project more", "OPERATION: expected one; got also more"],
      [
        "project --projectid a",
        "--projectid: unknown option (nearest: --project-id); --help lists them",
      ],
      ["project -x", "-x: unknown option"],
      ["project --project-id", "--project-id: needs IDS after it"],
      ["project --force=yes", '--force: takes no value; got "yes"'],
      ["project", "--project-id: is required"],
      [
        "blockchain_comparison --limit 1 --limit 2",
        "--limit: was given more than once; got 1, 2",
      ],
      [
        "blockchain_comparison --limit 1.5",
        "--limit: must be a whole number above 0; got 1.5",
      ],
      [
        "blockchain_comparison --limit 0",
        "--limit: must be a whole number above 0; got 0",
      ],
      [
        "blockchain_comparison --interval 30d",
        "--interval: is not an option of blockchain_comparison; options: --chain-ids, --order-by",
      ],
      ["project --project-id a --format xlsx", 'parquet, arrow, markdown; got "xlsx"'],
      [
        "project --project-id a --on-missing shrug",
        "--on-missing: must be one of warn, throw, ignore",
      ],
      ["project --project-id a --out a.xls", "--out: must end in .csv, .ndjson,"],
      ["project --project-id a --errors a.png", "--errors: must end in .csv, .ndjson,"],
      [
        `project --project-id a --out ${folder}/old.csv`,
        `--out: the file exists; pass --force to replace it: ${folder}/old.csv`,
      ],
      [
        `project --project-id a --out ${folder}/no/a.csv`,
        `--out: the folder ${folder}/no does not exist`,
      ],
      [
        "project --project-id a --offline",
        "--offline: needs a cache: --cache DIR or CHAINFRAME_CACHE",
      ],
      ["project --project-id a --update-lock", "--update-lock: needs --data-lock FILE"],
      ["project --project-id a --refresh --offline", "--refresh and --offline: give one of them"],
      ["project --project-id @nothing.csv", "--project-id: no such file: nothing.csv"],
      [`project --project-id @${folder}/empty.csv`, "--project-id: the file is empty"],
      [
        `project --project-id @${folder}/none.csv`,
        `expected a table; got one line: "project_id"`,
      ],
      [
        `project --project-id @${folder}/ragged.csv`,
        "row 3: expected 2 fields as in the first row",
      ],
      [
        "project --project-id a --token-file nothing",
        "--token-file: no such file: nothing",
      ],
      [
        `project --project-id a --token-file ${folder}/open.token`,
        `--token-file: others can read it (mode 644); run chmod 600 ${folder}/open.token`,
      ],
      [`project --project-id a --token-file ${folder}/empty.token`, "--token-file: is empty"],
    ];
    for (const [args, told] of cases) {
      const words = args === "" ? [] : args.split(" ");
      const { code, stdout, stderr } = await runScript(FETCH, words, { env: nowhere });
      const line = /^fetch\.ts: [^\n]*\n$/.test(stderr);
      ok(
        code === 2 && stdout === "" && line && stderr.includes(told),
        `${args} -> ${code} ${stderr}`,
      );
      ok(!stderr.includes(TOKEN));
    }
    strictEqual(await Deno.readTextFile(`${folder}/old.csv`), "mine");
    const one = await runScript(FETCH, ["project", "--project-id", "a"], {
      env: { CHAINFRAME_TOKEN: TOKEN },
    });
    deepStrictEqual([one.code, one.stderr], [
      2,
      "fetch.ts: CHAINFRAME_TOKEN is set but CHAINFRAME_BASE_URL is not. Set both in one place, or neither for sample data.\n",
    ]);
  });
});

Deno.test("fetch.ts exits with 1 and one line if the service fails, and shows the stack with --debug", async () => {
  const refusal = () => Response.json({ message: `no\n\x1b[31msuch key` }, { status: 401 });
  await withService(async ({ env }) => {
    const plain = await runScript(FETCH, ["project", "--project-id", "a"], { env });
    deepStrictEqual([plain.code, plain.stdout], [1, ""]);
    strictEqual(
      plain.stderr,
      "fetch.ts: project: the service answered 401: no \ufffd[31msuch key\n",
    );
    const debug = await runScript(FETCH, ["project", "--project-id", "a", "--debug"], { env });
    strictEqual(debug.code, 1);
    match(debug.stderr, /^fetch\.ts: .*\nHttpError: .*\n(.*\n)*\s+at .*\.ts:\d+:\d+/);
    ok(!debug.stderr.includes(TOKEN));
  }, refusal);
});

const MISSING = { code: "NOT_FOUND", field: "chain_ids", value: "nowhere" };
const SOME = { data: [{ data_id: "a", metrics: { fees: 1 } }], errors: [MISSING] };
const BREAKDOWN = [
  "metric_breakdown",
  "--metric-ids",
  "fees",
  "--interval",
  "30d",
  "--group-by",
  "chains",
];

Deno.test("fetch.ts reports entities that were not found as --on-missing sets, and writes --errors", () =>
  withService(async ({ env, folder }) => {
    const run = (...args: string[]) => runScript(FETCH, [...BREAKDOWN, ...args], { env });
    const data = "data_id,chain_id,product_id,fees\na,,,1\n";
    const table =
      "Not found:\ncode       field      value\nNOT_FOUND  chain_ids  nowhere\n1 row × 3 columns\n";
    const warned = await run("--errors", `${folder}/errors.csv`);
    deepStrictEqual([warned.code, warned.stdout, warned.stderr], [0, data, table]);
    strictEqual(
      await Deno.readTextFile(`${folder}/errors.csv`),
      "code,field,value\nNOT_FOUND,chain_ids,nowhere\n",
    );
    const ignored = await run("--on-missing", "ignore");
    deepStrictEqual([ignored.code, ignored.stdout, ignored.stderr], [0, data, ""]);
    const thrown = await run("--on-missing", "throw", "--errors", `${folder}/errors.json`);
    deepStrictEqual([thrown.code, thrown.stdout, thrown.stderr], [
      1,
      "",
      `${table}fetch.ts: not found: chain_ids nowhere\n`,
    ]);
    deepStrictEqual(JSON.parse(await Deno.readTextFile(`${folder}/errors.json`)), [MISSING]);
  }, () => SOME));

Deno.test("fetch.ts exits with 1 if nothing was found, and lists missing ids of a dataset", async () => {
  const nobody = () => Response.json({ message: "none" }, { status: 404 });
  await withService(async ({ env }) => {
    const { code, stdout, stderr } = await runScript(FETCH, ["project", "--project-id", "x"], {
      env,
    });
    deepStrictEqual([code, stdout], [1, ""]);
    match(stderr, /NOT_FOUND {2}project_id {2}x\n.*\nfetch\.ts: not found: project_id x\n$/);
  }, nobody);
  await withService(async ({ env }) => {
    const args = ["blockchain_comparison", "--chain-ids", "alder,x,y"];
    const { code, stderr } = await runScript(FETCH, args, { env });
    strictEqual(code, 0);
    match(stderr, /NOT_IN_ANSWER {2}chain_ids {2}x\nNOT_IN_ANSWER {2}chain_ids {2}y\n/);
  }, () => ({ data: [{ chain_id: "alder" }] }));
});

Deno.test("fetch.ts reads ids from a file as text: the column of that name, or the first", () =>
  withService(async ({ env, got, folder }) => {
    await Deno.writeTextFile(
      `${folder}/named.csv`,
      '\ufeffname,project_id\nA,007\n"B, b","1e5"\nC,\nD,"ünï"\n',
    );
    await Deno.writeTextFile(`${folder}/first.csv`, "id,name\n08,A\n");
    const args = ["metric_aggregations", "--project-ids", `@${folder}/named.csv`];
    const { code, stderr } = await runScript(FETCH, [
      ...args,
      "--project-ids",
      `@${folder}/first.csv`,
      "--project-ids",
      "x, y",
    ], { env });
    strictEqual(code, 0);
    strictEqual(
      got[0]?.path,
      `/v2/metric-aggregations?project_ids=007,1e5,${encodeURIComponent("ünï")},08,x,y`,
    );
    deepStrictEqual(
      stderr.split("\n").sort(),
      [
        "",
        `--project-ids: ${folder}/first.csv has no column project_ids; reading its first column, id`,
        `--project-ids: ${folder}/named.csv: 1 rows without an id left out`,
      ],
    );
  }, () => ({ data: [] })));

Deno.test("fetch.ts stores responses in a cache, reads them, and refreshes them", () =>
  withService(async ({ env, got, folder }) => {
    const run = (...args: string[]) =>
      runScript(FETCH, ["cohort_analysis", "--cache", `${folder}/answers`, ...args], { env });
    const first = await run();
    const again = await run();
    const offline = await run("--offline");
    const lock = ["--data-lock", `${folder}/data.lock`];
    const locked = (...args: string[]) =>
      spawnScript(FETCH, ["cohort_analysis", "--cache", `${folder}/answers`, ...args], {
        env: { ...env, CHAINFRAME_LOCK: `${folder}/data.lock` },
      });
    await locked("--offline");
    const same = await locked("--offline");
    strictEqual(same.code, 0);
    match(same.stderr, /^chainframe: lock: 1 of 1 responses as locked; 0 differ$/m);
    strictEqual((await locked("--limit", "1")).code, 3);
    const updated = await spawnScript(
      FETCH,
      ["cohort_analysis", "--cache", `${folder}/answers`, "--limit", "1", ...lock, "--update-lock"],
      { env },
    );
    deepStrictEqual([updated.code, (await locked("--limit", "1")).code], [0, 0], updated.stderr);
    deepStrictEqual([first.code, got.length], [0, 2], first.stderr);
    deepStrictEqual([again.stdout, offline.stdout], [first.stdout, first.stdout]);
    await run("--refresh");
    strictEqual(got.length, 3);
    const none = await run("--offline", "--limit", "3");
    deepStrictEqual([none.code, none.stdout, got.length], [1, "", 3]);
    const byEnvironment = await runScript(FETCH, ["cohort_analysis", "--offline"], {
      env: { ...env, CHAINFRAME_CACHE: `${folder}/answers` },
    });
    deepStrictEqual([byEnvironment.code, byEnvironment.stdout], [0, first.stdout]);
  }));

Deno.test("fetch.ts reads the token from a file that only its owner can read, and replaces files with --force", () =>
  withService(async ({ env: { CHAINFRAME_BASE_URL }, got, folder }) => {
    await Deno.writeTextFile(`${folder}/token`, "from-a-file\n", { mode: 0o600 });
    await Deno.writeTextFile(`${folder}/old.csv`, "old");
    const { code, stderr } = await runScript(FETCH, [
      "cohort_analysis",
      "--token-file",
      `${folder}/token`,
      "--out",
      `${folder}/old.csv`,
      "--force",
    ], { env: { CHAINFRAME_BASE_URL } });
    deepStrictEqual([code, stderr], [0, ""]);
    strictEqual(got[0]?.authorization, "Bearer from-a-file");
    ok((await Deno.readTextFile(`${folder}/old.csv`)).startsWith("project_name,"));
  }));

Deno.test("fetch.ts writes a token that the service sends back neither to stderr nor to a side-car", async () => {
  const told = `${TOKEN} ${
    [...TOKEN].map((each) => `%${each.charCodeAt(0).toString(16)}`).join("")
  }`;
  const body = {
    data: [{ project_id: "a", metric_id: "fees", value: "NaN", [`x ${told}`]: told }],
    errors: [{ code: told, field: told, value: told }, told, { [told]: told }],
    [`note ${told}`]: told,
  };
  await withService(async ({ env, folder }) => {
    const [out, errors] = [`${folder}/a.csv`, `${folder}/errors.csv`];
    const args = ["metric_aggregations", "--out", out, "--errors", errors];
    const { code, stdout, stderr } = await runScript(FETCH, args, { env });
    strictEqual(code, 0, stderr);
    const names = [`${out}.provenance.json`, errors, `${errors}.provenance.json`];
    const files = await Promise.all(names.map((name) => Deno.readTextFile(name)));
    for (const text of [stdout, stderr, ...files]) ok(!/s3cret|%73%33/.test(text), text);
    for (const text of [stderr, ...files]) match(text, /\[token\]/);
  }, () => body);
});

Deno.test("fetch.ts exits with 130 on Ctrl-C, and leaves no files", async () => {
  const reached = Promise.withResolvers<void>();
  const hang = Promise.withResolvers<unknown>();
  await withService(async ({ env, folder }) => {
    const [program, ...args] = commandOf(FETCH, ["cohort_analysis", "--out", `${folder}/a.csv`]);
    const child = new Deno.Command(program!, { args, env, stdout: "piped", stderr: "piped" })
      .spawn();
    await reached.promise;
    child.kill("SIGINT");
    const { code, stdout, stderr } = await child.output();
    deepStrictEqual([code, stdout.length, new TextDecoder().decode(stderr)], [130, 0, ""]);
    deepStrictEqual([...Deno.readDirSync(folder)], []);
    hang.resolve({ data: [] });
  }, () => {
    reached.resolve();
    return hang.promise;
  });
});

Deno.test("fetch.ts exits without an error if its output is closed", async () => {
  const row = { project_id: "a".repeat(50), metric_id: "fees", value: "1" };
  await withService(async ({ env }) => {
    const command = commandOf(FETCH, ["metric_aggregations"]).join(" ");
    const shell = `${command} | head -n 1; echo "\${PIPESTATUS[@]}"`;
    const { stdout, stderr } = await runCommand(["bash", "-c", shell], { env });
    strictEqual(
      stdout,
      "project_name,project_id,metric_id,metric_aggregation_name,value,value_number\n0 0\n",
    );
    strictEqual(stderr, "");
  }, () => ({ data: Array(50_000).fill(row) }));
});

Deno.test("fetch.ts shows a table in a terminal", async () => {
  const chain = { chain_id: "alder", chain_name: "Alder", market_cap_fd_latest: 1234567.5 };
  await withService(async ({ env }) => {
    const args = ["blockchain_comparison"];
    const { screen } = await runOnTerminal(FETCH, args, { env });
    ok(!screen.includes("\x1b"));
    const lines = screen.split("\n");
    deepStrictEqual(lines.slice(0, 3), [
      "chain_id  chain_name  market_cap_fd_latest",
      "                                       US$",
      "alder     Alder                  1,234,568",
    ]);
    match(lines[3]!, /^1 row × 97 columns · all null: market_cap_fd_1d_change, .* and 91 more$/);
    match(lines.at(-2)!, /^blockchain_comparison · live · 127\.0\.0\.1:\d+ · /);
    const binary = await runOnTerminal(FETCH, [...args, "--format", "parquet"], { env });
    deepStrictEqual([binary.code, binary.screen.includes("cannot be shown in a terminal")], [
      2,
      true,
    ]);
    await inFolder(async (folder) => {
      const { screen } = await runOnTerminal(FETCH, [...args, "--out", `${folder}/a.csv`], { env });
      strictEqual(screen, `written: ${folder}/a.csv\n`);
    });
  }, () => ({ data: [chain] }));
});

Deno.test("fetch.ts uses the embedded service, and states that it is sample data", async () => {
  const { code, stdout, stderr } = await spawnScript(FETCH, [
    "blockchain_comparison",
    "--order-by=chain_id",
    "--order-direction=asc",
    "--limit=1",
  ]);
  deepStrictEqual([code, stdout.split("\n")[1]?.split(",")[0]], [0, "alder"]);
  match(stderr, /^chainframe: .*SAMPLE DATA.*\n$/);
});

Deno.test("check.ts exits with 4 for a broken rule of a file or an operation, and with 0 otherwise", () =>
  inFolder(async (folder) => {
    const file = `${folder}/fees.csv`;
    await Deno.writeTextFile(
      file,
      "date,chain_id,fees\n2026-01-01,a,1\n2026-01-02,a,2\n2026-01-02,a,3\n",
    );
    const wrong = await runScript("check.ts", [file]);
    const line = "2026-01-02,a,chain_id,ids are unique,,not the ids of row 1,broken";
    deepStrictEqual([wrong.code, wrong.stdout.split("\n")[1]], [4, line]);
    const right = await runScript("check.ts", ["blockchain_comparison", "--limit", "3"]);
    deepStrictEqual([right.code, right.stdout], [
      0,
      "chain_id,field,rule,value,expected,severity\n",
    ]);
    strictEqual((await runScript("check.ts", ["nonsense"])).code, 2);
  }));

testEveryOption(FETCH);

Deno.test("fetch.ts prints no control characters of a service, also with --debug", async () => {
  const evil = "a\u001b]0;t\u0007\u009b2J\u202eb";
  const answers = [
    () => Response.json({ message: evil }, { status: 400 }),
    () => new Response(evil),
    () => ({ data: [{ chain_id: { [evil]: evil } }] }),
    () => ({ data: [], errors: [{ code: evil, field: evil, value: evil }], [evil]: 1 }),
  ];
  for (const answer of answers) {
    await withService(async ({ env }) => {
      const args = ["blockchain_comparison", "--chain-ids", "x", "--debug"];
      const { stderr } = await runScript(FETCH, args, { env });
      // deno-lint-ignore no-control-regex -- they are what it is about
      ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/.test(stderr), JSON.stringify(stderr));
      match(stderr, /\ufffd/);
    }, answer);
  }
});
