import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Ended, environmentOf, inFolder, runCommand } from "../../scripts/run_script.ts";

const MOD = new URL("../../../mod.ts", import.meta.url).href;

/** A service whose chains have the given fees, and programs that ask it. */
async function withPrograms(
  work: (program: {
    /** The answer to every question. */
    readonly state: { fees: number; day: string | null; sent: number };
    readonly folder: string;
    readonly env: Record<string, string>;
    /** Returns the command that runs a program. */
    command(code: string): string[];
    run(code: string, env?: Record<string, string>): Promise<Ended>;
  }) => Promise<void>,
): Promise<void> {
  const state = { fees: 1, day: "2026-06-17" as string | null, sent: 0 };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    state.sent++;
    const data = [{ chain_id: "a", ecosystem_fees_1d_sum: state.fees }];
    const headers: HeadersInit = state.day === null ? {} : { "data-through": state.day };
    return Response.json({ data }, { headers });
  });
  await inFolder(async (folder) => {
    const env = {
      CHAINFRAME_BASE_URL: `http://127.0.0.1:${server.addr.port}`,
      CHAINFRAME_TOKEN: "t0ken",
      CHAINFRAME_LOCK: `${folder}/data.lock`,
    };
    let programs = 0;
    const command = (code: string) => {
      const path = `${folder}/program${programs++}.ts`;
      const names = "blockchainComparison, cell, lockReport, openFrame, pl, save, withSource";
      Deno.writeTextFileSync(path, `import { ${names} } from "${MOD}";\n${code}\n`);
      return [Deno.execPath(), "run", "-A", "--no-check", path];
    };
    const run = (code: string, more = {}) =>
      runCommand(command(code), { cwd: folder, env: { ...env, ...more } });
    await work({ state, folder, env, command, run });
  });
  await server.shutdown();
}

function entriesIn(folder: string): { operation: string; query: object; sha256: unknown }[] {
  return JSON.parse(Deno.readTextFileSync(`${folder}/data.lock`)).entries;
}

Deno.test("a lock ends with the exit code 3 however the program ends, and prints a difference when it is found", () =>
  withPrograms(async ({ state, run }) => {
    const ask = `await blockchainComparison(); console.error("asked");`;
    strictEqual((await run(ask)).code, 0);
    state.fees = 2;
    for (
      const end of [
        "",
        "Deno.exit(0);",
        "throw new Error('thrown');",
        "Promise.reject(new Error('thrown')); await new Promise(() => setTimeout(() => {}, 1e4));",
        "setTimeout(() => { throw new Error('thrown') }); await new Promise(() => setTimeout(() => {}, 1e4));",
      ]
    ) {
      const { code, stderr } = await run(`${ask}\n${end}`);
      strictEqual(code, 3, `${end}\n${stderr}`);
      match(
        stderr,
        /lock: the response differs from .*data\.lock: blockchain_comparison \{\}: 1 rows before, 1 now\nasked\n/,
      );
      strictEqual(
        stderr.match(/lock: 0 of 1 responses as locked; 1 differs\n/g)?.length,
        1,
        stderr,
      );
      strictEqual(stderr.includes("thrown"), end.includes("thrown"), stderr);
    }
    strictEqual((await run(`${ask}\nDeno.exit(5);`)).code, 5);
    const caught = "addEventListener('error', (event) => event.preventDefault());" +
      "setTimeout(() => { throw 1 }); await new Promise((done) => setTimeout(done, 50)); Deno.exit(7);";
    strictEqual((await run(`${caught.replace("setTimeout", `${ask}; setTimeout`)}`)).code, 7);
  }));

Deno.test("a moving question is counted if it changed without a stated day", () =>
  withPrograms(async ({ state, run }) => {
    state.day = null;
    strictEqual((await run("await blockchainComparison()")).code, 0);
    state.fees = 2;
    const { code, stderr } = await run("await blockchainComparison()");
    strictEqual(code, 0);
    match(
      stderr,
      /0 of 0 responses as locked; 0 differ; 1 moving \(1 changed without a stated day\)/,
    );
  }));

