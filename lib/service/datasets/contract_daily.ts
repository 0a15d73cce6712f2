/**
 * What happened in each contract on each day; a user has one row of a contract and day, so rows are
 * distinct addresses. This, the user sets and the cohorts are the only
 * statements that read the raw activity.
 */
export const CONTRACT_DAILY = `
SELECT contract_no, day,
  toInt64(sum(transaction_count)) AS transaction_count,
  toInt64(sum(gas_used)) AS gas_used,
  toInt64(sum(fees)) AS fees,
  toInt64(sum(revenue)) AS revenue,
  toInt64(sum(dex_trading_volume)) AS dex_trading_volume,
  toInt64(sum(inflows)) AS inflows,
  toInt64(sum(outflows)) AS outflows,
  toInt64(sum(inflows - outflows)) AS net_flows,
  toInt64(count(*)) AS active_addresses
FROM facts.activity
GROUP BY contract_no, day
`;
