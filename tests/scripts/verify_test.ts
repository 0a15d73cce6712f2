import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  blockchainComparison,
  cell,
  concentration,
  connect,
  md,
  openFrame,
  pl,
  provenanceOf,
  rankBy,
  report,
  resample,
  save,
  shares,
  where,
  withSource,
} from "../../mod.ts";
import { TOKEN } from "./fake_service.ts";
import { inFolder, runScript, testEveryOption } from "./run_script.ts";

// deno-lint-ignore no-explicit-any -- the kinds of provenance do not matter here
type Any = any;

Deno.test("verify.ts names a changed number, and a page that differs from its side-car", () =>
  inFolder(async (folder) => {
    const file = `${folder}/june.html`;
    const shares = pl.DataFrame({ share: [0.0314], name: ['"A" & <B>\nof Alder'] });
    const parts = [md`${cell(shares, "share", { as: "points" })} of ${cell(shares, "name")}`];
    await save(report({ title: "June", parts }), file);
    const run = () => runScript("verify.ts", [file]);
    const { code, stdout } = await run();
    deepStrictEqual([code, stdout], [
      0,
      "2 numbers agree with the table\nnot computed again, which needs --cache or --tables\n",
    ]);
    const page = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, page.replace("3.1 points", "3.7 points"));
    const changed = await run();
    deepStrictEqual([changed.code, changed.stdout.split("\n")], [1, [
      "number 1, share: the text has 3.7 points (0.0314), the table 3.1 points (0.0314)",
      "the page differs from its side-car",
      "not computed again, which needs --cache or --tables",
      "",
    ]]);
    for (const text of ["{", "null"]) {
      await Deno.writeTextFile(`${file}.provenance.json`, text);
      const damaged = await run();
      deepStrictEqual([damaged.code, damaged.stderr], [1, ""]);
      match(damaged.stdout, /^the page differs from its side-car$/m);
    }
    strictEqual((await runScript("verify.ts", [`${folder}/none.html`])).code, 2);
  }));

