import fc from "fast-check";
import type { Facts } from "./facts_model.ts";

const CHAINS = ["c1", "c2", "c3"];
// No project is of the last sector, no product of the last project, no contract of the last product.
const SECTORS = ["s1", "s2", "s3"];
const PROJECTS = ["p1", "p2", "p3", "p4"];
const PRODUCTS = ["x1", "x2", "x3", "x4", "x5"];
const USERS = ["u1", "u2", "u3", "u4", "u5", "u6"];

function dayFrom(offset: number, last: string): string {
  return new Date(Date.parse(last) - offset * 86_400_000).toISOString().slice(0, 10);
}

// Many days close to the end, where the short windows are, some far from it.
const offset = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 0, max: 9 }),
  fc.integer({ min: 0, max: 70 }),
  fc.integer({ min: 0, max: 500 }),
);
// Cents, fractions of a cent, and amounts with more decimals than are stored.
const amount = fc.oneof(
  fc.integer({ min: 0, max: 90_000 }).map((cents) => cents / 100),
  fc.integer({ min: 0, max: 20_000_000 }).map((nanos) => nanos / 1e9),
  fc.double({ min: 0, max: 1e-4, noNaN: true }),
  fc.constantFrom(0, 0.005, 0.004, 5e-10, 1.5e-9, 123456789.123456789, 1e12),
);
const usd = fc.option(amount, { freq: 5 });
const balance = fc.option(fc.tuple(amount, fc.boolean()).map(([usd, less]) => less ? -usd : usd), {
  freq: 5,
});
const count = fc.option(fc.integer({ min: 0, max: 400 }), { freq: 5 });

