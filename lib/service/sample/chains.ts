/** An invented chain of the sample data. */
interface SampleChain {
  readonly chain_id: string;
  readonly chain_name: string;
  /** Level around which market capitalization varies, in US dollars; null without a token. */
  readonly market_cap: number | null;
  /** Fraction of all tokens that circulates. */
  readonly circulating: number;
  /** Cost of a transaction in US dollars. */
  readonly fee: number;
  /** Size of trades and deposits, relative to the largest chain. */
  readonly size: number;
  /** Initial number of core developers. */
  readonly developers: number;
  /** Growth of market capitalization and deposits per day. */
  readonly growth: number;
}

/** The twelve invented chains of the sample data, largest first. */
export const SAMPLE_CHAINS: readonly SampleChain[] = [
  {
    chain_id: "alder",
    chain_name: "Alder",
    market_cap: 4.8e7,
    circulating: 1,
    fee: 0.7,
    size: 1,
    developers: 310,
    growth: 0.0006,
  },
  {
    chain_id: "basalt",
    chain_name: "Basalt",
    market_cap: 5.4e5,
    circulating: 0.82,
    fee: 0.035,
    size: 0.05,
    developers: 142,
    growth: 0.0016,
  },
  {
    chain_id: "cinder",
    chain_name: "Cinder",
    market_cap: 3.2e5,
    circulating: 0.41,
    fee: 0.04,
    size: 0.06,
    developers: 96,
    growth: 0.0004,
  },
  {
    chain_id: "drift",
    chain_name: "Drift",
    market_cap: 7.2e5,
    circulating: 0.66,
    fee: 0.02,
    size: 0.04,
    developers: 71,
    growth: -0.0007,
  },
  {
    chain_id: "ember",
    chain_name: "Ember Mainnet",
    market_cap: 1.3e5,
    circulating: 0.55,
    fee: 0.03,
    size: 0.05,
    developers: 58,
    growth: 0.0011,
  },
  {
    chain_id: "fjord",
    chain_name: "Fjörd",
    market_cap: null,
    circulating: 1,
    fee: 0.025,
    size: 0.05,
    developers: 44,
    growth: 0.0028,
  },
  {
    chain_id: "garnet",
    chain_name: "Garnet",
    market_cap: 8e4,
    circulating: 0.37,
    fee: 0.012,
    size: 0.04,
    developers: 29,
    growth: 0.0002,
  },
  {
    chain_id: "harbor",
    chain_name: "Harbor",
    market_cap: 7e4,
    circulating: 0.9,
    fee: 0.025,
    size: 0.05,
    developers: 24,
    growth: -0.0012,
  },
  {
    chain_id: "isobar",
    chain_name: "Isobar",
    market_cap: 6.8e3,
    circulating: 0.28,
    fee: 0.009,
    size: 0.05,
    developers: 17,
    growth: 0.0008,
  },
  {
    chain_id: "juniper",
    chain_name: "Juniper",
    market_cap: 7.7e4,
    circulating: 0.5,
    fee: 0.025,
    size: 0.06,
    developers: 11,
    growth: -0.0003,
  },
  {
    chain_id: "kelp",
    chain_name: "Kelp Ω",
    market_cap: 1.3e4,
    circulating: 0.22,
    fee: 0.012,
    size: 0.02,
    developers: 8,
    growth: 0.0019,
  },
  {
    chain_id: "lumen",
    chain_name: "Lumen",
    market_cap: 8.3e4,
    circulating: 0.61,
    fee: 0.03,
    size: 0.05,
    developers: 5,
    growth: -0.0021,
  },
];
