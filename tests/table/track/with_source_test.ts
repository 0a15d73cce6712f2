import { deepStrictEqual, match, rejects, strictEqual, throws } from "node:assert/strict";
import {
  blockchainComparison,
  contributions,
  type DataFrame,
  errorsOf,
  growthRates,
  openFrame,
  pl,
  plotComparison,
  plotTimeline,
  provenanceOf,
  resample,
  save,
  shares,
  topN,
  withSource,
} from "../../../mod.ts";
import { sha256 } from "../../../lib/platform/machine.ts";
import { columnsOf } from "../../../lib/table/track/descriptions.ts";
import { readingOf } from "../../../lib/table/read/reading.ts";
import { inputsOf } from "../../../lib/table/track/provenance.ts";

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

Deno.test("captions mark the sources that are sample data, and give the service's date to its columns only", async () => {
  const joined = chains.join(mine, { on: "chain_id" });
  const captionOf = async (field: string) => {
    const { title, caption } = await plotComparison(joined, { field }).spec;
    return `${title} | ${caption.at(-1)}`;
  };
  const sources = `Source: ${GIVEN.citation}; blockchain comparison (SAMPLE DATA, invented), ` +
    "data through 17 Jun 2026.";
  strictEqual(await captionOf("vc_usd"), `Venture capital of 3 chains | ${sources}`);
  strictEqual(
    await captionOf("ecosystem_fees_30d_sum"),
    `Ecosystem fees of 3 chains, 30 days to 17 Jun 2026 | ${sources}`,
  );
  strictEqual(provenanceOf(joined).sample, true);
  const printed = String(joined.select("chain_id", "vc_usd")).split("\n").at(-1);
  strictEqual(
    printed,
    `derived from blockchain_comparison (SAMPLE DATA) + ${GIVEN.citation} · ` +
      "blockchain_comparison data through 17 Jun 2026",
  );
});

/** Months of three entities whose values have one of the three ways to add up. */
function monthsOf(adds: "both" | "groups" | "none") {
  const months = [1, 2, 3].flatMap((month) =>
    ["a", "b", "c"].map((data_id, at) => ({
      ...{ date: new Date(Date.UTC(2026, month - 1, 1)), data_id },
      ...{ until: new Date(Date.UTC(2026, month, 0)), complete: true, own: 100 * (at + 1) * month },
    }))
  );
  const columns = { own: { unit: "ETH", adds } };
  const day = (name: string) => pl.col(name).cast(pl.Date);
  const frame = pl.DataFrame(months).withColumns(day("date"), day("until"));
  return withSource(frame, { citation: "own", columns });
}

Deno.test("topN, contributions, shares and stacks add own columns as withSource states", () => {
  const own = { field: "own", entity: "data_id" } as const;
  const FEBRUARY = 4;
  const calls = {
    topN: (f: DataFrame) =>
      topN(f, { ...own, limit: 2 }).rows().filter(([, id]) => id === "(other)")[1]?.[4] ?? null,
    // Sums of periods are compared per day: 200 in 28 days after 100 in 31 days.
    contributions: (f: DataFrame) =>
      Math.round(
        1e4 * Number(
          contributions(f, own).filter(pl.col("date").gt(pl.lit(JANUARY))).getColumn(
            "total",
          ).get(0),
        ),
      ),
    exits: (f: DataFrame) => {
      const left = f.filter(pl.col("data_id").neq(pl.lit("c")).or(pl.col("own").lt(600)));
      return contributions(left, own).getColumn("status").toArray().filter((each) =>
        each !== null && each !== "stays"
      ).join();
    },
    shares: (f: DataFrame) => shares(f, own).getColumn("share").get(FEBRUARY),
    stack: (f: DataFrame) => plotTimeline(f, { field: "own", by: "data_id", as: "stack" }).title,
    growth: (f: DataFrame) =>
      growthRates(f, { field: "own" }).getColumn("own_growth").get(FEBRUARY),
    topEntities: (f: DataFrame) => plotTimeline(f, { field: "own", by: "data_id", limit: 1 }).title,
  };
  const JANUARY = new Date("2026-01-01");
  const perDay = Number((2 * 31 / 28 - 1).toFixed(9));
  const refused = /its description states that it does not/;
  const stacked = "Own of 3 groups, Jan 2026 to Mar 2026";
  const expected = {
    topN: [200, 200, null],
    contributions: [Math.round(1e4 * perDay), 1e4, refused],
    exits: ["leaves", "", refused],
    shares: [0.333333333, 0.333333333, refused],
    stack: [stacked, stacked, refused],
    growth: [perDay, 1, 1],
    topEntities: [/1 largest of 3/, /1 largest of 3/, /^(?!.*largest)/],
  };
  for (const [name, call] of Object.entries(calls)) {
    for (const [index, adds] of (["both", "groups", "none"] as const).entries()) {
      const want = expected[name as keyof typeof expected][index]!;
      const frame = monthsOf(adds);
      if (want instanceof RegExp && name !== "topEntities") throws(() => call(frame), want, name);
      else if (want instanceof RegExp) match(String(call(frame)), want);
      else {
        const got = call(frame);
        strictEqual(
          typeof got === "number" ? Number(got.toFixed(9)) : got,
          want,
          `${name}, ${adds}`,
        );
      }
    }
  }
});

