/**
 * `deno doc --lint` of the public modules, which may complain of one thing: `pl` and our names for frames
 * refer to polars' own types, and those are polars' to document.
 */
const PERMITTED =
  /public type '(pl|Schema|DataFrame|Series|FrameOf|JsOf)' references private type '(pl(\.\w+)?|DataFrame)'/;

const { success, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", "mod.ts", "lib/service/mod.ts"],
  env: { NO_COLOR: "1" },
  stdout: "null",
}).output();

const told = new TextDecoder().decode(stderr);
const complaints = told.split(/^error\[/m).slice(1);
const ours = complaints.filter((complaint) => !PERMITTED.test(complaint));
if (ours.length > 0 || (!success && complaints.length === 0)) {
  console.error(told);
  Deno.exit(1);
}
console.error(`doc lint: nothing about a file of ours`);
