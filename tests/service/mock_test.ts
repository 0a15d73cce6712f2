import { deepStrictEqual as equal } from "node:assert/strict";
import { createService } from "../../lib/service/mod.ts";
import { TOKEN } from "./call_service.ts";

const service = await createService({ tokens: [TOKEN] });
Deno.test.afterAll(() => service.close());

// deno-lint-ignore no-explicit-any
type Schema = any;

const document: Schema = await (await service.fetch(new Request("http://x/openapi.json"))).json();

/** Every schema of the document below a place. */
function* schemasIn(place: Schema): Generator<Schema> {
  if (typeof place !== "object" || place === null) return;
  if (place.type === "object" || place.type?.includes?.("object")) yield place;
  for (const below of Object.values(place)) yield* schemasIn(below);
}

Deno.test("every object of openapi.json forbids other members", () => {
  const open = [...schemasIn([document.paths, document.components.schemas])]
    .filter(({ additionalProperties }) => additionalProperties !== false);
  equal(open, []);
});

Deno.test("openapi.json declares 304 and 406 wherever they are sent, and CSV where there is any", () => {
  const found = Object.values(document.paths as Schema).flatMap((methods: Schema) =>
    Object.entries(methods).map(([method, operation]: [string, Schema]) => {
      const { responses } = operation;
      return [
        operation.operationId,
        "304" in responses && method === "get",
        "406" in responses,
        "text/csv" in responses[200].content,
      ];
    })
  );
  equal(found.sort(), [
    ["blockchainComparison", true, true, true],
    ["cohortAnalysis", true, true, true],
    ["metricAggregations", true, true, true],
    ["metricBreakdown", false, true, false],
    ["project", true, true, false],
    ["projectContracts", true, true, true],
  ]);
});
