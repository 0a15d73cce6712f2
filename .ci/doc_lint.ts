/**
 * `deno doc --lint` of the public modules, which may complain of one thing: `pl` refers to polars' own
 * namespace, and that is polars' to document.
 */
const PERMITTED = "public type 'pl' references private type 'pl'";

const { success, stderr } = await new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", "mod.ts", "lib/service/mod.ts"],
  env: { NO_COLOR: "1" },
  stdout: "null",
}).output();

const told = new TextDecoder().decode(stderr);
const complaints = told.split(/^error\[/m).slice(1);
const ours = complaints.filter((complaint) => !complaint.includes(PERMITTED));
if (ours.length > 0 || (!success && complaints.length === 0)) {
  console.error(told);
  Deno.exit(1);
}
console.error(`doc lint: nothing about a file of ours`);
