import { deepStrictEqual } from "node:assert/strict";
import { declaredOptions } from "../../scripts/cli/declared_options.ts";

Deno.test("colors of charts have a schema: texts, pairs of the themes, and both below a column", () => {
  const color = {
    anyOf: [{ type: "string" }, {
      type: "object",
      properties: { light: { type: "string" }, dark: { type: "string" } },
    }],
  };
  for (const fn of ["plotTimeline", "plotComparison", "plotCounterfactual"]) {
    const found = declaredOptions(fn).find(({ name }) => name === "colors");
    deepStrictEqual(found!.schema, {
      type: "object",
      additionalProperties: {
        anyOf: [color, { type: "object", additionalProperties: color }],
      },
    });
  }
});
