import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { isUnanswered, LOCKED } from "../.ci/audit.ts";

const ROOT = new URL("../", import.meta.url);

/** Returns the folders below one that have a lock file. */
function* locked(folder = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, ROOT))) {
    if (name === "deno.lock") yield folder;
    const isOwn = isDirectory && !name.startsWith(".") && !["node_modules", "out"].includes(name);
    if (isOwn) yield* locked(`${folder}${name}/`);
  }
}

Deno.test("deno task audit reads each lock file, and tells an advisory from a missing answer", () => {
  deepStrictEqual([...locked()].sort(), [...LOCKED].sort());
  strictEqual(isUnanswered("error: client error (Connect)"), true);
  strictEqual(
    isUnanswered("error: Failed to deserialize response from the npm registry API"),
    true,
  );
  strictEqual(isUnanswered("lodash 4.0.0  high  CVE-2024-404 Prototype pollution"), false);
});
