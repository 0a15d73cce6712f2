import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { blockchainComparison, connect, provenanceOf } from "../../mod.ts";
import { type FakeService, fakeService } from "./fake_service.ts";
import { killRuns } from "./kill_runs.ts";
import { inFolder, runScript, testEveryOption } from "./run_script.ts";

const ARCHIVE = "archive.ts";

const QUESTIONS = [
  { operation: "blockchain_comparison" },
  { operation: "project", query: { project_id: ["one", "gone"] } },
  {
    operation: "timeline",
    query: {
      metric_ids: ["fees"],
      group_by: "chains",
      every: "month",
      from: "2026-01",
      to: "2026-02",
    },
  },
];

const chain = (chain_id: string, fees: number) => ({
  chain_id,
  chain_name: chain_id,
  ecosystem_fees_30d_sum: fees,
});

/** A service with a comparison set by the test; everything else is constant. */
async function withService(
  work: (service: FakeService, folder: string, say: (chains: unknown) => void) => Promise<void>,
): Promise<void> {
  let chains: unknown = [chain("a", 1), chain("b", 2)];
  const service = fakeService((operation, request) => {
    if (operation === "blockchain_comparison") {
      return chains instanceof Response ? chains.clone() : { data: chains };
    }
    if (operation === "project") {
      return request.url.endsWith("/one")
        ? { data: { project_id: "one", name: "One" } }
        : Response.json({ message: "no such project" }, { status: 404 });
    }
    return { data: [{ data_id: "a", chain_id: "a", product_id: null, metrics: { fees: 5 } }] };
  });
  try {
    await inFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/questions.json`, JSON.stringify(QUESTIONS));
      await work(service, folder, (said) => chains = said);
    });
  } finally {
    await service.close();
  }
}

Deno.test("archive.ts prints new, changed, removed and unchanged values, and stores responses", () =>
  withService(async ({ env }, folder, say) => {
    const run = async () => {
      await Deno.writeTextFile(`${folder}/token`, env.CHAINFRAME_TOKEN, { mode: 0o600 });
      const args = [`${folder}/questions.json`, "--dir", `${folder}/answers`];
      const { CHAINFRAME_BASE_URL } = env;
      const { code, stdout, stderr } = await runScript(
        ARCHIVE,
        [...args, "--token-file", `${folder}/token`],
        { env: { CHAINFRAME_BASE_URL } },
      );
      const news = stdout.trimEnd().split("\n").map((line) => line.replace(/^\w+ \{.*?\}: /, ""));
      return [code, stderr, ...news];
    };
    deepStrictEqual(await run(), [0, "", "new: 2 rows", "new: 1 rows", "new: 2 rows"]);
    deepStrictEqual(await run(), [0, "", ...["2", "1", "2"].map((n) => `unchanged: ${n} rows`)]);
    say([chain("b", 3), chain("c", 4)]);
    deepStrictEqual(await run(), [
      0,
      "",
      "changed: 1 values changed, 1 rows new, 1 rows gone; 2 rows",
      "unchanged: 1 rows",
      "unchanged: 2 rows",
    ]);
    const check = await runScript(ARCHIVE, ["--verify", `${folder}/answers`]);
    deepStrictEqual([check.code, check.stderr, check.stdout], [
      0,
      "",
      "5 requests, 6 responses, 6 bodies: all digests are correct\n",
    ]);
  }));

Deno.test("archive.ts --exit-code prints only restated values and broken rules", () =>
  withService(async ({ env }, folder, say) => {
    const run = async (chains: unknown) => {
      say(chains);
      const args = [`${folder}/questions.json`, "--dir", `${folder}/answers`, "--exit-code"];
      const { code, stdout, stderr } = await runScript(ARCHIVE, args, { env });
      const words = ["changed", "gone", "not above a longer window"].filter((word) =>
        new RegExp(`(^|  )${word}(  |$)`, "m").test(stdout)
      );
      return [code, stderr, stdout === "", words];
    };
    const wrong = { ...chain("a", 9), ecosystem_fees_90d_sum: 5 };
    deepStrictEqual(await run([chain("a", 1)]), [0, "", true, []]);
    deepStrictEqual(await run([chain("a", 1), chain("b", 2)]), [0, "", true, []]);
    deepStrictEqual(await run([chain("a", 3)]), [3, "", false, ["changed", "gone"]]);
    deepStrictEqual(await run([wrong]), [5, "", false, ["changed", "not above a longer window"]]);
    deepStrictEqual(await run([wrong]), [4, "", false, ["not above a longer window"]]);
  }));

Deno.test("archive.ts exits with 1 if a query fails, and stores the others", () =>
  withService(async ({ env }, folder, say) => {
    say(Response.json({ message: "not today" }, { status: 402 }));
    const args = [`${folder}/questions.json`, "--dir", `${folder}/answers`];
    const { code, stdout, stderr } = await runScript(ARCHIVE, args, { env });
    deepStrictEqual([code, stdout.trimEnd().split("\n").length], [1, 2]);
    match(stderr, /^blockchain_comparison \{\}: failed: .*not today\n1 of 3 queries failed/);
    strictEqual((await runScript(ARCHIVE, ["--verify", `${folder}/answers`])).code, 0);
  }));

Deno.test("archive.ts exits with 1 if a response cannot be stored", () =>
  withService(async ({ env }, folder) => {
    await Deno.writeTextFile(`${folder}/answers`, "a file, and no folder");
    const args = [`${folder}/questions.json`, "--dir", `${folder}/answers`];
    const { code, stdout } = await runScript(ARCHIVE, args, { env });
    deepStrictEqual([code, stdout], [1, ""]);
  }));

Deno.test("archive.ts --verify lists changed and missing bodies, and damaged headers", () =>
  withService(async ({ env }, folder, say) => {
    const dir = `${folder}/answers`;
    const args = [`${folder}/questions.json`, "--dir", dir];
    for (const fees of [1, 2, 3]) {
      say([chain("a", fees)]);
      strictEqual((await runScript(ARCHIVE, args, { env })).code, 0);
    }
    const names = [...Deno.readDirSync(dir)].map(({ name }) => name).sort()
      .filter((name) => name.startsWith("blockchain_comparison"));
    const bodies = names.filter((name) => name.endsWith(".body.json"));
    const [log] = names.filter((name) => name.endsWith(".jsonl"));
    await Deno.writeTextFile(`${dir}/${bodies[0]}`, "changed");
    await Deno.remove(`${dir}/${bodies[1]}`);
    await Deno.writeTextFile(`${dir}/${log}`, '\n{}\n\n{"chain', { append: true });
    await Deno.writeTextFile(`${dir}/notes.jsonl`, "the user's own");
    const { code, stdout, stderr } = await runScript(ARCHIVE, ["--verify", dir]);
    strictEqual(code, 1);
    match(stdout, /: 3 headers are wrong\n$/);
    for (
      const told of [
        /is not a header of this version/,
        /has no end/,
        /has no body/,
        /has a changed body/,
      ]
    ) match(stderr, told);
    ok(!stderr.includes("notes.jsonl"));
  }));

/** An archive of one request with responses of these days. */
async function archiveOf(dir: string, days: readonly string[]): Promise<void> {
  await Deno.mkdir(dir);
  const stem = `blockchain_comparison-${"0".repeat(32)}`;
  const old = new Date(Date.now() - 100 * 86_400_000);
  for (const day of days) {
    const text = JSON.stringify({ data: [day] });
    const bytes = new TextEncoder().encode(text);
    const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    const body = `${dir}/${stem}.${sha256.slice(0, 16)}.body.json`;
    const time = `${day}T08:00:00.000Z`;
    const header = { chainframe_cache: 2, retrieved_at: time, checked_at: time, sha256 };
    await Deno.writeTextFile(body, text);
    await Deno.utime(body, old, old);
    const line = `\n${JSON.stringify(header)}\n`;
    await Deno.writeTextFile(`${dir}/${stem}.jsonl`, line, { append: true });
  }
}

function staying(dir: string): string[] {
  const [log = ""] = [...Deno.readDirSync(dir)].map(({ name }) => name)
    .filter((name) => name.endsWith(".jsonl"));
  return Deno.readTextFileSync(`${dir}/${log}`).split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line).retrieved_at.slice(0, 10));
}

Deno.test("archive.ts --prune keeps the last version of each older month, and always the newest", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const days = ["2024-01-03", "2024-01-31", "2024-02-01", "2024-02-28", "2024-02-29", "2024-05-05"];
  await inFolder(async (folder) => {
    const dir = `${folder}/answers`;
    await archiveOf(dir, [...days, yesterday, today]);
    const before = [...Deno.readDirSync(dir)].length;
    const args = ["--prune", "--keep-days", "5", dir];
    const dry = await runScript(ARCHIVE, args);
    deepStrictEqual([dry.code, [...Deno.readDirSync(dir)].length], [0, before]);
    match(dry.stdout, /3 headers and 3 bodies would be removed; pass --yes to remove them\n$/);
    const wet = await runScript(ARCHIVE, [...args, "--yes"]);
    match(wet.stdout, /3 headers and 3 bodies were removed\n$/);
    const kept = ["2024-01-31", "2024-02-29", "2024-05-05", yesterday, today];
    deepStrictEqual(staying(dir), kept);
    strictEqual((await runScript(ARCHIVE, ["--verify", dir])).code, 0);
    match((await runScript(ARCHIVE, [...args, "--yes"])).stdout, /0 headers and 0 bodies were/);
  });
  await inFolder(async (folder) => {
    const dir = `${folder}/answers`;
    await archiveOf(dir, ["2024-01-03", "2024-01-31"]);
    await runScript(ARCHIVE, ["--prune", "--keep-days", "0", "--dir", dir, "--yes"]);
    deepStrictEqual(staying(dir), ["2024-01-31"]);
  });
});

Deno.test("archive.ts exits with 2 for wrong arguments, and sends nothing", () =>
  withService(async ({ env, got }, folder) => {
    const file = `${folder}/questions.json`;
    const cases: [args: string[], questions: unknown, told: RegExp][] = [
      [[], QUESTIONS, /QUERIES\.json: is required/],
      [[file], QUESTIONS, /--dir: is required/],
      [[`${folder}/none.json`, "--dir", folder], QUESTIONS, /no such file/],
      [[file, "--dir", folder], {}, /must be a list of queries/],
      [[file, "--dir", folder], [5], /query 1: must be an object/],
      [
        [file, "--dir", folder],
        [{ operation: "projects" }],
        /operation: must be one of .*nearest: project/,
      ],
      [[file, "--dir", folder], [{ operation: "project", query: [] }], /query: must be an object/],
      [
        [file, "--dir", folder],
        [{ operation: "project", when: 1 }],
        /when: must be one of operation, query/,
      ],
      [["--verify", "--prune", folder], QUESTIONS, /give one of them/],
      [["--prune", folder], QUESTIONS, /--keep-days: is required/],
      [["--prune", "--keep-days", "few", folder], QUESTIONS, /--keep-days: must be a whole number/],
      [["--verify", `${folder}/nowhere`], QUESTIONS, /DIR: no such folder/],
    ];
    for (const [args, questions, told] of cases) {
      await Deno.writeTextFile(file, JSON.stringify(questions));
      const { code, stderr } = await runScript(ARCHIVE, args, { env });
      deepStrictEqual([code, told.test(stderr)], [2, true], stderr);
    }
    await Deno.writeTextFile(file, JSON.stringify(QUESTIONS));
    const sample = await runScript(ARCHIVE, [file, "--dir", folder]);
    deepStrictEqual([sample.code, /sample data with --allow-sample/.test(sample.stderr)], [
      2,
      true,
    ]);
    deepStrictEqual(got, []);
  }));

Deno.test("archive.ts stores sample data with --allow-sample, which stays sample data", () =>
  inFolder(async (folder) => {
    const file = `${folder}/questions.json`;
    await Deno.writeTextFile(file, JSON.stringify(QUESTIONS.slice(0, 1)));
    const run = async () => {
      const { stdout } = await runScript(ARCHIVE, [file, "--dir", `${folder}/a`, "--allow-sample"]);
      return /: (\w+): \d+ rows/.exec(stdout)?.[1];
    };
    deepStrictEqual([await run(), await run()], ["new", "unchanged"]);
    const archive = connect({ cache: { dir: `${folder}/a`, mode: "offline" } });
    const { source, sample } = provenanceOf(await blockchainComparison({}, archive));
    deepStrictEqual([source, sample], ["cache", true]);
  }));

testEveryOption(ARCHIVE);

Deno.test("killed runs of archive.ts leave every response readable and correct", () => killRuns(2));
