import { CONTRACT_KEYS } from "../facts/fact_layout.ts";
import { USD } from "../facts/amounts.ts";

/** First day of the sample data. */
export const SAMPLE_FIRST_DAY = "2024-01-01";

/**
 * Defines the macros of the sample. `u01(seed)` returns a pseudorandom number in [0, 1) that depends only on the seed.
 * `to_usd` rounds an amount to cents. `month_start` returns the first day of a month.
 */
const MACROS = `
CREATE OR REPLACE MACRO to_usd(x) AS CAST(CAST(x AS DECIMAL(18, 2)) AS ${USD});
CREATE OR REPLACE MACRO u01(seed) AS (hash(seed) >> 11)::DOUBLE / 9007199254740992;
CREATE OR REPLACE MACRO u01_of(name, seed) AS (hash(name, seed) >> 11)::DOUBLE / 9007199254740992;
CREATE OR REPLACE MACRO month_start(month_no) AS
  (DATE '${SAMPLE_FIRST_DAY}' + to_months(month_no::INTEGER))::DATE;
`;

/** SQL of 12 invented chains. Amounts are in US dollars. `growth` is a growth rate per day. */
const CHAINS = `
CREATE TABLE sample.chain (
  chain_no INTEGER, chain_id VARCHAR, chain_name VARCHAR, market_cap DOUBLE, circulating DOUBLE,
  fee DOUBLE, -- of a transaction, in US dollars
  size DOUBLE, -- of trades and deposits, relative to the largest chain
  developers INTEGER, growth DOUBLE
);
INSERT INTO sample.chain VALUES
  (0, 'alder', 'Alder', 48000000, 1, 0.7, 1, 310, 0.0006),
  (1, 'basalt', 'Basalt', 540000, 0.82, 0.035, 0.05, 142, 0.0016),
  (2, 'cinder', 'Cinder', 320000, 0.41, 0.04, 0.06, 96, 0.0004),
  (3, 'drift', 'Drift', 720000, 0.66, 0.02, 0.04, 71, -0.0007),
  (4, 'ember', 'Ember Mainnet', 130000, 0.55, 0.03, 0.05, 58, 0.0011),
  (5, 'fjord', 'Fjörd', NULL, 1, 0.025, 0.05, 44, 0.0028),
  (6, 'garnet', 'Garnet', 80000, 0.37, 0.012, 0.04, 29, 0.0002),
  (7, 'harbor', 'Harbor', 70000, 0.9, 0.025, 0.05, 24, -0.0012),
  (8, 'isobar', 'Isobar', 6800, 0.28, 0.009, 0.05, 17, 0.0008),
  (9, 'juniper', 'Juniper', 77000, 0.5, 0.025, 0.06, 11, -0.0003),
  (10, 'kelp', 'Kelp Ω', 13000, 0.22, 0.012, 0.02, 8, 0.0019),
  (11, 'lumen', 'Lumen', 83000, 0.61, 0.03, 0.05, 5, -0.0021);
`;