Deno.test("verify.ts --cache computes numbers again, and exits with 3 if one differs", () =>
  inFolder(async (folder) => {
    const [file, archive, later] = [`${folder}/june.html`, `${folder}/archive`, `${folder}/later`];
    const ask = (fees: number, dir: string) =>
      blockchainComparison(
        {},
        connect({
          baseUrl: "http://127.0.0.1:9",
          token: TOKEN,
          fetch: () =>
            Promise.resolve(Response.json({
              data: [["a", fees], ["b", 5], ["c", 1]].map(([chain_id, value]) => (
                {
                  chain_id,
                  chain_name: `<${chain_id}> & "co"`,
                  ecosystem_fees_30d_sum: value,
                  ecosystem_fees_90d_sum: 9,
                }
              )),
            })),
          cache: { dir, maxAge: 0 },
        }),
      );
    const fees = "ecosystem_fees_30d_sum";
    const chains = await ask(3, archive);
    const ranked = rankBy(chains.filter(pl.col(fees).gt(pl.lit(2))), { field: fees });
    const share = concentration(where(chains, { chain_id: ["a", "c"] }), { field: fees });
    const joined = chains.join(pl.DataFrame({ chain_id: ["a"] }), { on: "chain_id" });
    const own = pl.DataFrame({ share: [0.5] });
    await save(
      report({
        title: "June",
        parts: [
          md`${cell(chains, fees, { row: { chain_id: "a" } })} ${
            cell(ranked, "rank", { row: { chain_id: "a" } })
          } ${cell(share, "top_1_share")} ${cell(joined, fees)} ${cell(own, "share")} ${
            cell(chains, "chain_name", { row: { chain_id: "b" } })
          }`,
        ],
      }),
      file,
    );
    const page = await Deno.readTextFile(file);
    match(
      page,
      /<td>filter \[\(col\(&quot;ecosystem.*?\) &gt; \(2.0\)\], rankBy \{&quot;field&quot;:/,
    );
    match(
      page,
      /<td>where \{&quot;chain_id&quot;:\[&quot;a&quot;,&quot;c&quot;\]\}, concentration \{&quot;field/,
    );
    await new Promise((done) => setTimeout(done, 5));
    await ask(7, archive);
    await ask(7, later);
    const run = async (dir: string) => {
      const { code, stdout, stderr } = await runScript("verify.ts", [file, "--cache", dir]);
      return [code, stderr, ...stdout.trim().split("\n")];
    };
    const agree = "6 numbers agree with the table";
    const others = [
      "number 4, ecosystem_fees_30d_sum: not computed again: source: a frame that openFrame or an operation did not make has no recipe",
      "number 5, share: not computed again: source: a frame that openFrame or an operation did not make has no recipe",
    ];
    deepStrictEqual(await run(archive), [
      ...[6, "", agree, ...others, "4 of 4 as computed again; 2 not computed again"],
    ]);
    deepStrictEqual(await run(later), [
      ...[3, "", agree],
      "number 1, ecosystem_fees_30d_sum: the page has 3, computed again 7",
      "number 2, rank: the page has 2, computed again 1",
      "number 3, top_1_share: the page has 0.75, computed again 0.875",
      ...[...others, "1 of 4 as computed again; 2 not computed again"],
    ]);
    const foreign = page.replace("&quot;BinaryExpr&quot;", "&quot;FfiPlugin&quot;")
      .replaceAll("[&quot;concentration&quot;", "[&quot;save&quot;");
    await Deno.writeTextFile(file, foreign);
    deepStrictEqual(await run(archive), [
      ...[1, "", "the page differs from its side-car"],
      "number 2, rank: not computed again: step 1, filter: the expression has the node FfiPlugin, which is not permitted",
      "number 3, top_1_share: not computed again: step 2, save: is unknown; it is not a step",
      ...[...others, "2 of 2 as computed again; 4 not computed again"],
    ]);
    strictEqual((await runScript("verify.ts", [file, "--cache", `${folder}/none`])).code, 1);
  }));

Deno.test("verify.ts reads the marked table only, and takes linear time for broken pages", () =>
  inFolder(async (folder) => {
    const file = `${folder}/june.html`;
    const texts = { id: ["1", "2"], a: ["x", "y"], b: ["x", "y"], c: ["x", "y"] };
    const share = pl.DataFrame({ share: [0.0314] });
    const parts = [md`${cell(share, "share")}`, pl.DataFrame(texts)];
    await save(report({ title: "June", parts }), file);
    const { code, stdout } = await runScript("verify.ts", [file]);
    deepStrictEqual([code, stdout.split("\n")[0]], [0, "1 number agrees with the table"]);
    for (const broken of ['<data id="number-1" value="', "<tr><td>1</td><td>", "<table>", "<td"]) {
      await Deno.writeTextFile(file, broken.repeat(200_000 / broken.length));
      const start = performance.now();
      strictEqual((await runScript("verify.ts", [file])).code, 1);
      ok(performance.now() - start < 3_000, `${broken}: ${performance.now() - start} ms`);
    }
  }));

Deno.test("verify.ts --tables compares files of own data, and computes only their numbers again", () =>
  inFolder(async (folder) => {
    const [file, data] = [`${folder}/june.html`, `${folder}/data`];
    await Deno.mkdir(data);
    const fees = `${data}/fees.csv`;
    const write = (may: number) =>
      Deno.writeTextFile(fees, `date,chain_id,fees_usd\n2024-04,a,100\n2024-05,a,${may}\n`);
    await write(50);
    const citation = "My fees";
    const columns = { fees_usd: { unit: "usd", adds: "both" } } as const;
    const own = withSource(await openFrame(fees), { citation, columns });
    const filtered = withSource((await openFrame(fees)).head(1), { citation });
    const records = withSource(pl.DataFrame({ n: [7] }), { citation });
    const read = withSource(pl.readCSV(fees, { sep: ";" }), { citation });
    const saved = withSource(pl.DataFrame({ share: [0.25] }), { citation });
    await save(saved, `${data}/shares.parquet`);
    const total = where(own, { date: "2024-04" });
    const text = md`${cell(own, "fees_usd", { row: { date: "2024-05" } })} ${
      cell(total, "fees_usd", { row: { date: "2024-04" } })
    } ${cell(filtered, "fees_usd")} ${cell(records, "n")} ${
      cell(read.head(1), "date,chain_id,fees_usd")
    } ${cell(saved, "share")} ${
      cell(await openFrame(fees), "fees_usd", { row: { date: "2024-05" } })
    }`;
    await save(report({ title: "June", parts: [text] }), file);
    const run = async (...args: string[]) => {
      const { code, stdout } = await runScript("verify.ts", [file, ...args]);
      return [code, ...stdout.trim().split("\n")];
    };
    const not = [
      `number 4, n: not computed again: no file of ${data} has the values of this frame`,
      "number 5, date,chain_id,fees_usd: not computed again: openFrame reads other values from fees.csv: options of reading are not recorded",
    ];
    const agree = "7 numbers agree with the table";
    deepStrictEqual(await run("--tables", data), [
      ...[6, agree, ...not, "5 of 5 as computed again; 2 not computed again"],
    ]);
    strictEqual(
      (await run("--cache", data)).at(-1),
      "0 of 0 as computed again; 7 not computed again",
    );
    strictEqual((await run("--tables", data, "--permit-unchecked"))[0], 0);
    await write(75);
    const differs = "fees.csv differs from the file of the recipe";
    deepStrictEqual(await run("--tables", data), [
      3,
      agree,
      ...["1, fees_usd", "2, fees_usd", "3, fees_usd", "5, date,chain_id,fees_usd", "7, fees_usd"]
        .map((number) => `number ${number}: ${differs}`),
      ...not.slice(0, 1),
      "1 of 6 as computed again; 1 not computed again",
    ]);
    await Deno.remove(fees);
    const gone = await run("--tables", data);
    deepStrictEqual([gone[0], gone.at(-1)], [6, "1 of 1 as computed again; 6 not computed again"]);
  }));

Deno.test("verify.ts --tables opens only files of its folder, and does not say whether others exist", () =>
  inFolder(async (folder) => {
    const [file, data] = [`${folder}/page.html`, `${folder}/data`];
    await Deno.mkdir(data);
    await Deno.mkdir(`${data}/sub`);
    await Deno.writeTextFile(`${data}/gas.csv`, "place,gas\na,1\nb,2\n");
    const own = withSource(await openFrame(`${data}/gas.csv`), { citation: "own" });
    const number = cell(own, "gas", { row: { place: "b" } });
    await save(report({ title: "Gas", parts: [md`Gas: ${number}.`] }), file);
    const page = await Deno.readTextFile(file);
    for (const copy of ["../gas.csv", "sub/gas.csv", "gas.txt"]) {
      await Deno.copyFile(`${data}/gas.csv`, `${data}/${copy}`);
    }
    const named = async (name: string) => {
      const forged = page.replaceAll("&quot;gas.csv&quot;", `&quot;${name}&quot;`);
      ok(forged.includes(name), page);
      await Deno.writeTextFile(`${folder}/forged.html`, forged);
      const { stdout } = await runScript("verify.ts", [`${folder}/forged.html`, "--tables", data]);
      return stdout.split("\n").slice(-3).join(" ").replace(name, "NAME");
    };
    match(await named("gas.csv"), / 1 of 1 as computed again $/);
    const missing = await named("missing.csv");
    match(missing, /not computed again: .* has no file NAME 0 of 0 as computed again/);
    const outside = [
      "../gas.csv",
      "../none.csv",
      "sub/gas.csv",
      `${folder}/gas.csv`,
      "gas.txt",
      "..",
    ];
    for (const name of outside) strictEqual(await named(name), missing, name);
  }));

Deno.test("verify.ts --cache finds the body of an address with secret parameters by its digest", () =>
  inFolder(async (folder) => {
    const [secret, other] = ["0123456789abcdef0123", "account-of-somebody-else"];
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      ({ url }) => new Response(`protocol,fees\noak,${url.includes(secret) ? 12 : 34}\n`),
    );
    const cache = { dir: `${folder}/answers` } as const;
    const open = (account: string) =>
      openFrame(
        `http://127.0.0.1:${server.addr.port}/fees.csv?day=1&account=${account}`,
        { citation: "Own node", secret: ["account"] },
        connect({ cache }),
      );
    // The two bodies have one address in the cache.
    const frame = await open(secret);
    await open(other);
    await server.shutdown();
    const file = `${folder}/fees.html`;
    await save(report({ title: "Fees", parts: [md`Fees: ${cell(frame, "fees")}.`] }), file);
    const page = await Deno.readTextFile(file);
    ok(!page.includes(secret) && page.includes("[hidden]"));
    const verify = async () => {
      const { code, stdout } = await runScript("verify.ts", [file, "--cache", cache.dir]);
      ok(!stdout.includes(secret));
      return [code, stdout.split("\n").at(-2)];
    };
    deepStrictEqual(await verify(), [0, "1 of 1 as computed again"]);
    const { file_sha256 } = provenanceOf(frame) as Any;
    const forged = page.replaceAll(file_sha256, "0".repeat(64));
    await Deno.writeTextFile(file, forged);
    const { code, stdout } = await runScript("verify.ts", [file, "--cache", cache.dir]);
    strictEqual(code, 1);
    match(stdout, /not computed again: .*\n0 of 0 as computed again; 1 not computed again\n$/);
  }));

Deno.test("verify.ts refuses a page of more than 500 open elements before its tree is built", () =>
  inFolder(async (folder) => {
    const file = `${folder}/page.html`;
    const run = async (html: string) => {
      await Deno.writeTextFile(file, html);
      const started = performance.now();
      const { code, stderr } = await runScript("verify.ts", [file]);
      ok(performance.now() - started < 2_000, html.slice(0, 20));
      strictEqual(code, 1);
      return stderr;
    };
    for (
      const tag of ["<div>", "<DIV a='>'>", '<b class="x>">', "<i>text</b>", "<svg><g>", "<x/>"]
    ) {
      const message = "verify.ts: at most 500 elements of a page may be open at once\n";
      strictEqual(await run(tag.repeat(200_000)), message);
      strictEqual(await run(tag.repeat(tag === "<svg><g>" ? 250 : 500)), "");
      strictEqual(await run(`<p>${tag}`.repeat(251)), message);
    }
    // The parser keeps these open, or builds their tree in the square of their number.
    for (
      const [start, part] of [
        ["", "<svg/>"],
        ["", "<math/>"],
        ["", "<div><svg/></div>"],
        ["<svg>", "<desc/>"],
        ["<svg>", "<g id=a/>"],
        ["<script/>", "<div>"],
        ["<title />", "<div>"],
      ] as const
    ) {
      const message = "verify.ts: at most 500 elements of a page may be open at once\n";
      strictEqual(await run(start + part.repeat(200_000)), message, start + part);
      strictEqual(await run(start + part.repeat(400)), "", start + part);
    }
    strictEqual(await run("<svg/></svg>".repeat(20_000)), "");
    strictEqual(await run(`<svg>${"<path d='M0 0' id='a'/>".repeat(20_000)}</svg>`), "");
    for (const part of ["<p>", "<br>", "<div></div>", "<!-- <div> -->", "</div>", "< div>"]) {
      strictEqual(await run(part.repeat(1_000)), "", part);
    }
    strictEqual(await run(`<svg>${"<path d='M0 0'/>".repeat(1_000)}</svg>`), "");
    strictEqual(await run(`<script>${"<div>".repeat(1_000)}</script>`), "");
    strictEqual(
      await run(`<title>${"<div>".repeat(1_000)}</title><div a='${"<b>".repeat(999)}'>`),
      "",
    );
    strictEqual(await run(`${"<script>x</SCRIPT>".repeat(20_000)}<!-- ${"<div>".repeat(999)}`), "");
    strictEqual(await run(`<a "${"<a ".repeat(1_000)}`), "");
  }));

Deno.test("verify.ts computes all numbers of a chain of steps again, and finds one altered byte", () =>
  inFolder(async (folder) => {
    const [file, data] = [`${folder}/own.html`, `${folder}/data`];
    await Deno.mkdir(data);
    const rows = Array.from({ length: 62 }, (_, at) => {
      const day = new Date(Date.UTC(2026, 0, 1 + Math.floor(at / 2))).toISOString().slice(0, 10);
      return `${day},${at % 2 ? "oak" : "elm"},${at % 2 ? 30 : 20}\n`;
    });
    await Deno.writeTextFile(`${data}/fees.csv`, `day,tree,fees\n${rows.join("")}`);
    const table = await openFrame(`${data}/fees.csv`);
    const named = table.rename({ day: "date" })
      .withColumns(pl.col("fees").mul(2).alias("fees"));
    const own = withSource(named, {
      citation: "Own node",
      columns: { fees: { unit: "usd", adds: "both" } },
    });
    const parts = shares(resample(own, { every: "month" }), { field: "fees" });
    const known = pl.DataFrame({ tree: ["oak"] });
    const text = md`${cell(parts, "share", { row: { tree: "oak" } })} of ${
      cell(parts, "total", { row: { tree: "elm" } })
    }, ${cell(own.sort("date").head(1), "fees", { row: { date: "2026-01-01" } })}`;
    await save(report({ title: "Own", parts: [text] }), file);
    const run = () => runScript("verify.ts", [file, "--tables", data]);
    const same = await run();
    deepStrictEqual([same.code, same.stdout.trim().split("\n").at(-1)], [
      0,
      "3 of 3 as computed again",
    ]);
    await Deno.writeTextFile(
      `${data}/fees.csv`,
      `day,tree,fees\n${rows.join("")}`.replace("30", "31"),
    );
    const changed = await run();
    strictEqual(changed.code, 3);
    match(changed.stdout, /fees\.csv differs from the file of the recipe/);
    // polars cannot write this function, and the page is saved all the same.
    const upper = (pl.col("tree") as Any).str.toUpperCase();
    const opaque = own.filter(upper.eq(pl.lit("OAK"))).head(1);
    const lost = md`${cell(own.join(known, { on: "tree" }).head(1), "fees")} ${
      cell(opaque, "fees")
    }`;
    await save(report({ title: "Own", parts: [lost] }), file, { force: true });
    const unchecked = await run();
    strictEqual(unchecked.code, 6);
    match(unchecked.stdout, /not computed again: source: a frame that openFrame/);
    match(unchecked.stdout, /not computed again: filter: the function of polars cannot be written/);
  }));

Deno.test("verify.ts reads the recipes of pages of 0.5.0", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/data`);
    const fees = "date,chain_id,fees_usd\n2024-04,a,100\n2024-05,a,50\n";
    await Deno.writeTextFile(`${folder}/data/fees.csv`, fees);
    const own = withSource(await openFrame(`${folder}/data/fees.csv`), { citation: "My fees" });
    const number = where(own, { date: "2024-05" });
    const file = `${folder}/old.html`;
    await save(report({ title: "Old", parts: [md`${cell(number, "fees_usd")}`] }), file);
    const { frame_sha256, file_sha256 } = provenanceOf(own) as Any;
    const old = {
      ...{ file: "fees.csv", file_sha256, frame_sha256 },
      source: { citation: "My fees", sample: false, columns: {} },
      steps: [["where", { date: "2024-05" }]],
      ...{ field: "fees_usd", keys: {} },
    };
    const escaped = JSON.stringify(old).replaceAll('"', "&quot;");
    const page = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, page.replace(/data-recipe="[^"]*"/, `data-recipe="${escaped}"`));
    const { stdout } = await runScript("verify.ts", [file, "--tables", `${folder}/data`]);
    match(stdout, /^1 of 1 as computed again$/m);
  }));

testEveryOption("verify.ts");
