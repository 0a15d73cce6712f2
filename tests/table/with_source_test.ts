import { deepStrictEqual, match, rejects, strictEqual, throws } from "node:assert/strict";
import {
  blockchainComparison,
  contributions,
  errorsOf,
  openFrame,
  pl,
  plotComparison,
  provenanceOf,
  save,
  topN,
  withSource,
} from "../../mod.ts";
import { inputsOf } from "../../lib/table/provenance.ts";

const RAW = { chain_id: ["alder", "basalt", "cinder"], vc_usd: [5e6, 2e6, 1e6], team: [9, 4, 2] };
const GIVEN = {
  citation: "VC database, export of 3 June 2026",
  url: "https://vc.example.org/",
  retrievedAt: "2026-06-03",
  columns: {
    vc_usd: { unit: "usd", title: "Venture capital", adds: "both" },
    team: { unit: "people" },
  },
} as const;
const chains = await blockchainComparison();
const mine = withSource(pl.DataFrame(RAW), GIVEN);

Deno.test("withSource states the source, which combinations, captions and displays name", () => {
  const { kind, citation, url, retrieved_at, sample } = provenanceOf(mine) as never as Record<
    string,
    unknown
  >;
  deepStrictEqual([kind, citation, url, retrieved_at, sample], [
    ...["given", GIVEN.citation, GIVEN.url, new Date("2026-06-03"), false],
  ]);
  strictEqual(errorsOf(mine).height, 0);
  match(
    Deno.inspect(mine),
    /US\$ +people\n.*\n.*\n.*\n3 rows.* · VC database, export of 3 June 2026/,
  );
  const joined = chains.join(mine, { on: "chain_id" });
  const provenance = provenanceOf(joined);
  deepStrictEqual(
    [provenance.kind, provenance.sample, inputsOf(provenance).map(({ kind }) => kind)],
    ["combined", true, ["response", "given"]],
  );
  const { caption, title } = plotComparison(joined, { field: "vc_usd" }) as never as Record<
    string,
    unknown
  >;
  match(`${title} ${caption ?? ""}`, /^Venture capital/);
});

Deno.test("own columns add as withSource states, and not at all otherwise", () => {
  const at = (field: string) => topN(mine, { field, limit: 1 }).toRecords().at(-1)![field];
  strictEqual(at("vc_usd"), 3e6);
  strictEqual(at("team"), null);
  const dated = mine.withColumn(pl.lit(new Date("2026-01-01")).cast(pl.Date).alias("date"));
  throws(() => contributions(dated, { field: "team" }), /team: it is a people/);
});

Deno.test("frames of pl are tracked with an unknown origin, which keeps SAMPLE DATA in joins", async () => {
  const own = pl.DataFrame(RAW);
  strictEqual(provenanceOf(own).kind, "unknown");
  throws(() => errorsOf(own), /provenance unknown/);
  const joined = own.join(chains, { on: "chain_id" });
  match(Deno.inspect(joined), /derived from origin unknown \+ blockchain_comparison · SAMPLE DATA/);
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/vc.csv`;
    await Deno.writeTextFile(path, own.writeCSV() as unknown as string);
    const read = provenanceOf(pl.readCSV(path));
    deepStrictEqual([read.kind === "unknown" && read.file], ["vc.csv"]);
    strictEqual(read.kind === "unknown" && read.file_sha256?.length, 64);
    const opened = await openFrame(path);
    deepStrictEqual(provenanceOf(opened), read);
    await save(chains.join(mine, { on: "chain_id" }), `${folder}/both.csv`);
    const both = await openFrame(`${folder}/both.csv`);
    deepStrictEqual(inputsOf(provenanceOf(both)).map(({ kind }) => kind), ["response", "given"]);
    match(Deno.inspect(both.select("chain_id", "vc_usd", "team")), /US\$ +people/);
    await save(withSource(opened, { citation: "mine" }), `${folder}/mine.parquet`);
    strictEqual(provenanceOf(await openFrame(`${folder}/mine.parquet`)).kind, "given");
    await rejects(openFrame(`${folder}/none.csv`), { code: "ENOENT" });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the digest of withSource does not depend on the order of rows and columns", () => {
  const digest = (frame: typeof mine) =>
    (provenanceOf(frame) as { frame_sha256: string }).frame_sha256;
  const other = pl.DataFrame(RAW).sort("vc_usd").select("team", "vc_usd", "chain_id");
  strictEqual(digest(withSource(other, { citation: "other" })), digest(mine));
});

Deno.test("withSource refuses frames with a source, unknown columns and wrong options", () => {
  const own = pl.DataFrame(RAW);
  for (
    const [frame, options, message] of [
      [chains, GIVEN, /^withSource: the frame already has a source: blockchain_comparison; state/],
      [mine, GIVEN, /already has a source: VC database, export of 3 June 2026; state/],
      [own.join(chains, { on: "chain_id" }), GIVEN, /already has a source: blockchain_comparison/],
      [own, { citation: " " }, /^withSource: citation: must be a text; got " "/],
      [own, { citation: "x", url: "vc" }, /^withSource: url: must be a URL; got "vc"/],
      [own, { citation: "x", columns: { vc: {} } }, /^withSource: columns: must be one of .*vc/],
      [own, { citation: "x", columns: { team: { adds: "days" } } }, /columns\.team.*adds/],
    ] as const
  ) throws(() => withSource(frame, options as never), { name: "RangeError", message });
});
