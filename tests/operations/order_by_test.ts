import { rejects } from "node:assert/strict";
import { blockchainComparison } from "../../lib/operations/blockchain_comparison.ts";
import { cohortAnalysis } from "../../lib/operations/cohort_analysis.ts";
import { projectContracts } from "../../lib/operations/project_contracts.ts";
import { answering } from "./answering.ts";

/** The type checker runs before the tests do: an expected error that does not come fails them. */
Deno.test("order_by compiles for a known field and a string variable, not for a typo", async () => {
  const { connection } = answering({ data: [] });
  const chosen: string = ["anything"][0]!;
  await blockchainComparison({ order_by: "ecosystem_fees_30d_sum" }, connection);
  await blockchainComparison({ order_by: chosen }, connection);
  await blockchainComparison({ limit: 1 }, connection);
  // @ts-expect-error: there is no window of 31 days
  await blockchainComparison({ order_by: "ecosystem_fees_31d_sum" }, connection);
  // @ts-expect-error: the interface spells it outfows
  await projectContracts({ order_by: "outflows_1d_sum_trend" }, connection);
  await projectContracts({ order_by: "outfows_1d_sum_trend" }, connection);
  // @ts-expect-error: a cohort is followed to month 11
  await cohortAnalysis({ order_by: "month_12" }, connection);
  await cohortAnalysis({ order_by: "month_11", order_direction: "desc" }, connection);
  // @ts-expect-error: no such key
  await rejects(blockchainComparison({ limt: 1 }, connection), {
    name: "QueryError",
    message: /limt: did you mean limit\?/,
  });
  // @ts-expect-error: no such direction
  await rejects(blockchainComparison({ order_direction: "down" }, connection), {
    name: "QueryError",
    message: /order_direction: must be one of asc, desc; got "down"/,
  });
});

Deno.test("invalid limit and order_by are refused before a request is sent", async () => {
  const { connection } = answering(() => {
    throw new Error("something was sent");
  });
  for (const limit of [0, -1, 1.5, NaN, Infinity, "5" as unknown as number]) {
    await rejects(blockchainComparison({ limit }, connection), {
      name: "QueryError",
      message: /limit: must be a whole number above 0; got /,
    });
  }
  await rejects(blockchainComparison({ order_by: "" as string }, connection), {
    name: "QueryError",
  });
});
