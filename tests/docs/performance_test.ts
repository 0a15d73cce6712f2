import { match, ok, strictEqual } from "node:assert/strict";
import { withTables } from "../bench/page.ts";

const read = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));

/** A page without the spaces and rules that a formatter changes. */
const plain = (text: string) => text.replace(/-{3,}:?/g, "---").replace(/ +/g, " ");

Deno.test("the tables of docs/performance.md are those of measured.csv, and its text is short", () => {
  const page = read("docs/performance.md");
  strictEqual(plain(page), plain(withTables(page, read("tests/bench/measured.csv"))));
  const words = page.replace(/^\|.*$/gm, "").split(/\s+/).filter((word) => word !== "");
  ok(words.length <= 700, `${words.length} words beside the tables`);
});

Deno.test("the tables of a CSV have a ratio for cases with a baseline, and the targets that are missed", () => {
  const csv = `section,case,baseline,unit,value,baseline_value,ratio,target,met
What users wait for,"open, 3 x 4",polars,s CPU,0.618,0.2,3.09,≤ 3.00,no
What users wait for,a report,a bound,s CPU,1.5,2,0.75,≤ 2 s CPU,yes
What users wait for,a report: peak memory,a bound,MB,200,100,2,≤ 100 MB,no
A loop,"the ""old"" way",a bound,ms,120.4,100,1.204,≤ 100 ms,no
`;
  const marks = ["Targets", "Waits", "Missed"].map((name) =>
    `<!-- measured: ${name} -->\n<!-- end -->`
  );
  const page = withTables(marks.join("\n"), csv);
  match(page, /^1 of 4 targets were met\.$/m);
  match(page, /^\| open, 3 x 4 \| 0\.62 s CPU \| 3\.09 of polars \| ≤ 3\.00 \| NO \|$/m);
  match(page, /^\| a report \| 1\.50 s CPU \| {2}\| ≤ 2 s CPU \| yes \|$/m);
  match(page, /^\| the "old" way \| 120 ms \| {2}\| ≤ 100 ms \|$/m);
  ok(!page.includes("peak memory"));
});
