/**
 * The facts as the build keeps them while it works. Money is whole US cents, so that sums come
 * out the same whatever the order they are added in; contracts are numbered.
 */
export const FACT_TABLES = `
CREATE SCHEMA facts;
CREATE TABLE facts.chains (chain_id VARCHAR, chain_name VARCHAR);
CREATE TABLE facts.market_sectors (market_sector_id VARCHAR, market_sector_name VARCHAR);
CREATE TABLE facts.projects (
  project_id VARCHAR, project_name VARCHAR, market_sector_id VARCHAR, symbol VARCHAR,
  description_what VARCHAR, description_how VARCHAR, description_who VARCHAR
);
CREATE TABLE facts.project_links (project_id VARCHAR, summary VARCHAR, url VARCHAR);
CREATE TABLE facts.project_renames (old_project_id VARCHAR, project_id VARCHAR);
CREATE TABLE facts.products (product_id VARCHAR, product_name VARCHAR, project_id VARCHAR);
CREATE TABLE facts.contracts (
  contract_no INTEGER, chain_id VARCHAR, account_address VARCHAR, account_title VARCHAR,
  product_id VARCHAR, account_creation_timestamp TIMESTAMP
);
CREATE TABLE facts.contract_events (
  day DATE, contract_no INTEGER, event_name VARCHAR, event_signature VARCHAR, event_count BIGINT
);
CREATE TABLE facts.contract_transfers (
  day DATE, contract_no INTEGER, asset_symbol VARCHAR, transfer_count BIGINT
);
CREATE TABLE facts.product_daily (
  day DATE, product_id VARCHAR, chain_id VARCHAR, tvl BIGINT, active_loans BIGINT
);
CREATE TABLE facts.project_daily (
  day DATE, project_id VARCHAR, market_cap_fd BIGINT, market_cap_circ BIGINT, core_developers BIGINT
);
CREATE TABLE facts.chain_daily (
  day DATE, chain_id VARCHAR, market_cap_fd BIGINT, market_cap_circ BIGINT, core_developers BIGINT
);
`;