/** SQL of 8 market sectors. A sector has four kinds of contract, each with a title, an event and its signature. */
const MARKET_SECTORS = `
CREATE TABLE sample.market_sector (
  market_sector_id VARCHAR, market_sector_name VARCHAR,
  gas DOUBLE, -- of a transaction, in gas units
  take DOUBLE, -- fraction of the fees that is revenue
  trade DOUBLE, deposit DOUBLE, -- US dollars of a transaction on the largest chain
  locked DOUBLE, -- US dollars per user
  lent DOUBLE, -- fraction of the locked amount
  contracts VARCHAR[][]
);
INSERT INTO sample.market_sector VALUES
  ('exchanges-dex', 'Exchanges (DEX)', 148000, 0.16, 900, 260, 3800, NULL, [
    ['Swap Router', 'Swap', 'Swap(address,uint256,uint256,uint256,uint256,address)'],
    ['Liquidity Pool', 'Sync', 'Sync(uint112,uint112)'],
    ['Fee Collector', 'Collect', 'Collect(address,uint256,uint256)'],
    ['Pool Factory', 'PoolCreated', 'PoolCreated(address,address,uint24,int24,address)']]),
  ('lending', 'Lending', 231000, 0.12, NULL, 1200, 15000, 0.46, [
    ['Lending Pool', 'Supply', 'Supply(address,address,uint256)'],
    ['Borrow Controller', 'Borrow', 'Borrow(address,address,uint256,uint256)'],
    ['Price Oracle', 'AnswerUpdated', 'AnswerUpdated(int256,uint256,uint256)'],
    ['Liquidation Engine', 'Liquidate', 'Liquidate(address,address,uint256)']]),
  ('liquid-staking', 'Liquid Staking', 96000, 0.1, NULL, 2000, 32000, NULL, [
    ['Staking Pool', 'Submitted', 'Submitted(address,uint256,address)'],
    ['Staked Token', 'Transfer', 'Transfer(address,address,uint256)'],
    ['Withdrawal Queue', 'WithdrawalClaimed', 'WithdrawalClaimed(uint256,address,uint256)'],
    ['Node Registry', 'NodeAdded', 'NodeAdded(uint256,bytes)']]),
  ('derivatives', 'Derivatives', 312000, 0.34, 2400, 490, 5500, NULL, [
    ['Perpetual Market', 'PositionChanged', 'PositionChanged(address,int256,uint256)'],
    ['Margin Vault', 'Deposit', 'Deposit(address,uint256)'],
    ['Funding Keeper', 'FundingPaid', 'FundingPaid(address,int256)'],
    ['Order Book', 'OrderFilled', 'OrderFilled(bytes32,address,uint256,uint256)']]),
  ('stablecoin-issuers', 'Stablecoin Issuers', 58000, 0.9, NULL, 390, 8000, NULL, [
    ['Stable Token', 'Transfer', 'Transfer(address,address,uint256)'],
    ['Mint Controller', 'Mint', 'Mint(address,uint256)'],
    ['Reserve', 'ReserveMoved', 'ReserveMoved(uint256,uint256)'],
    ['Redemption Desk', 'Redeemed', 'Redeemed(address,uint256)']]),
  ('nft-marketplaces', 'NFT Marketplaces', 187000, 0.55, NULL, 33, NULL, NULL, [
    ['Marketplace', 'OrderFulfilled', 'OrderFulfilled(bytes32,address,address,uint256)'],
    ['Royalty Splitter', 'RoyaltyPaid', 'RoyaltyPaid(address,uint256)'],
    ['Collection', 'Transfer', 'Transfer(address,address,uint256)'],
    ['Auction House', 'BidPlaced', 'BidPlaced(uint256,address,uint256)']]),
  ('gaming', 'Gaming', 71000, 0.7, NULL, 3, NULL, NULL, [
    ['Game World', 'MoveMade', 'MoveMade(uint256,address,uint8)'],
    ['Item Shop', 'ItemBought', 'ItemBought(address,uint256,uint256)'],
    ['Reward Pool', 'RewardClaimed', 'RewardClaimed(address,uint256)'],
    ['Character', 'Transfer', 'Transfer(address,address,uint256)']]),
  ('bridges', 'Bridges', 121000, 0.4, NULL, 580, 4600, NULL, [
    ['Bridge Gate', 'MessageSent', 'MessageSent(bytes32,uint256,address)'],
    ['Lock Box', 'Locked', 'Locked(address,uint256,uint64)'],
    ['Relayer Hub', 'MessageRelayed', 'MessageRelayed(bytes32)'],
    ['Fee Vault', 'FeePaid', 'FeePaid(address,uint256)']]);
`;