Deno.test("own data that enters an output is in the lock, and differs by name", () =>
  withPrograms(async ({ folder, run }) => {
    const write = (may: number) =>
      Deno.writeTextFileSync(
        `${folder}/fees.csv`,
        `date,fees_usd\n2024-04-01,100\n2024-05-01,${may}\n`,
      );
    const source = `withSource(pl.readCSV("fees.csv"), { citation: "My fees" })`;
    const outputs = {
      save: `await save(${source}, "out.csv", { force: true });`,
      cell: `cell(${source}, "fees_usd", { row: { date: "2024-05-01" } });`,
      file: `await save(await openFrame("fees.csv"), "out.csv", { force: true });`,
      lists:
        `for (const n of [1, 2]) cell(withSource(pl.DataFrame({ n: [n] }), { citation: "N" }), "n");`,
    };
    write(100);
    const all = Object.values(outputs).join("\n");
    strictEqual((await run(all)).code, 0);
    deepStrictEqual(
      entriesIn(folder).map(({ operation, query, sha256 }) => [
        operation,
        query,
        (sha256 as string[]).length,
      ]),
      [
        ["own data", { citation: "My fees", columns: ["date", "fees_usd"] }, 1],
        ["own data", { citation: "N", columns: ["n"] }, 2],
        ["own data", { file: "fees.csv" }, 1],
      ],
    );
    const same = await run(all);
    strictEqual(same.code, 0);
    match(same.stderr, /lock: 3 of 3 responses and own data as locked; 0 differ\n/);
    strictEqual((await run(`${source}; pl.readCSV("fees.csv")`)).stderr, "");
    write(150);
    for (const name of ["save", "cell", "file"] as const) {
      const { code, stderr } = await run(outputs[name]);
      strictEqual(code, 3, stderr);
      match(stderr, name === "file" ? /own data \{"file":"fees.csv"\}/ : /"citation":"My fees"/);
    }
    const updated = await run(all, { CHAINFRAME_LOCK_UPDATE: "1" });
    strictEqual(updated.code, 0, updated.stderr);
    strictEqual((await run(all)).code, 0);
    write(100);
    strictEqual((await run(outputs.save)).code, 3);
  }));

Deno.test("a full disk is one warning and the exit code 1, and the frames are returned", () =>
  withPrograms(async ({ command, env, folder }) => {
    const long = "x".repeat(3_000);
    const code = `for (const id of ["a", "b"]) console.log((await blockchainComparison({
      chain_ids: [id + "${long}"] })).height);`;
    const limited = `trap '' XFSZ; ulimit -f 2; exec ${command(code).join(" ")}`;
    const { code: exit, stdout, stderr } = await runCommand(["bash", "-c", limited], {
      cwd: folder,
      env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    });
    deepStrictEqual([exit, stdout], [1, "1\n1\n"], stderr);
    strictEqual(
      stderr.match(/lock: cannot write .*data\.lock: nothing was recorded: /g)?.length,
      1,
    );
    match(stderr, /2 not recorded/);
  }));

Deno.test("600 questions with a lock take at most 5 s more than without", () =>
  withPrograms(async ({ folder, run }) => {
    // The time of the processor does not depend on other processes of the machine.
    const code = `import process from "node:process";
      for (let n = 0; n < 600; n++) await blockchainComparison({ chain_ids: ["c" + n] });
      const { user, system } = process.cpuUsage();
      console.log(Math.round((user + system) / 1000));`;
    const without = Number((await run(code, { CHAINFRAME_LOCK: "" })).stdout);
    const first = await run(code);
    const second = await run(code);
    const took = [without, Number(first.stdout), Number(second.stdout)];
    deepStrictEqual([first.code, second.code, entriesIn(folder).length], [0, 0, 600]);
    ok(Math.max(...took) - without < 5_000, `${took}`);
  }));

Deno.test("two first runs at once end with 0 and record all entries", () =>
  withPrograms(async ({ folder, run }) => {
    const asking = (name: string) =>
      `for (let n = 0; n < 40; n++) {
         await blockchainComparison({ chain_ids: ["${name}" + n] });
         await new Promise((done) => setTimeout(done, 20));
       }`;
    const ended = await Promise.all([run(asking("a")), run(asking("b")), run(asking("c"))]);
    deepStrictEqual(ended.map(({ code }) => code), [0, 0, 0], ended[0].stderr);
    strictEqual(entriesIn(folder).length, 120);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    deepStrictEqual(names.filter((name) => name.startsWith("data.lock")), ["data.lock"]);
  }));

Deno.test("30 kills of a run lose no entry, and the next run merges all", () =>
  withPrograms(async ({ folder, env, command, run }) => {
    const code = `const from = Number(Deno.args[0]);
      for (let n = 0; ; n++) {
        await blockchainComparison({ chain_ids: [from + "-" + n] });
        console.log("x");
      }`;
    const [program, ...args] = command(code);
    const asked = new Map<number, number>();
    for (let kill = 0; kill < 30; kill++) {
      const child = new Deno.Command(program!, {
        args: [...args, `${kill}`],
        env: environmentOf(env),
        clearEnv: true,
        cwd: folder,
        stdout: "piped",
        stderr: "null",
      }).spawn();
      let lines = 0;
      for await (const bytes of child.stdout) {
        lines += bytes.filter((byte) => byte === 10).length;
        if (lines > kill) break;
      }
      child.kill("SIGKILL");
      await child.status;
      asked.set(kill, lines);
    }
    const last = await run(`await blockchainComparison(); lockReport();`);
    strictEqual(last.code, 0, last.stderr);
    const entries = new Set(entriesIn(folder).map(({ query }) => JSON.stringify(query)));
    for (const [kill, lines] of asked) {
      for (let n = 0; n < lines; n++) ok(entries.has(`{"chain_ids":["${kill}-${n}"]}`));
    }
    deepStrictEqual(
      [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
        /lock\.|\.tmp$/.test(name)
      ),
      [],
    );
  }));
