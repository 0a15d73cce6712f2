/**
 * Messages of `deno doc --lint` that are permitted: references to types of polars and of Observable Plot, and to members
 * that kinds of provenance share.
 */
const PERMITTED = [
  /references private type '(pl(\.\w+)?|DataFrame|Schema)'/,
  /references private type '(PlotOptions|Markish)'/,
  /references private type '(Origin|Without|OnlyOfResponse|Times)'/,
];

const { success, stderr } = await new Deno.Command(Deno.execPath(), {
  args: [
    "doc",
    "--lint",
    "mod.ts",
    "lib/declarations.ts",
    "lib/service/mod.ts",
    "lib/chart/marks.ts",
  ],
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
console.error(`doc lint: no message about a file of this project`);