/** SQL of 36 invented projects with 60 products. `born` and `died` are months, counted from the first month. */
const PROJECTS = `
CREATE TABLE sample.described (
  project_no INTEGER, project_id VARCHAR, project_name VARCHAR, symbol VARCHAR, market_sector_id VARCHAR,
  users DOUBLE, -- new users in a month
  loyalty VARCHAR, growth DOUBLE, born INTEGER, died INTEGER, market_cap DOUBLE, developers INTEGER,
  chains VARCHAR[], products VARCHAR[]
);
INSERT INTO sample.described VALUES
  (0, 'tidewater', 'Tidewater', 'TIDE', 'exchanges-dex',
    85, 'steady', 0.035, -9, NULL, 5.3e6, 41, ['alder', 'basalt', 'cinder', 'drift'],
    ['Tidewater Swap', 'Tidewater Pools', 'Tidewater Limit']),
  (1, 'marrow-exchange', 'Marrow Exchange', 'MRW', 'exchanges-dex',
    52, 'fading', 0.02, -6, NULL, 6e4, 22, ['basalt', 'ember'],
    ['Marrow Spot', 'Marrow Aggregator']),
  (2, 'quillswap', 'Quillswap', 'QUIL', 'exchanges-dex',
    32, 'fading', -0.03, -4, NULL, 1e6, 13, ['alder', 'garnet'],
    ['Quillswap Classic', 'Quillswap Concentrated']),
  (3, 'ubergang', 'Übergang', 'ÜBG', 'exchanges-dex',
    18, 'steady', 0.06, 3, NULL, 1.7e4, 9, ['cinder', 'fjord'],
    ['Übergang Tausch']),
  (4, 'pebblepool', 'Pebble Pool 🪨', NULL, 'exchanges-dex',
    11, 'fleeting', 0, 1, NULL, NULL, 4, ['harbor', 'isobar', 'kelp'],
    ['Pebble Pool']),
  (5, 'sparrow-dex', 'Sparrow', 'SPRW', 'exchanges-dex',
    24, 'gone', -0.02, 18, NULL, 2.4e4, 5, ['basalt', 'drift'],
    ['Sparrow Farm', 'Sparrow Swap']),
  (6, 'hearthlend', 'Hearthlend', 'HRTH', 'lending',
    29, 'devoted', 0.02, -8, NULL, 1.1e7, 34, ['alder', 'cinder', 'drift'],
    ['Hearthlend Core', 'Hearthlend Isolated', 'Hearthlend Flash']),
  (7, 'kora-finance', 'Kōra Finance', 'KORA', 'lending',
    14, 'steady', 0.03, -2, NULL, 8.3e4, 16, ['basalt', 'fjord'],
    ['Kōra Markets', 'Kōra Vaults']),
  (8, 'longacre-credit', 'Longacre Credit', 'ACRE', 'lending',
    9, 'devoted', 0.01, 0, NULL, 5.1e5, 11, ['alder'],
    ['Longacre Fixed']),
  (9, 'mirepond', 'Mirepond', 'MIRE', 'lending',
    13, 'fleeting', -0.06, -3, 23, 6.5e3, 6, ['ember', 'harbor'],
    ['Mirepond Money Market']),
  (10, 'patient-liquidity', 'The Cooperative Society for Patient Liquidity and Other Gentle Experiments in Mutual Credit', 'COOP', 'lending',
    5, 'devoted', 0.04, 4, NULL, 5.1e4, 7, ['drift', 'juniper'],
    ['Patient Pools', 'Gentle Bonds']),
  (11, 'stillwater-stake', 'Stillwater Stake', 'STIL', 'liquid-staking',
    37, 'devoted', 0.02, -10, NULL, 4e6, 27, ['alder'],
    ['Stillwater Staked Alder', 'Stillwater Withdrawals']),
  (12, 'basaltine', 'Basaltine', 'BLT', 'liquid-staking',
    23, 'devoted', 0.04, -3, NULL, 8.8e5, 18, ['basalt'],
    ['Basaltine Pool', 'Basaltine Validators']),
  (13, 'anchorage-nodes', 'Anchorage Nodes', 'ANCR', 'liquid-staking',
    8, 'steady', 0, 2, NULL, 2.4e4, 8, ['ember', 'garnet'],
    ['Anchorage Pool']),
  (14, 'keelson', 'Keelson', NULL, 'liquid-staking',
    5, 'steady', 0.05, 8, NULL, NULL, 5, ['fjord', 'kelp'],
    ['Keelson Staking']),
  (15, 'helix-perps', 'Helix Perps', 'HLX', 'derivatives',
    40, 'steady', 0.05, -5, NULL, 8.8e4, 31, ['basalt', 'drift'],
    ['Helix Perpetuals', 'Helix Options']),
  (16, 'vantage-margin', 'Vantage Margin', 'VNTG', 'derivatives',
    17, 'fading', 0.01, -1, NULL, 1.1e5, 14, ['cinder', 'ember'],
    ['Vantage Isolated', 'Vantage Cross']),
  (17, 'senal', 'Señal', 'SEN', 'derivatives',
    8, 'fading', 0.03, 4, NULL, 1.6e4, 9, ['fjord', 'isobar'],
    ['Señal Futuros', 'Señal Opciones']),
  (18, 'oddlot', 'Oddlot', 'ODD', 'derivatives',
    14, 'gone', -0.01, 19, NULL, 1e4, 3, ['drift'],
    ['Oddlot Binary']),
  (19, 'plumbline', 'Plumbline Dollar', 'PLMB', 'stablecoin-issuers',
    94, 'devoted', 0.025, -12, NULL, 9.4e6, 38, ['alder', 'basalt', 'cinder', 'drift', 'ember'],
    ['Plumbline Dollar', 'Plumbline Savings', 'Plumbline Desk']),
  (20, 'evenkeel', 'Evenkeel', 'EVK', 'stablecoin-issuers',
    35, 'steady', 0.015, -4, NULL, 2.9e6, 17, ['alder', 'fjord'],
    ['Evenkeel Dollar', 'Evenkeel Euro']),
  (21, 'copperleaf', 'Copperleaf', 'CPL', 'stablecoin-issuers',
    12, 'fading', -0.04, 0, NULL, 1.2e4, 6, ['garnet', 'harbor'],
    ['Copperleaf Notes']),
  (22, 'moorings', 'Moorings', NULL, 'stablecoin-issuers',
    6, 'steady', 0.02, 15, NULL, NULL, 4, ['juniper', 'lumen'],
    ['Moorings Dollar']),
  (23, 'gallery-nine', 'Gallery Nine', 'GAL9', 'nft-marketplaces',
    48, 'fading', -0.05, -7, NULL, 3.6e6, 19, ['alder', 'ember'],
    ['Gallery Nine Market', 'Gallery Nine Drops']),
  (24, 'brushwork', 'Brushwork', 'BRSH', 'nft-marketplaces',
    22, 'fleeting', -0.03, -1, NULL, 1.8e3, 8, ['basalt'],
    ['Brushwork Bazaar']),
  (25, 'paperkite', 'Paperkite', 'KITE', 'nft-marketplaces',
    14, 'gone', 0, 15, NULL, 3.1e2, 4, ['drift', 'garnet'],
    ['Paperkite Auctions']),
  (26, 'vellum', 'Vellum', NULL, 'nft-marketplaces',
    5, 'fleeting', 0.02, 28, NULL, NULL, 5, ['fjord'],
    ['Vellum Press']),
  (27, 'orchard-quest', 'Orchard Quest', 'ORCH', 'gaming',
    73, 'fleeting', 0.01, -2, NULL, 3.3e3, 26, ['basalt', 'ember', 'garnet'],
    ['Orchard World', 'Orchard Market', 'Orchard Guilds']),
  (28, 'nightferry', 'Nightferry', 'FERRY', 'gaming',
    40, 'steady', 0.03, 1, NULL, 1.7e3, 21, ['drift', 'isobar'],
    ['Nightferry', 'Nightferry Arena']),
  (29, 'tin-soldiers', 'Tin Soldiers', 'TIN', 'gaming',
    50, 'gone', -0.04, 16, NULL, 7.4e2, 7, ['harbor', 'kelp'],
    ['Tin Soldiers']),
  (30, 'mosskeep', 'Mosskeep', 'MOSS', 'gaming',
    17, 'devoted', 0.05, 3, NULL, 1.7e3, 12, ['juniper', 'lumen'],
    ['Mosskeep']),
  (31, 'lantern-run', 'Lantern Run', 'LNTN', 'gaming',
    28, 'fading', -0.02, -1, NULL, 9.7e2, 9, ['garnet'],
    ['Lantern Run', 'Lantern Relay']),
  (32, 'causeway', 'Causeway', 'CAUS', 'bridges',
    42, 'fading', 0.02, -6, NULL, 2.5e6, 23, ['alder', 'basalt', 'drift', 'ember'],
    ['Causeway Bridge', 'Causeway Messaging']),
  (33, 'packet-ferry', 'Packet Ferry', 'PKT', 'bridges',
    18, 'fading', 0, -2, NULL, 3.4e5, 10, ['alder', 'fjord', 'harbor'],
    ['Packet Ferry', 'Packet Ferry Express']),
  (34, 'span-nine', 'Span Nine', 'SPAN', 'bridges',
    10, 'fleeting', 0.04, 17, NULL, 2.7e4, 7, ['cinder', 'garnet', 'juniper'],
    ['Span Nine']),
  (35, 'slipway', 'Slipway', NULL, 'bridges',
    5, 'steady', 0.03, 22, NULL, NULL, 3, ['alder', 'lumen'],
    ['Slipway']);
CREATE TABLE sample.rename (old_project_id VARCHAR, project_id VARCHAR);
INSERT INTO sample.rename VALUES ('tidepool', 'tidewater'), ('plumb-usd', 'plumbline');
-- Probability of activity after k months: floor + (1 - floor) (1 + k / scale)^-shape.
CREATE TABLE sample.loyalty (
  loyalty VARCHAR, scale DOUBLE, shape DOUBLE, floor DOUBLE, seen DOUBLE
);
INSERT INTO sample.loyalty VALUES
  ('devoted', 2, 0.5, 0.25, 0.95),
  ('steady', 0.6, 0.7, 0.08, 0.9),
  ('fading', 0.35, 0.9, 0.02, 0.86),
  ('fleeting', 0.12, 1.1, 0.003, 0.82),
  ('gone', 0.02, 1.3, 0, 0.8);
CREATE TABLE sample.project AS
  SELECT * EXCLUDE (loyalty, products) FROM sample.described JOIN sample.loyalty USING (loyalty)
  ORDER BY project_no;
CREATE TABLE sample.product AS
  SELECT (row_number() OVER (ORDER BY project_no, place) - 1)::INTEGER AS product_no,
    trim(regexp_replace(lower(strip_accents(product_name)), '[^a-z0-9]+', '-', 'g'), '-') AS product_id,
    product_name, project_id, project_no,
    -- The first product of a project is on all chains of the project; each later product is on one chain fewer.
    chains[1:greatest(1, len(chains) - place)] AS chains
  FROM (
    SELECT project_no, project_id, chains, unnest(products) AS product_name,
      unnest(range(len(products))) AS place
    FROM sample.described
  )
  ORDER BY product_no;
DROP TABLE sample.described;
`;

