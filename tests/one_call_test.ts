import { ok } from "node:assert/strict";
import { join } from "node:path";

const MOD = new URL("../mod.ts", import.meta.url).href;

const IMPORT = `import { blockchainComparison, connect } from ${JSON.stringify(MOD)};
console.log(connect.name, blockchainComparison.name);`;
const CALL = `
const data = [{ chain_id: "a", chain_name: "A", ecosystem_tvl_latest: 1 }];
const fetch = () => Promise.resolve(Response.json({ data }));
const connection = connect({ baseUrl: "https://example.org", token: "t", fetch });
console.log(await blockchainComparison({ limit: 5 }, connection));
`;

interface Covered {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** How often each function of each file of lib was called by a script. */
async function callsOf(code: string): Promise<Map<string, number[]>> {
  const folder = await Deno.makeTempDir();
  try {
    const script = join(folder, "script.ts");
    await Deno.writeTextFile(script, code);
    const { code: exit, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "--quiet", `--coverage=${folder}/coverage`, script],
      env: { NO_COLOR: "1", CHAINFRAME_CACHE: "" },
    }).output();
    ok(exit === 0, new TextDecoder().decode(stderr));
    const calls = new Map<string, number[]>();
    for await (const { name } of Deno.readDir(`${folder}/coverage`)) {
      if (!name.endsWith(".json")) continue;
      const { url, functions }: Covered = JSON.parse(
        await Deno.readTextFile(`${folder}/coverage/${name}`),
      );
      // The first function is the module itself.
      const counts = functions.slice(1).map(({ ranges }) => ranges[0]?.count ?? 0);
      if (url.includes("/lib/")) calls.set(url.split("/lib/").at(-1)!, counts);
    }
    return calls;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const MOST_FILES = 30;

Deno.test("one blockchainComparison, printed, runs through at most 30 files of lib", async () => {
  const before = await callsOf(IMPORT);
  const after = await callsOf(IMPORT + CALL);
  const sum = (counts: readonly number[] = []) => counts.reduce((all, count) => all + count, 0);
  const files = [...after].filter(([path, counts]) => sum(counts) > sum(before.get(path)))
    .map(([path]) => path).sort();
  ok(files.includes("operations/blockchain_comparison.ts"), "the coverage is read");
  ok(files.length <= MOST_FILES, `${files.length} files: ${files.join(" ")}`);
});
