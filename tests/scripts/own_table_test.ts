import { match, strictEqual } from "node:assert/strict";
import { inFolder, runScript, spawnScript } from "./run_script.ts";

const env = { CHAINFRAME_BASE_URL: "", CHAINFRAME_TOKEN: "" };

Deno.test("scripts refuse options that contradict --table, by name", () =>
  inFolder(async (folder) => {
    const table = `${folder}/a.csv`;
    await Deno.writeTextFile(table, "protocol,date,fees\naa,2025-01-01,1\n");
    const cases: [string[], RegExp][] = [
      [["--table", table, "--metric-ids", "fees"], /--metric-ids: is an option of the service/],
      [["--table", `${folder}/no.csv`], /--table: no such file/],
      [["--cite", "x"], /--cite: needs --table FILE/],
      [["--table", "https://x.example/a.csv"], /--table: an address needs --cite TEXT/],
      [["--table", table, "--cite", "x", "--column-unit", "fees"], /must be COLUMN=UNIT.*"fees"/],
      [["--table", table, "--cite", "x", "--column-unit", "fee=usd"], /--column-unit: .*fees/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runScript("timeline.ts", args, { env });
      strictEqual(code, 2, stderr);
      match(stderr, message);
    }
  }));

Deno.test("--table FILE needs no --cite: the name of the file is the source", () =>
  inFolder(async (folder) => {
    const table = `${folder}/own.csv`;
    await Deno.writeTextFile(table, "protocol;date;fees\naa;2025-01-01;1\naa;2025-01-02;3\n");
    const out = `${folder}/growth.csv`;
    const args = ["--table", table, "--license", "CC0", "--as", "growth", "--out", out];
    const { code, stderr } = await runScript("timeline.ts", args, { env });
    strictEqual(code, 0, stderr);
    const { provenance } = JSON.parse(await Deno.readTextFile(`${out}.provenance.json`));
    strictEqual(provenance.citation, "own.csv");
    strictEqual(provenance.license, "CC0");
    const again = await runScript("timeline.ts", ["--table", out, "--cite", "x"], { env });
    strictEqual(again.code, 2);
    match(again.stderr, /--table: citation: is stated by the side-car/);
  }));

Deno.test("--table reads an address, with its source, units and the cache", () =>
  inFolder(async (folder) => {
    let requests = 0;
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => {
        requests++;
        return new Response("protocol,date,fees\naa,2025-01-01,1\naa,2025-01-02,3\n");
      },
    );
    const address = `http://127.0.0.1:${server.addr.port}/fees.csv`;
    const own = ["--table", address, "--cite", "Own node", "--license", "CC0"];
    const args = [...own, "--column-unit", "fees=usd", "--cache", `${folder}/cache`];
    const growth = await runScript("timeline.ts", [...args, "--as", "growth"], { env });
    strictEqual(growth.code, 0, growth.stderr);
    match(growth.stdout, /^protocol,date,fees,fees_growth\naa,2025-01-01,1,\naa,2025-01-02,3,2\n$/);
    const out = `${folder}/fees.csv`;
    const saved = await runScript("timeline.ts", [...args, "--offline", "--out", out], { env });
    strictEqual(saved.code, 0, saved.stderr);
    const { provenance, descriptions } = JSON.parse(
      await Deno.readTextFile(`${out}.provenance.json`),
    );
    strictEqual(provenance.citation, "Own node");
    strictEqual(descriptions.fees.unit, "usd");
    strictEqual(requests, 1);
    const wrong = await runScript("timeline.ts", [...own, "--column-unit", "fee=usd"], { env });
    strictEqual(wrong.code, 2);
    match(wrong.stderr, /fee/);
  }));

Deno.test("--data-lock has the table of --table", () =>
  inFolder(async (folder) => {
    const table = `${folder}/a.csv`;
    const lock = `${folder}/data.lock`;
    const args = ["--table", table, "--cite", "Own node", "--data-lock", lock];
    await Deno.writeTextFile(table, "protocol,date,fees\naa,2025-01-01,1\naa,2025-01-02,3\n");
    const first = await spawnScript("timeline.ts", [...args, "--out", `${folder}/a.svg`]);
    strictEqual(first.code, 0, first.stderr);
    await Deno.writeTextFile(table, "protocol,date,fees\naa,2025-01-01,1\naa,2025-01-02,4\n");
    const changed = await spawnScript("timeline.ts", [...args, "--out", `${folder}/b.svg`]);
    strictEqual(changed.code, 3, changed.stderr);
  }));
