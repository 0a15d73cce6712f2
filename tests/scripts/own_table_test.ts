import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { inFolder, runScript, spawnScript } from "./run_script.ts";

const env = { CHAINFRAME_BASE_URL: "", CHAINFRAME_TOKEN: "" };

Deno.test("scripts refuse options that contradict --table, by name", () =>
  inFolder(async (folder) => {
    const table = `${folder}/a.csv`;
    await Deno.writeTextFile(table, "protocol,date,fees\naa,2025-01-01,1\n");
    const cases: [string[], RegExp][] = [
      [["--table", table, "--metric-ids", "fees"], /--metric-ids: is an option of the service/],
      [["--table", `${folder}/no.csv`], /--table: no such file/],
      [["--citation", "x"], /--citation: needs --table FILE/],
      [["--table", "https://x.example/a.csv"], /--table: an address needs --citation TEXT/],
      [
        ["--table", table, "--citation", "x", "--column-unit", "fees"],
        /must be COLUMN=UNIT.*"fees"/,
      ],
      [["--table", table, "--citation", "x", "--column-unit", "fee=usd"], /--column-unit: .*fees/],
      [["--table", table, "--entity", "protocl"], /--entity: must be one of .*nearest: protocol/],
      [["--table", table, "--date", "fees"], /--date: fees: expected days/],
      [["--entity", "protocol"], /--entity: needs --table FILE/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await runScript("timeline.ts", args, { env });
      strictEqual(code, 2, stderr);
      match(stderr, message);
    }
  }));

Deno.test("--table FILE needs no --citation: the name of the file is the source", () =>
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
    const again = await runScript("timeline.ts", ["--table", out, "--citation", "x"], { env });
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
    const own = ["--table", address, "--citation", "Own node", "--license", "CC0"];
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

Deno.test("--entity and --date state who the rows of a table are, and messages name them", () =>
  inFolder(async (folder) => {
    const rows = [0, 1, 2].flatMap((month) =>
      ["oak", "elm"].map((vault, at) => {
        const place = (at + month) % 2 + 1;
        return `#${place},${vault},2025-0${month + 1}-01,2025-0${month + 2}-01,${10 * (month + 1)}`;
      })
    );
    const table = `${folder}/a.csv`;
    await Deno.writeTextFile(table, `place,vault,day,paid,fees\n${rows.join("\n")}\n`);
    const args = ["--table", table, "--citation", "Own node", "--as", "growth"];
    const refused = await runScript("timeline.ts", args, { env });
    strictEqual(refused.code, 2, refused.stderr);
    match(refused.stderr, /place and vault both make rows unique.*; state one: --entity place/);
    doesNotMatch(refused.stderr, /withSource\(/);
    const stated = await runScript(
      "timeline.ts",
      [...args, "--entity", "vault", "--date", "paid"],
      { env },
    );
    strictEqual(stated.code, 0, stated.stderr);
    const growth = stated.stdout.trim().split("\n").slice(1).map((line) => line.split(",").at(-1));
    deepStrictEqual(growth.map((text) => text && Number(text).toFixed(3)), [
      ...["", ""],
      ...["1.000", "1.000"],
      ...["0.500", "0.500"],
    ]);
    const how = await runScript("timeline.ts", [
      ...["--table", table, "--citation", "Own node", "--entity", "vault", "--date", "day"],
      ...["--every", "quarter"],
    ], { env });
    match(how.stderr, /pass --how sum, mean, last or max/);
  }));

Deno.test("--data-lock has the table of --table", () =>
  inFolder(async (folder) => {
    const table = `${folder}/a.csv`;
    const lock = `${folder}/data.lock`;
    const args = ["--table", table, "--citation", "Own node", "--data-lock", lock];
    await Deno.writeTextFile(table, "protocol,date,fees\naa,2025-01-01,1\naa,2025-01-02,3\n");
    const first = await spawnScript("timeline.ts", [...args, "--out", `${folder}/a.svg`]);
    strictEqual(first.code, 0, first.stderr);
    await Deno.writeTextFile(table, "protocol,date,fees\naa,2025-01-01,1\naa,2025-01-02,4\n");
    const changed = await spawnScript("timeline.ts", [...args, "--out", `${folder}/b.svg`]);
    strictEqual(changed.code, 3, changed.stderr);
  }));