/** Small random facts that a build accepts. */
export const arbitraryFacts: fc.Arbitrary<Facts> = fc.record({
  last: fc.constantFrom("2026-06-17", "2026-01-31", "2026-01-01", "2024-02-29", "2025-12-31"),
  sectorOf: fc.array(fc.constantFrom("s1", "s2"), { minLength: 4, maxLength: 4 }),
  projectOf: fc.array(fc.constantFrom("p1", "p2", "p3"), { minLength: 5, maxLength: 5 }),
  contracts: fc.uniqueArray(
    fc.record({
      chain_id: fc.constantFrom(...CHAINS),
      account_address: fc.constantFrom("0xa", "0xb", "0xc"),
      account_title: fc.option(fc.constantFrom('A "title", quoted', "Überweisung")),
      product_id: fc.constantFrom("x1", "x2", "x3", "x4"),
      account_creation_timestamp: fc.option(fc.constant("2024-01-02 03:04:05")),
    }),
    { minLength: 1, maxLength: 7, selector: (row) => `${row.chain_id}/${row.account_address}` },
  ),
  activity: fc.uniqueArray(
    fc.record({
      offset,
      user_address: fc.constantFrom(...USERS),
      contract: fc.nat(6),
      transaction_count: fc.integer({ min: 0, max: 9 }),
      gas_used: count,
      fees_usd: usd,
      revenue_usd: balance,
      dex_trading_volume_usd: usd,
      inflows_usd: usd,
      outflows_usd: usd,
    }),
    {
      minLength: 1,
      maxLength: 60,
      selector: (row) => `${row.offset}/${row.user_address}/${row.contract}`,
    },
  ),
  events: fc.uniqueArray(
    fc.record({
      offset: fc.nat(1),
      contract: fc.nat(6),
      event_name: fc.constantFrom("Swap", "Sync"),
      event_signature: fc.constantFrom("1", "2", "3"),
      event_count: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 12, selector: (row) => `${row.offset}/${row.contract}/${row.event_signature}` },
  ),
  transfers: fc.uniqueArray(
    fc.record({
      offset: fc.nat(1),
      contract: fc.nat(6),
      asset_symbol: fc.constantFrom("AAA", "BBB", "CCC"),
      transfer_count: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 12, selector: (row) => `${row.offset}/${row.contract}/${row.asset_symbol}` },
  ),
  product_daily: fc.uniqueArray(
    fc.record({
      offset,
      product_id: fc.constantFrom(...PRODUCTS),
      chain_id: fc.constantFrom(...CHAINS),
      tvl_usd: usd,
      active_loans_usd: usd,
    }),
    { maxLength: 30, selector: (row) => `${row.offset}/${row.product_id}/${row.chain_id}` },
  ),
  project_daily: fc.uniqueArray(
    fc.record({
      offset,
      project_id: fc.constantFrom(...PROJECTS),
      market_cap_fd_usd: usd,
      market_cap_circ_usd: usd,
      core_developers: count,
    }),
    { maxLength: 30, selector: (row) => `${row.offset}/${row.project_id}` },
  ),
  chain_daily: fc.uniqueArray(
    fc.record({
      offset,
      chain_id: fc.constantFrom(...CHAINS),
      market_cap_fd_usd: usd,
      market_cap_circ_usd: usd,
      core_developers: count,
    }),
    { maxLength: 30, selector: (row) => `${row.offset}/${row.chain_id}` },
  ),
}).map((draw): Facts => {
  const { contracts } = draw;
  const used = draw.activity.map(({ offset, contract, ...row }) => ({
    offset,
    contract: contracts[contract % contracts.length]!,
    row,
  }));
  // The last day of activity is the last day of the data, so all other days are before it.
  const last = dayFrom(Math.min(...used.map(({ offset }) => offset)), draw.last);
  const day = (offset: number) => dayFrom(offset, last);
  const onContract = <T extends { offset: number; contract: number }>(rows: T[]) =>
    rows.map(({ offset, contract, ...row }) => {
      const { chain_id, account_address } = contracts[contract % contracts.length]!;
      return { day: day(offset), chain_id, account_address, ...row };
    });
  const once = <T>(
    rows: T[],
    key: (row: T) => string,
  ) => [...new Map(rows.map((row) => [key(row), row])).values()];
  const onDay = <T extends { offset: number }>(rows: T[]) =>
    rows.map(({ offset, ...row }) => ({ day: day(offset), ...row }));
  return {
    chains: CHAINS.map((chain_id) => ({ chain_id, chain_name: `Chain ${chain_id}` })),
    market_sectors: SECTORS.map((id) => ({ market_sector_id: id, market_sector_name: `S ${id}` })),
    projects: PROJECTS.map((project_id, index) => ({
      project_id,
      project_name: `Project, ${project_id}`,
      market_sector_id: draw.sectorOf[index]!,
      symbol: index % 2 === 0 ? null : "SYM",
    })),
    products: PRODUCTS.map((product_id, index) => ({
      product_id,
      product_name: `Product ${product_id}`,
      project_id: draw.projectOf[index]!,
    })),
    contracts,
    activity: once(
      used.map(({ offset, contract: { chain_id, account_address }, row }) => ({
        day: dayFrom(offset, draw.last),
        chain_id,
        account_address,
        ...row,
      })),
      (row) => [row.day, row.chain_id, row.account_address, row.user_address].join(),
    ),
    contract_events: once(
      onContract(draw.events),
      (row) => [row.day, row.chain_id, row.account_address, row.event_signature].join(),
    ),
    contract_transfers: once(
      onContract(draw.transfers),
      (row) => [row.day, row.chain_id, row.account_address, row.asset_symbol].join(),
    ),
    product_daily: onDay(draw.product_daily),
    project_daily: onDay(draw.project_daily),
    chain_daily: onDay(draw.chain_daily),
  };
});

/** Random lists of ids for the filters, some of which exist. */
export const arbitraryFilters: fc.Arbitrary<
  {
    project_ids?: string[];
    product_ids?: string[];
    chain_ids?: string[];
    market_sector_ids?: string[];
  }
> = fc.record({
  project_ids: fc.subarray(PROJECTS, { minLength: 1 }),
  product_ids: fc.subarray(PRODUCTS, { minLength: 1 }),
  chain_ids: fc.subarray(CHAINS, { minLength: 1 }),
  market_sector_ids: fc.subarray(SECTORS, { minLength: 1 }),
}, { requiredKeys: [] });
