/**
 * `deno doc --lint` of the public modules may report two things: references to polars' own types, and references to
 * types that editors complete and that nobody has to name.
 */
const PERMITTED = [
  /public type '(pl|Schema|DataFrame|Series)' references private type '(pl(\.\w+)?|DataFrame)'/,
  // Lists whose members the type spells out for the reader.
  /references private type '[A-Z][A-Z_]+'/,
  /references private type '(Drawing|SymbolName|Help|HelpSubject|\w+Field|ProjectContractsText|ComparisonFieldName|CohortAnalysisNumber|Comparison(Measure|Statistic)|(Flow|Level)Measure|CheckedOrder|Comparable|Condition|Conditions|Rename|FrameOf|JsOf|AskedOperation|ErrorContext|ResponseContext)'/,
];

const { success, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", "mod.ts", "lib/service/mod.ts"],
  env: { NO_COLOR: "1" },
  stdout: "null",
}).output();

const told = new TextDecoder().decode(stderr);
const complaints = told.split(/^error\[/m).slice(1);
const ours = complaints.filter((complaint) => !PERMITTED.some((each) => each.test(complaint)));
if (ours.length > 0 || (!success && complaints.length === 0)) {
  console.error(told);
  Deno.exit(1);
}
console.error(`doc lint: nothing about a file of ours`);
