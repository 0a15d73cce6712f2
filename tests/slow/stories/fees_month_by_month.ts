// How did the fees of the largest chains go, month by month?
import { blockchainComparison, growthRates, save, timeline } from "@chainframe/chainframe";

const largest = await blockchainComparison({
  order_by: "ecosystem_fees_365d_sum",
  order_direction: "desc",
  limit: 3,
});
const fees = await timeline({
  metric_ids: ["fees"],
  group_by: "chains",
  chain_ids: largest.getColumn("chain_id").toArray() as string[],
  every: "month",
  from: "2025-01",
  to: "2025-06",
});
const growth = growthRates(fees, { field: "fees_sum" });
console.log(growth);
await save(growth, "fees.csv");
