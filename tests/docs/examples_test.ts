import { deepStrictEqual, ok } from "node:assert/strict";
import { BLOCKS } from "./blocks.ts";
import { isSlow, runExamples } from "./run_examples.ts";

Deno.test("the documentation imports by one name, which an init folder and the project both know", () => {
  const others = BLOCKS.flatMap(({ file, line, code }) =>
    [...code.matchAll(/from "([^"]+)"/g)].map(([, from]) => from!)
      .filter((from) =>
        !/^(@chainframe\/chainframe(\/(service|marks|declarations))?|npm:@observablehq\/plot@0\.6\.\d+|node:.*)$/
          .test(from)
      )
      .map((from) => `${file}:${line} ${from}`)
  );
  deepStrictEqual(others, []);
});

// printed_test.ts, cookbook_test.ts and the slow tests run the others.
const own = BLOCKS.filter((block) =>
  block.printed === undefined && block.file !== "docs/cookbook.md" && !isSlow(block)
);

Deno.test("examples of pages run in a folder made by init.ts", async () => {
  ok(own.length > 30, `${own.length} examples`);
  await runExamples(own);
});
