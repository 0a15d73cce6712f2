import { strictEqual } from "node:assert/strict";
import { notebookStack } from "../../lib/platform/jupyter.ts";

Deno.test("in a notebook, an error of chainframe has its message and the line of the cell", () => {
  const write = notebookStack(new URL("file:///a/chainframe/lib/"));
  const site = (file: string | null) => ({
    getFileName: () => file,
    toString: () => file ?? "<anonymous>:1:22",
  });
  const own = [site("/a/chainframe/lib/table/sql.ts"), site("/a/chainframe/lib/analysis/rank.ts")];
  const error = new RangeError("rankBy: field: missing");
  const message = "RangeError: rankBy: field: missing";
  strictEqual(
    write(error, [...own, site(null), site("/b.ts")]),
    `${message}\n    at <anonymous>:1:22`,
  );
  strictEqual(write(error, own), message);
  strictEqual(
    write(error, [site("/b.ts"), ...own]),
    `${message}\n    at /b.ts\n    at ${own.map(String).join("\n    at ")}`,
  );
  strictEqual(write(error, []), message);
});
