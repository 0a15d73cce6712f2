import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import {
  blockchainComparison,
  cell,
  figure,
  md,
  metricBreakdown,
  openFrame,
  pl,
  plotComparison,
  provenanceOf,
  report,
  save,
  show,
  where,
  withSource,
} from "../../mod.ts";
import { described } from "../table/described.ts";

const chains = await blockchainComparison({ chain_ids: ["alder", "basalt"] });

Deno.test("report puts texts, tables and charts on one self-contained page", async () => {
  const page = await report({
    title: "Chains",
    parts: [md`Fees **fell**.`, chains, plotComparison(chains)],
  }).html();
  match(page, /^<!doctype html>/);
  match(page, /<p>Fees <strong>fell<\/strong>\.<\/p>/);
  match(page, /<td[^>]*>Basalt<\/td>/);
  match(page, /<svg [^>]*role="img"/);
  ok(!/<script|<link|<iframe|(?:src|href)="(?:https?:)?\/\//i.test(page));
});

Deno.test("texts and reports display themselves in a notebook", async () => {
  const text = md`Fees of ${cell(chains, "chain_name", { row: { chain_id: "alder" } })}.`;
  const displayOf = (value: object) =>
    (value as Record<symbol, () => Promise<Record<string, string>>>)[
      Symbol.for("Jupyter.display")
    ]!();
  strictEqual(Deno.inspect(text), "Fees of Alder.");
  deepStrictEqual(await displayOf(text), {
    "text/markdown": "Fees of Alder.",
    "text/plain": "Fees of Alder.",
  });
  // Jupyter reads what is between two dollar signs as a formula.
  const fees = (chain_id: string) => cell(chains, "ecosystem_fees_30d_sum", { row: { chain_id } });
  const money = md`From $5: ${fees("alder")} and ${fees("basalt")}, ${"$"}, \`$HOME and $PATH\`.`;
  strictEqual(
    (await displayOf(money))["text/markdown"],
    "From \\$5: US\\$292,459 and US\\$121,542, \\$, `$HOME and $PATH`.",
  );
  strictEqual(Deno.inspect(money).split(",")[0], "From $5: US$292");
  const shown = await displayOf(report({ title: "Chains", parts: [text] }));
  match(shown["text/html"]!, /^<iframe srcdoc="&lt;!doctype html&gt;[^"]*Fees of[^"]*" style=/);
});

Deno.test("a report prints its title, its parts and their sizes", () => {
  const page = report({ title: "Chains", parts: [md`Fees fell.`, chains, plotComparison(chains)] });
  strictEqual(
    Deno.inspect(page),
    "Report: Chains\n1 text, 10 characters\n2 table, 2 rows × 97 columns\n" +
      "3 chart, Ecosystem fees of 2 chains, 30 days to 17 Jun 2026",
  );
});

Deno.test("report says SAMPLE DATA at its top, and lists each source once at its end", async () => {
  const page = await report({ title: "Chains", parts: [chains, plotComparison(chains)] }).html();
  match(page, /<p class="notice">SAMPLE DATA/);
  const sources = page.slice(page.indexOf("<h2>Sources</h2>"));
  strictEqual(sources.match(/blockchain comparison/g)?.length, 1);
  ok(sources.includes(provenanceOf(chains).sha256!.slice(0, 16)));
  match(sources, /SAMPLE DATA<\/td><td><\/td><td>\d{4}-\d\d-\d\dT[\d:]+Z<\/td><td>2026-06-17/);
});

Deno.test("report draws charts for phones, and tables for readers", async () => {
  const rows = Array.from({ length: 41 }, (_, row) => row);
  const long = described(
    pl.DataFrame({ ecosystem_fees_30d_sum: rows, chain_id: rows.map(String) }),
  );
  const page = await report({ title: "Chains", parts: [plotComparison(chains), long] }).html();
  deepStrictEqual(
    page.match(/<svg [^>]*width="\d+"/g)?.map((tag) => /width="(\d+)/.exec(tag)?.[1]),
    [
      "800",
      "560",
      "360",
    ],
  );
  match(page, /title="ecosystem_fees_30d_sum">Ecosystem fees over 30 days, US\$<\/th>/);
  strictEqual(page.match(/<tr>/g)?.length, 41 + 3 + 4);
  match(page, /1 more rows? in <a download="table_2\.csv" href="data:text\/csv/);
});

Deno.test("report lists the entities that were not found", async () => {
  const fees = await metricBreakdown({
    metric_ids: ["fees"],
    interval: "30d",
    group_by: "chains",
    chain_ids: ["alder", "<script>"],
  });
  const page = await report({ title: "Fees", parts: [fees] }).html();
  match(page, /Not found: NOT_FOUND: chain_ids &lt;script&gt;\./);
  ok(!page.includes("<script"));
});

Deno.test("report marks a frame of unknown origin", async () => {
  const page = await report({ title: "Own", parts: [pl.DataFrame({ a: [1] })] }).html();
  match(page, /The sources of this page are not known\./);
});

Deno.test("md escapes interpolated values and keeps the Markdown of its own texts", async () => {
  const name = "<script>alert(1)</script> *x* [y](https://example.org)\n# z";
  const inner = md`_${"a_b"}_`;
  const page = await report({ title: "t", parts: [md`**Name** ${name} ${inner}`] }).html();
  match(page, /<strong>Name<\/strong> &lt;script&gt;alert\(1\)&lt;\/script&gt; \*x\* \[y\]/);
  match(page, /# z <em>a_b<\/em>/);
});

Deno.test("cell binds a number of a text to a frame, and report lists it with its origin", async () => {
  const row = { chain_id: "alder" };
  const fees = cell(chains, "ecosystem_fees_30d_sum", { row });
  const inner = md`In 30 days: ${fees}`;
  const text = md`${inner}, and ${cell(chains, "chain_name", { row })} 5%.`;
  strictEqual(`${text}`, `In 30 days: ${fees.text}, and Alder 5%.`);
  match(fees.text, /^US\$[\d,]+$/);
  deepStrictEqual([fees.keys, text.cells.length, text.typed], [row, 2, ["30", "5%"]]);
  const page = await report({ title: "t", parts: [text] }).html();
  match(page, new RegExp(`<data id="number-1" value="${fees.value}" title="[^"]*alder">US`));
  match(
    page,
    /<td>1<\/td><td>US\$.*<td>chain_id: alder<\/td><td>blockchain_comparison \(SAMPLE DATA\)<\/td>/,
  );
  match(page, /Typed by hand: 30; 5%\.<\/p><h2>Sources.*blockchain comparison/s);
  const shares = pl.DataFrame({ share: [0.0314], name: ["<b>*x*"] });
  deepStrictEqual(
    [cell(shares, "share", { as: "points" }).text, cell(shares, "share", { as: "number" }).text],
    ["3.1 points", "0.0314"],
  );
  const dated = pl.DataFrame({
    id: ["a", "b"],
    date: [new Date("2026-01-01"), null],
    users: [1.5, 2],
  })
    .withColumns(pl.col("date").cast(pl.Date));
  deepStrictEqual(
    ["a", "b"].map((id) => cell(dated, "users", { row: { id } }).keys),
    [{ id: "a", date: "2026-01-01" }, { id: "b" }],
  );
  const own = await report({ title: "t", parts: [md`${cell(shares, "name")}`] }).html();
  match(own, /">&lt;b&gt;\*x\*<\/data>.*<td>own data<\/td>/s);
  throws(() => md`${12}`, /TypeError: md: a number must be bound to a frame.*; got 12$/);
  const wrong: [() => unknown, RegExp][] = [
    [() => cell(chains, "chain_name"), /cell: needs one row; got \d+ for row \{\}; filter/],
    [() => cell(chains, "chain_name", { row: { chain_id: "x" } }), /needs one row; got 0 for/],
    [
      () => cell(pl.DataFrame({ row: ["overall", "overall", "date"], slope: [1, 2, 3] }), "slope"),
      /needs one row; got 3 for row \{\}/,
    ],
    [() => cell(chains, "fees", { row }), /^RangeError: cell: .*fees/],
    [() => cell(shares, "name", { as: "points" }), /cell: name: must be a number; got "<b>\*x\*"/],
    [() => cell(pl.DataFrame({ a: [null] }), "a"), /cell: a: must be a value; got null/],
  ];
  for (const [call, message] of wrong) throws(call, message);
});

Deno.test("md removes the indent of a template, and shows HTML and images as text and links", async () => {
  const page = await report({
    title: "t",
    parts: [md`
      - one <b>bold</b>
      - ![two](https://example.org/two.png)
    `],
  }).html();
  match(page, /<li>one &lt;b&gt;bold&lt;\/b&gt;<\/li>/);
  ok(!page.includes("<img"));
});

Deno.test("save writes a report with a side-car of all its sources", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const page = report({ title: "Chains", parts: [chains] });
    await save(page, `${folder}/chains.html`);
    const sideCar = JSON.parse(await Deno.readTextFile(`${folder}/chains.html.provenance.json`));
    strictEqual(sideCar.provenance.operation, "blockchain_comparison");
    await rejects(() => save(page, `${folder}/chains.csv`), /must end in \.html for a report/);
    await rejects(() => openFrame(`${folder}/chains.html`), RangeError);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("report refuses an empty title, promises, and other values", () => {
  throws(() => report({ title: " ", parts: [] }), /report: title: must be a text/);
  throws(
    () => report({ title: "t", parts: [Promise.resolve(chains) as never] }),
    /must be texts made by md, frames or charts; got a promise: await it/,
  );
  throws(() => report({ title: "t", parts: ["text" as never] }), /report: parts: .*got "text"/);
  deepStrictEqual(report({ title: "t", parts: [] }).source, undefined);
});

Deno.test("report refuses a cell that is not in the text of the page", async () => {
  const fees = cell(chains, "ecosystem_fees_30d_sum", { row: { chain_id: "alder" } });
  const written = (text: ReturnType<typeof md>) => report({ title: "t", parts: [text] }).html();
  for (
    const text of [
      md`[Fees](https://example.org/${fees})`,
      md`[Fees](https://example.org "of ${fees}")`,
      md`${fees} [Fees](https://example.org "of ${fees}") ${fees}`,
      md`![Fees](${fees})`,
      md`[Fees][one]\n\n[one]: https://example.org "${fees}"`,
      md`\`\`\`${fees}\ncode\n\`\`\``,
      md`<https://example.org/${fees}>`,
    ]
  ) {
    await rejects(written(text), {
      name: "RangeError",
      message:
        `md: a cell must be in the text, not in the address or title of a link; got ${fees.text}, ecosystem_fees_30d_sum`,
    });
  }
  match(await written(md`[Fees of ${fees}](https://example.org)`), />Fees of <data id="number-1"/);
  match(await written(md`\`${fees}\``), /<code><data id="number-1"/);
});

Deno.test("texts and cells print no control characters of names", () => {
  const evil = "\u001b]0;t\u0007\u009b2J\u202eabc\u2066\u2028";
  const name = cell(pl.DataFrame({ name: [evil] }), "name");
  const texts = [
    `${name}`,
    Deno.inspect(name),
    `${md`${name} and ${evil}`}`,
    Deno.inspect(md`${name}`),
    Deno.inspect(report({ title: evil, parts: [md`${name}`] })),
  ];
  for (const text of texts) {
    // deno-lint-ignore no-control-regex -- they are what it is about
    ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\u2066]/.test(text), JSON.stringify(text));
  }
  strictEqual(name.value, evil);
});

Deno.test("report says which numbers, tables and charts are sample data, and gives licenses a column", async () => {
  const own = withSource(pl.DataFrame({ chain_id: ["a"], fees: [5] }), {
    citation: "My fees",
    license: "CC BY 4.0",
    url: "https://example.org/fees",
  });
  const sample = cell(chains, "ecosystem_fees_30d_sum", { row: { chain_id: "alder" } });
  const parts = [md`${cell(own, "fees")} ${sample}`, own, chains, plotComparison(chains)];
  const page = await report({ title: "t", parts }).html();
  match(
    page,
    /<p class="notice">SAMPLE DATA: number 2; table 2; chart 1 of this page\. Their projects, chains and numbers are invented; the others are not sample data\.<\/p>/,
  );
  match(page, /<td>blockchain_comparison \(SAMPLE DATA\)<\/td>/);
  match(page, /<td>own data<\/td>/);
  const sources = page.slice(page.indexOf("<h2>Sources</h2>"));
  match(sources, /<th scope="col">License<\/th>/);
  match(sources, /<td>https:\/\/example\.org\/fees<\/td><td>given<\/td><td>CC BY 4\.0<\/td>/);
  const none = await report({ title: "t", parts: [md`${cell(own, "fees")}`] }).html();
  ok(!none.includes("SAMPLE DATA"));
});

Deno.test("report lists the numbers in titles, subtitles and captions of charts with their frame and field", async () => {
  const field = "ecosystem_fees_30d_sum";
  const chart = plotComparison(chains, { field, title: "Alder has 64% of 46.6K" });
  const page = await report({ title: "t", parts: [chart] }).html();
  const table = /<table id="numbers-in-charts">(.*?)<\/table>/.exec(page)![1]!;
  match(
    table,
    new RegExp(
      `<tr><td>Alder has 64% of 46\\.6K</td><td>64%; 46\\.6K</td><td>${field}</td>` +
        `<td>blockchain_comparison \\(SAMPLE DATA\\)</td><td>[0-9a-f]{16}</td></tr>`,
    ),
  );
  match(table, /<td>[^<]*argest first; %: share of the sum of 2 chains<\/td><td>[^<]*2<\/td>/);
  match(table, /data through 17 Jun 2026\.<\/td><td>17; 2026<\/td>/);
});

Deno.test("report makes charts interactive, keeps the others as they are, and names them once", async () => {
  const bars = plotComparison(chains);
  const html = await report({
    title: "Charts",
    parts: [bars, figure([bars, bars]), bars],
    interactive: true,
  }).html();
  strictEqual(html.match(/<iframe /g)!.length, 2);
  strictEqual(html.match(/<div class="wide">/g)!.length, 1);
  strictEqual(html.match(/Not interactive: /g)!.length, 1);
  // Vega, Vega-Lite, vega-embed, and the program of the equal charts.
  strictEqual(html.match(/id="code-/g)!.length, 4);
  const still = await report({ title: "Charts", parts: [bars] }).html();
  ok(!/<script|<iframe/.test(still));
});

Deno.test("the table of numbers counts the other sources of a number", async () => {
  const codes = withSource(pl.DataFrame({ chain_id: ["alder", "basalt"], code: ["A", "B"] }), {
    citation: "codes",
  });
  const numbersOf = async (frame: typeof chains) => {
    const field = "ecosystem_fees_30d_sum";
    const text = md`${cell(frame, field, { row: { chain_id: "alder" } })}`;
    const page = await report({ title: "Chains", parts: [text] }).html();
    return page.slice(page.indexOf("<h2>Numbers</h2>"));
  };
  match(await numbersOf(chains), />blockchain_comparison \(SAMPLE DATA\)</);
  match(
    await numbersOf(chains.join(codes, { on: "chain_id" }) as unknown as typeof chains),
    />blockchain_comparison and 1 more \(SAMPLE DATA\)</,
  );
});

Deno.test("locale writes numbers and dates of cells, tables and pages as a language does", async () => {
  const own = withSource(
    pl.DataFrame({
      protocol: ["a", "b"],
      date: [new Date("2025-01-31"), new Date("2025-02-28")],
      fees: [4_693_920, -1_234.5],
      share: [0.125, 0.5],
    }),
    { citation: "x", columns: { fees: { unit: "usd" }, share: { unit: "fraction" } } },
  );
  const texts = (protocol: string, locale?: string) =>
    ["fees", "share", "date"].map((field) =>
      String(cell(own, field, { row: { protocol }, ...locale && { locale } })).replace(/\s/g, " ")
    );
  deepStrictEqual(texts("a", "de"), ["4.693.920 $", "12,5 %", "31.01.2025"]);
  deepStrictEqual(texts("b", "de"), ["-1.235 $", "50,0 %", "28.02.2025"]);
  deepStrictEqual(texts("b", "en-US"), ["-$1,235", "50.0%", "Feb 28, 2025"]);
  deepStrictEqual(texts("b"), ["-US$1,235", "50.0%", "2025-02-28"]);
  match(String(show(own, { locale: "de" })), /4\.693\.920 +12,5\s%/);
  const [said, page] = await warned(() =>
    report({
      title: "Gebühren",
      locale: "de",
      parts: [
        md`${cell(own, "fees", { row: { protocol: "a" }, locale: "de" })} und ${
          cell(own, "share", { row: { protocol: "a" } })
        }`,
        own,
        plotComparison(where(own, { protocol: "a" }), { field: "fees", locale: "de" }),
      ],
    }).html()
  );
  match(
    page,
    /<html lang="de">[^]*<td class="date">31\.01\.2025<\/td><td class="number">4\.693\.920</,
  );
  deepStrictEqual(said, [
    "report: locale: the page is de, which differs from share (12.5%); pass locale to each of them",
  ]);
  throws(
    () => cell(own, "fees", { row: { protocol: "a" }, locale: "x_y" }),
    /cell: locale: must be/,
  );
});

/** What a call prints, and what it returns. */
async function warned<Value>(call: () => Promise<Value>): Promise<[string[], Value]> {
  const [before, said]: [typeof console.error, string[]] = [console.error, []];
  console.error = (line: string) => void said.push(line.replace("chainframe: ", ""));
  try {
    return [said, await call()];
  } finally {
    console.error = before;
  }
}

Deno.test("cell needs no row for a value that all rows share", () => {
  const frame = pl.DataFrame({ chain: ["a", "b"], hhi: [0.5, 0.5], fees: [1, 2] });
  strictEqual(String(cell(frame, "hhi")), "0.5");
  throws(() => cell(frame, "fees"), /cell: needs one row; got 2/);
});
