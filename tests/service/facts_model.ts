/** Facts as the tests write them down: one array per file, one object per row, null for unknown. */
export interface Facts {
  chains: { chain_id: string; chain_name: string }[];
  market_sectors: { market_sector_id: string; market_sector_name: string }[];
  projects: {
    project_id: string;
    project_name: string;
    market_sector_id: string;
    symbol: string | null;
  }[];
  products: { product_id: string; product_name: string; project_id: string }[];
  contracts: {
    chain_id: string;
    account_address: string;
    account_title: string | null;
    product_id: string;
    account_creation_timestamp: string | null;
  }[];
  activity: Activity[];
  contract_events: {
    day: string;
    chain_id: string;
    account_address: string;
    event_name: string;
    event_signature: string;
    event_count: number;
  }[];
  contract_transfers: {
    day: string;
    chain_id: string;
    account_address: string;
    asset_symbol: string;
    transfer_count: number;
  }[];
  product_daily: {
    day: string;
    product_id: string;
    chain_id: string;
    tvl_usd: number | null;
    active_loans_usd: number | null;
  }[];
  project_daily: ({ project_id: string } & EntityDay)[];
  chain_daily: ({ chain_id: string } & EntityDay)[];
}

/** Activity of a user with a contract on a day; money in US dollars. */
export interface Activity {
  day: string;
  user_address: string;
  chain_id: string;
  account_address: string;
  transaction_count: number;
  gas_used: number | null;
  fees_usd: number | null;
  revenue_usd: number | null;
  dex_trading_volume_usd: number | null;
  inflows_usd: number | null;
  outflows_usd: number | null;
}

/** The daily values of a project or a chain. */
export interface EntityDay {
  day: string;
  market_cap_fd_usd: number | null;
  market_cap_circ_usd: number | null;
  core_developers: number | null;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of a CSV file. */
export function toCsv(rows: readonly object[], columns = Object.keys(rows[0] ?? {})): string {
  const lines = rows.map((row) =>
    columns.map((column) => cell((row as Record<string, unknown>)[column])).join(",")
  );
  return [columns.join(","), ...lines].join("\n") + "\n";
}

/** Writes facts as CSV files into a folder; tables without rows have no file. */
export async function writeFacts(folder: string, facts: Partial<Facts>): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, rows] of Object.entries(facts)) {
    if (rows.length > 0) await Deno.writeTextFile(`${folder}/${name}.csv`, toCsv(rows));
  }
}
