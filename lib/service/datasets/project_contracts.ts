import { type Span, trailingBounds, windowValues } from "./window_value.ts";

/** Each element: a daily column, the field with its sum, the field with its trend. INTERFACE misspells `outfows`. */
const FLOWS = [
  ["gas_used_sum", "gas_used_1d_sum", "gas_used_1d_sum_trend"],
  ["transaction_count_sum", "transaction_count_1d_sum", "transaction_count_1d_sum_trend"],
  [
    "addresses",
    "active_addresses_1d_distinct_count",
    "active_addresses_1d_distinct_count_trend",
  ],
  ["inflows_sum", "inflows_1d_sum", "inflows_1d_sum_trend"],
  ["outflows_sum", "outflows_1d_sum", "outfows_1d_sum_trend"],
  ["net_flows_sum", "net_flows_1d_sum", "net_flows_1d_sum_trend"],
] as const;

function ratioFields(name: string, now: string, before: string): string {
  return `${now} AS ${name},
  CASE WHEN ${before} <> 0 THEN (${now} - ${before}) / ${before} END AS ${name}_trend`;
}

// Returns SQL of each contract's most frequent event on the last day. In a tie, the signature that sorts first is used.
function mostEmitted({ last_day }: Span): string {
  return `SELECT DISTINCT ON (chain_id, account_address) chain_id, account_address,
    event_signature AS most_emitted_event_1d_signature, event_name AS most_emitted_event_1d_name
  FROM facts.contract_events WHERE day = DATE '${last_day}'
  ORDER BY event_count DESC, event_signature`;
}

function mostTransferred({ last_day }: Span): string {
  return `SELECT DISTINCT ON (chain_id, account_address) chain_id, account_address,
    asset_symbol AS most_transferred_asset_1d_symbol
  FROM facts.contract_transfers WHERE day = DATE '${last_day}'
  ORDER BY transfer_count DESC, asset_symbol`;
}

/** Returns SQL with one row per contract: its activity on the last day, and the change since the day before. */
export function projectContracts(span: Span): string {
  const bounds = trailingBounds("1d", span);
  const [end, base] = [bounds.end, bounds.base].map((day) => `DATE '${day}'`);
  const windows = windowValues([bounds]);
  const fields = FLOWS.flatMap(([name, field, trend]) => {
    const column = { name, kind: "flow" } as const;
    return [
      `${windows.value("sum", column, bounds)} AS ${field}`,
      `${windows.value("trend", column, bounds)} AS ${trend}`,
    ];
  });
  const on = (column: string, day = end) => `max(CASE WHEN day = ${day} THEN ${column} END)`;
  const since = FLOWS.map(([name]) =>
    `CASE WHEN ${name} IS NOT NULL THEN day END AS ${name}_since`
  );
  return `
SELECT project_id, project_name, market_sector_id, market_sector_name, chain_id, chain_name,
  account_address, account_title, account_creation_timestamp,
  ${fields.join(",\n  ")},
  ${ratioFields("transaction_gas_1d_avg", "(gas / transactions)", "(gas_was / transactions_was)")},
  ${ratioFields("gas_market_share_1d_avg", "(gas / chain_gas)", "(gas_was / chain_gas_was)")},
  most_emitted_event_1d_name, most_emitted_event_1d_signature, most_transferred_asset_1d_symbol
FROM work.contract
LEFT JOIN (
  SELECT contract,
    ${on("gas_used_sum")} AS gas, ${on("gas_used_sum", base)} AS gas_was,
    ${on("transaction_count_sum")} AS transactions,
    ${on("transaction_count_sum", base)} AS transactions_was,
    ${windows.aggregates()}
  FROM (
    SELECT *, ${windows.segment} AS segment,
      ${since.join(",\n      ")}
    FROM work.contract_daily
  ) AS segments
  GROUP BY contract
) AS flows USING (contract)
LEFT JOIN (
  SELECT chain_id, sum(CASE WHEN day = ${end} THEN gas_used_sum END) AS chain_gas,
    sum(CASE WHEN day = ${base} THEN gas_used_sum END) AS chain_gas_was
  FROM work.contract_daily JOIN work.contract USING (contract)
  WHERE day >= ${base}
  GROUP BY chain_id
) AS chains USING (chain_id)
LEFT JOIN (${mostEmitted(span)}) AS emitted USING (chain_id, account_address)
LEFT JOIN (${mostTransferred(span)}) AS transferred USING (chain_id, account_address)
`;
}