Deno.test("frames of pl are tracked with an unknown origin, which keeps SAMPLE DATA in joins", async () => {
  const own = pl.DataFrame(RAW);
  strictEqual(provenanceOf(own).kind, "unknown");
  throws(() => errorsOf(own), /origin unknown/);
  const joined = own.join(chains, { on: "chain_id" });
  match(
    Deno.inspect(joined),
    /derived from origin unknown \+ blockchain_comparison \(SAMPLE DATA\)/,
  );
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

Deno.test("a scanned file is read for its digest when a frame is collected", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const [one, two] = ["one", "two"].map((name) => `${folder}/${name}.parquet`) as [
      string,
      string,
    ];
    const write = (path: string, value: number) =>
      Deno.writeFileSync(
        path,
        pl.DataFrame({ id: ["a"], [path.slice(-11, -8)]: [value] }).writeParquet(),
      );
    for (const path of [one, two]) write(path, 1);
    const scans = [pl.scanParquet(one), pl.scanParquet(two)] as const;
    const joined = scans[0].select("id", "one").join(scans[1], { on: "id" });
    const grouped = scans[0].groupBy("id").agg(pl.col("one").sum());
    // A digest of the scan would be that of the file before.
    for (const path of [one, two]) write(path, 22);
    const digests = [one, two].map((path) => sha256(Deno.readFileSync(path)));
    const frames = [
      grouped.collectSync(),
      await scans[1].head(1).collect(),
      joined.collectSync(),
      scans[0].collectSync(),
    ];
    for (const path of [one, two]) Deno.removeSync(path);
    deepStrictEqual(
      frames.map((frame) =>
        inputsOf(provenanceOf(frame)).map((input) =>
          input.kind === "unknown" && [input.file, input.file_sha256]
        )
      ),
      [
        [["one.parquet", digests[0]]],
        [["two.parquet", digests[1]]],
        [["one.parquet", digests[0]], ["two.parquet", digests[1]]],
        [["one.parquet", digests[0]]],
      ],
    );
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

const DAILY = pl.DataFrame(
  Array.from({ length: 24 }, (_, at) => ({
    place: `#${at % 2 + 1}`,
    vault: (at % 2 === Math.floor(at / 2) % 2) ? "oak" : "elm",
    day: new Date(Date.UTC(2026, 0, 1 + Math.floor(at / 2))),
    loaded: new Date(Date.UTC(2026, 1, 1 + at)),
    fees: 10 + at,
  })),
);
const keysIn = (frame: DataFrame) => {
  const { entity, times } = readingOf(frame, { fn: "read" });
  return `${entity.join("+")}|${times.join("+")}`;
};

Deno.test("withSource states who the rows are and when, and steps, results and files keep it", async () => {
  throws(() => readingOf(DAILY, { fn: "read" }), /place and vault both make rows unique/);
  const stated = withSource(DAILY, { entity: "vault", date: "day" });
  strictEqual(keysIn(stated), "vault|day");
  strictEqual(provenanceOf(stated).kind, "unknown");
  strictEqual(keysIn(withSource(stated, { citation: "own" })), "vault|day");
  strictEqual(keysIn(stated.filter(pl.col("vault").eq(pl.lit("oak")))), "vault|day");
  const renamed = stated.rename({ vault: "tresor", day: "tag" });
  strictEqual(keysIn(renamed), "tresor|tag");
  match(plotTimeline(renamed, { field: "fees" }).title, /^Fees of 2 tresors, /);
  strictEqual(
    keysIn(stated.withColumns(pl.col("vault").str.toUpperCase(), pl.col("day").cast(pl.Date))),
    "vault|day",
  );
  const other = withSource(
    pl.DataFrame({
      vault: ["oak", "elm"],
      country: ["DE", "FR"],
      since: [new Date(0), new Date(1)],
    }),
    { entity: "country", date: "since" },
  );
  strictEqual(keysIn(stated.join(other, { on: "vault" })), "vault|day");
  strictEqual(keysIn(growthRates(stated, { field: "fees" })), "vault|day");
  strictEqual(
    keysIn(resample(stated, { every: "week", how: "sum" }).rename({ vault: "v" })),
    "v|day",
  );
  // An option of a call wins, and its result is of the entity that it names.
  strictEqual(keysIn(contributions(stated, { field: "fees", entity: "place" })), "place|day");
  // A second statement replaces the first.
  strictEqual(keysIn(withSource(stated, { entity: ["place"] })), "place|day");
  strictEqual(keysIn(withSource(stated, { date: "loaded" })), "vault|loaded");
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["vaults.csv", "vaults.parquet"]) {
      const path = `${folder}/${name}`;
      await save(withSource(stated, { citation: "own" }), path);
      strictEqual(keysIn(await openFrame(path)), "vault|day");
      strictEqual(
        keysIn(await openFrame(path, { entity: "place", date: "loaded" })),
        "place|loaded",
      );
      await Deno.remove(`${path}.provenance.json`);
      strictEqual(
        keysIn(await openFrame(path, { entity: "vault", date: "loaded" })),
        "vault|loaded",
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("withSource describes the rows of a frame that has a source", () => {
  const described = withSource(chains, {
    entity: "chain_name",
    columns: { ecosystem_tvl_latest: { title: "Deposits" } },
  });
  strictEqual(provenanceOf(described).kind, "response");
  strictEqual(keysIn(described), "chain_name|");
  strictEqual(keysIn(chains), "chain_id|");
  throws(
    () => withSource(chains, { entity: "chain_id", license: "CC0" }),
    /the frame already has a source/,
  );
  throws(() => withSource(DAILY, { url: "https://example.org" }), /citation: is required/);
});

Deno.test("errors of entity and date name the option, the column and the row", () => {
  const nulls = pl.DataFrame({ vault: ["oak", null], day: [1, 2], date: [new Date(0), null] });
  const cases: [object, RegExp][] = [
    [
      { entity: "vualt" },
      /withSource: entity: must be one of vault, day, date \(nearest: vault\); got vualt/,
    ],
    [{ entity: ["vault"] }, /entity: .*null in row 1/],
    [{ date: "vault" }, /date: .*null in row 1/],
    [{ date: "day" }, /withSource: date: day: expected days, months, .*; got 1/],
    [{ entity: 7 }, /entity: must name a column/],
    [{ date: "date" }, /date: .*null in row 1/],
  ];
  for (const [options, message] of cases) {
    throws(() => withSource(nulls, options), message, JSON.stringify(options));
  }
  throws(
    () => withSource(DAILY, { entity: "day", date: "day" }),
    /entity: must not be the column of dates/,
  );
  // Rows that repeat are shown when a function reads them.
  const repeated = withSource(DAILY.drop("place"), { entity: "vault", date: "loaded" });
  strictEqual(keysIn(repeated), "vault|loaded");
  const twice = withSource(pl.concat([DAILY, DAILY.head(1)]), { entity: "vault", date: "day" });
  throws(
    () => growthRates(twice, { field: "fees" }),
    /row 0: vault oak, day 2026-01-01; row 24: vault oak/,
  );
});

Deno.test("what is not stated again stays: the unit, what adds up, and the days of a sum", () => {
  const days = pl.DataFrame(
    Array.from({ length: 21 }, (_, day) => ({
      dapp: "oak",
      at: new Date(Date.UTC(2025, 0, 6 + day)),
      income: 10,
    })).filter((_, day) => day < 7 || day > 10),
  );
  const stated = withSource(days, {
    citation: "Own node",
    columns: { income: { unit: "usd", adds: "both" } },
  });
  const titled = withSource(stated, { columns: { income: { title: "Income" } } });
  deepStrictEqual(
    (({ unit, adds, title }) => [unit, adds, title])(columnsOf(titled).get("income")!),
    ["usd", "both", "Income"],
  );
  const weeks = resample(titled, { every: "week" }).rename({
    income: "paid",
    income_days: "known",
  });
  const again = withSource(weeks, { columns: { paid: { title: "Paid out" } } });
  deepStrictEqual(growthRates(again).getColumn("paid_growth").toArray(), [null, 0, 0]);
});

Deno.test("events are added up by the one column that is left, and several are an error with a line", () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      tx: `0x${at}`,
      protocol: `p${at % 3}`,
      wallet: `w${at % 7}`,
      at: new Date(Date.UTC(2025, 0, 1 + at)),
      fees: 1,
    }));
  const message = /rows are events, and protocol, wallet can name the entity; state it: /;
  throws(() => resample(pl.DataFrame(rows(40)), { every: "month", how: "sum" }), message);
  const one = pl.DataFrame(rows(40)).drop("wallet");
  deepStrictEqual(
    [...new Set(resample(one, { every: "month", how: "sum" }).getColumn("protocol").toArray())],
    ["p0", "p1", "p2"],
  );
});
