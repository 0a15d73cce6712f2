import { deepStrictEqual, match, ok } from "node:assert/strict";
import { liveService } from "./live_service.ts";
import { inFolder, runScript } from "./run_script.ts";

const REPORT = "report.ts";
const { env, close } = await liveService();

Deno.test("report.ts writes a report of each kind, with charts, a table and its sources", () =>
  inFolder(async (folder) => {
    const starts = `${folder}/starts.csv`;
    await Deno.writeTextFile(starts, "project_id,start\ntidewater,2025-10\nsenal,2026-01\n");
    const cases: [string, string[], RegExp][] = [
      ["retention", ["--by", "market_sector_id"], /cohort analysis/],
      ["comparison", ["--chain-ids", "alder,basalt,cinder"], /chain ids.*alder/],
      ["program", [
        ...["--metric-ids", "fees", "--group-by", "projects", "--from", "2024-07"],
        ...["--field", "fees_sum", "--scale", "total", "--starts", starts],
      ], /metric breakdown/],
    ];
    const event = `${folder}/event.csv`;
    await Deno.writeTextFile(event, "chain_id,start\nfjord,2026-01\n");
    const table = `${folder}/table.csv`;
    await Deno.writeTextFile(table, "protocol,day,fees_usd\naa,2025-01-01,2\nbb,2025-01-01,1\n");
    cases.push(
      ["event", [
        ...["--metric-ids", "tvl", "--group-by", "chains", "--from", "2025-01", "--starts", event],
        ...["--field", "tvl_avg", "--scale", "log", "--method", "synthetic", "--width", "600"],
      ], /metric breakdown/],
      ["comparison", [
        ...["--table", table, "--citation", "Own node", "--license", "CC0", "--title", "Mine"],
        ...[
          "--column-unit",
          "fees_usd=usd",
          "--entity",
          "protocol",
          "--date",
          "day",
          "--limit",
          "5",
          "--theme",
          "dark",
        ],
        ...["--locale", "de-DE"],
      ], /Own node.*CC0/s],
    );
    for (const [kind, args, source] of cases) {
      const path = `${folder}/${kind}${args.length}.html`;
      const { code, stdout, stderr } = await runScript(REPORT, [kind, ...args, "--out", path], {
        env,
      });
      const told = stderr.split("\n").filter((line) =>
        !/^(eventStudy|openFrame|counterfactual): /.test(line)
      );
      deepStrictEqual([code, stdout, told], [0, "", [`written: ${path}`, ""]]);
      const page = await Deno.readTextFile(path);
      match(page, /<figure><div class="wide"><svg /);
      match(page, /<table/);
      match(page.slice(page.indexOf("<h2>Sources</h2>")), source);
    }
  }));

Deno.test("report.ts reports entities that were not found, and keeps an existing file", () =>
  inFolder(async (folder) => {
    const args = ["comparison", "--chain-ids", "alder,nowhere", "--out", `${folder}/chains.html`];
    const { code, stderr } = await runScript(REPORT, args, { env });
    deepStrictEqual([code, /nowhere/.test(stderr)], [0, true]);
    match(await Deno.readTextFile(`${folder}/chains.html`), /Not found: .*nowhere/);
    const again = await runScript(REPORT, args, { env });
    ok(again.code === 2 && /pass --force to replace it/.test(again.stderr), again.stderr);
  }));

Deno.test("report.ts prints one line for wrong arguments", async () => {
  const cases: [string[], RegExp][] = [
    [[], /KIND: is required, one of retention, comparison, program, event/],
    [
      ["chains", "--out", "x.html"],
      /KIND: must be one of retention, comparison, program, event; got "chains"/,
    ],
    [["retention"], /--out/],
    [["retention", "--out", "x.csv"], /--out: must end in \.html; got "x\.csv"/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runScript(REPORT, args, { env });
    deepStrictEqual([code, stderr.split("\n").length], [2, 2]);
    match(stderr, message);
  }
  await close();
});