/** Fills the tables of entities of the schema `facts`. */
const FACTS = `
INSERT INTO facts.chains SELECT chain_id, chain_name FROM sample.chain ORDER BY chain_no;
INSERT INTO facts.market_sectors
  SELECT market_sector_id, market_sector_name FROM sample.market_sector ORDER BY ALL;
INSERT INTO facts.projects
  SELECT project_id, project_name, market_sector_id, symbol,
    concat(project_name, ' is an invented project of the sector ', market_sector_name, '.'),
    concat('Its contracts run on ', array_to_string(chains, ', '), '; people use them every day.'),
    'Nobody: this is sample data, and says nothing about the world.'
  FROM sample.project JOIN sample.market_sector USING (market_sector_id)
  ORDER BY project_no;
INSERT INTO facts.project_links
  SELECT project_id, unnest(['Website', 'Documentation']),
    concat('https://', project_id, unnest(['.example/', '.example/docs']))
  FROM sample.project ORDER BY project_no;
INSERT INTO facts.project_renames SELECT old_project_id, project_id FROM sample.rename ORDER BY ALL;
INSERT INTO facts.products
  SELECT product_id, product_name, project_id FROM sample.product ORDER BY product_no;
CREATE TABLE sample.contract AS
  SELECT product_no * 4 + slot AS contract_no,
    product.chains[1 + slot % len(product.chains)] AS chain_id,
    '0x' || md5(concat('contract', product_no, '/', slot)) || left(md5(concat(slot, product_no)), 8)
      AS account_address,
    product_name || ': ' || market_sector.contracts[1 + slot][1] AS account_title,
    product_id,
    -- A contract is created before the first month in which it is used.
    month_start(born)
      - to_days(1 + floor(24 * u01(concat('created', product_no, '/', slot)))::INTEGER)
      + to_seconds(floor(86400 * u01(concat('hour', product_no, '/', slot))))
      AS account_creation_timestamp
  FROM sample.product
  JOIN sample.project USING (project_id)
  JOIN sample.market_sector USING (market_sector_id),
  range(4) AS slots(slot)
  ORDER BY contract_no;
INSERT INTO facts.contracts SELECT * EXCLUDE contract_no FROM sample.contract;
${CONTRACT_KEYS}`;

/** SQL that fills the schema `sample`, and the tables of entities of the schema `facts`. */
export const SAMPLE_ENTITIES =
  `CREATE SCHEMA sample;${MACROS}${CHAINS}${MARKET_SECTORS}${PROJECTS}${FACTS}`;
