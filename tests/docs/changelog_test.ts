import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { VERSION } from "../../.ci/package.ts";

Deno.test("CHANGELOG.md begins with the version of deno.json, in the sections of Keep a Changelog", async () => {
  const text = await Deno.readTextFile(new URL("../../CHANGELOG.md", import.meta.url));
  const [, newest] = text.split(/^## /m);
  const [heading] = newest!.split("\n");
  strictEqual(heading!.replace(/ - (\d{4}-\d\d-\d\d|Unreleased)$/, " - DAY"), `${VERSION} - DAY`);
  const sections = [...newest!.matchAll(/^### (.*)$/gm)].map(([, section]) => section!);
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  deepStrictEqual(sections, known.filter((section) => sections.includes(section)));
  ok(newest!.split(/\s+/).length <= 300, "an entry has at most 300 words");
});
