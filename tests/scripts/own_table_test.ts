import { match, strictEqual } from "node:assert/strict";
import { inFolder, runScript } from "./run_script.ts";

const env = { CHAINFRAME_BASE_URL: "", CHAINFRAME_TOKEN: "" };

Deno.test("scripts refuse options that contradict --table, by name", () =>
  inFolder(async (folder) => {
    const table = `${folder}/a.csv`;
    await Deno.writeTextFile(table, "protocol,date,fees\naa,2025-01-01,1\n");
    const cases: [string[], RegExp][] = [
      [["--table", table, "--metric-ids", "fees"], /--metric-ids: is an option of the service/],
      [["--table", `${folder}/no.csv`], /--table: no such file/],
      [["--cite", "x"], /--cite: needs --table FILE/],
      [["--table", table, "--license", "CC0"], /--license: needs --cite TEXT/],
      [["--table", table, "--cite", "x", "--column-unit", "fees"], /must be COLUMN=UNIT.*"fees"/],
      [["--table", table, "--cite", "x", "--column-unit", "fee=usd"], /--column-unit: .*fees/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runScript("timeline.ts", args, { env });
      strictEqual(code, 2, stderr);
      match(stderr, message);
    }
  }));
