import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { terminalTable } from "../../../lib/output/terminal_table.ts";
import { htmlDocument } from "../../../lib/platform/html_document.ts";
import {
  cell,
  check,
  type DataFrame,
  md,
  openFrame,
  pl,
  plotComparison,
  plotTimeline,
  provenanceOf,
  report,
  save,
  topN,
  withSource,
} from "../../../mod.ts";
import { hearing } from "../../http/hearing.ts";
import { inFolder, runScript } from "../../scripts/run_script.ts";

const NAMES = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  "</style></title></textarea><script>alert(1)</script>",
  "]]><svg onload=alert(1)>",
  "--><b>bold</b>",
  "[x](javascript:alert(1)) ![y](x) **z** `q` | \\",
  "&lt;script&gt; &#60;i&#62;",
  "\u001b]0;title\u0007\u001b[31mred\u009b2J",
  "\u202eright\u202c \u2066left\u2069 \u200f",
  "\u2028line\u2029 \r\n two\tthree",
  "\ue0000\ue000 \ufeff \ud83d\ude00",
  "=HYPERLINK(1)",
  "${1+1} {{x}} <%= x %>",
];
// deno-lint-ignore no-control-regex -- they are what it is about
const RAW = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029]/;
const FIELD = "<b onclick=alert(1)>fees";

function frameOf(names: readonly string[], field: string): DataFrame {
  const frame = pl.DataFrame({
    protocol: names.flatMap((name) => [name, name, name]),
    date: names.flatMap(() => ["2024-01-01", "2024-02-01", "2024-03-01"]),
    [field]: names.flatMap((_, at) => [at + 1, at + 2.5, at + 4]),
  }).withColumns(pl.col("date").str.strptime(pl.Date, "%Y-%m-%d"));
  return withSource(frame, {
    citation: names.join(" "),
    license: names[0]!,
    url: "https://x.org/?<",
  });
}

/** Asserts that HTML has no element, attribute or address that a name could have brought. */
async function assertInert(html: string, what: string, scripts = 0): Promise<void> {
  const document = await htmlDocument(html);
  const count = (selectors: string) => [...document.querySelectorAll(selectors)].length;
  strictEqual(count("script"), scripts, `${what}: script`);
  strictEqual(count("[onerror],[onload],[onclick],b,i,textarea"), 0, `${what}: elements`);
  for (const link of document.querySelectorAll("[href],[src]")) {
    const address = link.getAttribute("href") ?? link.getAttribute("src") ?? "";
    ok(/^(#|data:|https:\/\/x\.org)/.test(address), `${what}: ${address}`);
  }
}

const bundleOf = async (value: object) =>
  await (value as Record<symbol, () => Promise<Record<string, string>>>)[
    Symbol.for("Jupyter.display")
  ]!();

Deno.test("names with markup and control characters are inert in every output, and unchanged in files", () =>
  inFolder(async (folder) => {
    const frame = frameOf(NAMES, FIELD);
    const last = topN(frame, { field: FIELD, entity: "protocol", limit: 20 });
    const charts = [
      plotTimeline(frame, { field: FIELD, label: "protocol" }),
      plotComparison(last.filter(pl.col("date").eq(pl.lit(new Date("2024-03-01")).cast(pl.Date))), {
        field: FIELD,
        label: "protocol",
        title: NAMES.join(" "),
      }),
    ];
    const numbers = NAMES.map((protocol) =>
      cell(frame, FIELD, { row: { protocol, date: "2024-01-01" } })
    );
    const names = NAMES.map((protocol) =>
      cell(frame, "protocol", { row: { protocol, date: "2024-01-01" } })
    );
    const text = NAMES.reduce(
      (all, name, at) => md`${all}\n\n${name}: ${numbers[at]}, ${names[at]}`,
      md`Names`,
    );
    const page = report({ title: NAMES.join(" "), parts: [text, frame, last, ...charts] });

    const printed = {
      frame: Deno.inspect(frame),
      toString: `${frame}`,
      terminalTable: terminalTable(frame, { width: 200 }),
      check: Deno.inspect(check(frame)),
      chart: charts.map((chart) => Deno.inspect(chart)).join("\n"),
      md: `${text}\n${Deno.inspect(text)}`,
      cell: names.map((each) => `${each}\n${Deno.inspect(each)}`).join("\n"),
      report: Deno.inspect(page),
      notices: (await hearing(() => save(frame.select("protocol"), `${folder}/n.csv`))).join("\n"),
    };
    for (const [what, each] of Object.entries(printed)) {
      ok(!RAW.test(each), `${what}: ${JSON.stringify(each)}`);
    }

    await assertInert(await page.html(), "report");
    for (const [what, shown] of Object.entries({ frame, text, page, chart: charts[0]! })) {
      const bundle = await bundleOf(shown);
      ok(!RAW.test(bundle["text/plain"]!), what);
      if (bundle["text/html"] !== undefined) {
        await assertInert(bundle["text/html"].replace(/srcdoc="[^"]*"/, ""), what);
      }
    }
    const plain = plotTimeline(frameOf(["a", "b"], "fees"), { field: "fees", label: "protocol" });
    const scripts = (await plain.html()).match(/<script/g)?.length ?? 0;
    for (const chart of charts) {
      await assertInert(await chart.html(), "chart", scripts);
      const svg = await chart.svg();
      await assertInert(svg, "svg");
      // deno-lint-ignore no-control-regex -- XML has none of them
      ok(!/[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(svg), "svg: control characters");
      // resvg reads only well-formed XML.
      ok((await chart.png()).length > 1_000);
    }

    const file = `${folder}/page.html`;
    await save(page, file);
    const verified = await runScript("verify.ts", [file]);
    deepStrictEqual([verified.code, verified.stdout.split("\n")[0]], [
      0,
      `${2 * NAMES.length} numbers agree with the table`,
    ]);
    ok(!RAW.test(verified.stdout + verified.stderr));
    for (const ending of ["csv", "json", "ndjson", "parquet", "arrow"]) {
      const path = `${folder}/names.${ending}`;
      await save(frame, path);
      const again = await openFrame(path);
      deepStrictEqual(
        again.getColumn("protocol").toArray(),
        frame.getColumn("protocol").toArray(),
        ending,
      );
      strictEqual((provenanceOf(again) as { citation: string }).citation, NAMES.join(" "));
    }
    for (const ending of ["md", "xlsx", "svg", "png", "pdf"]) {
      const thing = ending === "md" || ending === "xlsx" ? frame : charts[0]!;
      await save(thing, `${folder}/out.${ending}`);
    }
    const markdown = await Deno.readTextFile(`${folder}/out.md`);
    ok(!/<(?!br>)/.test(markdown), markdown);
    strictEqual(markdown.trim().split("\n").length, frame.height + 2);
  }));
